import { pullTrigger } from "../collection/trigger-charge.ts";
import { ZERO } from "../contract/vocabulary/clp.ts";
import { DAY_MS } from "../contract/vocabulary/durations.ts";
import type { CallConnectors } from "../gateways/gateway-call.ts";
import type { ClaimOutcome, InsurerConnector } from "../gateways/insurer.ts";
import { shareBeneficiaryById } from "../patients/patients.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { type Provider, providerNow, realMoment } from "../platform/provider.ts";
import { type ClaimedTimer, type NewTimer, rescheduleTimer, scheduleTimers } from "../platform/timers/timer-store.ts";
import type { TimerContext, TimerOutcome } from "../platform/timers/timer-worker.ts";
import { requireProvider } from "../tenants/providers.ts";
import { noteUnfollowed, observeBlockedAccess } from "./blocked-access.ts";
import { type ClaimState, claimAfter, expenseStatusOf } from "./claim.ts";
import { type ClinicNews, publishClaimNews } from "./claim-events.ts";
import { type ClaimNews, classifyAnswer, mayBeForgotten, nextHourlyPoll, unfollowedSyncAt } from "./claim-life.ts";
import { type ClaimRecord, changeClaim, readClaim, readFiledClaimIds, withConnector } from "./claim-store.ts";
import { lockSubmittedExpense, setExpenseStatus } from "./expenses/expense-progress.ts";
import { mayFollow } from "./mandate.ts";
import { type NotifyClaimDependencies, notifyClaim } from "./notify-claim.ts";
import { scheduleRenewals } from "./renewal-timer.ts";

/** Polls the insurer about one filed claim. The timer's key is the claim's id. */
export const POLL_CLAIM_TIMER = "reimbursements.poll_claim";
/** Daily, for one provider: schedules a poll for each filed claim without a poll timer. */
export const CLAIMS_DAILY_TIMER = "reimbursements.daily";

export interface PollClaimDependencies extends NotifyClaimDependencies {
  readonly db: Database;
  readonly insurer: Pick<InsurerConnector, "inquireClaim">;
  readonly connectors: Pick<CallConnectors, "insurer">;
}

type ClaimName = Pick<ClaimRecord, "providerId" | "id">;

/** Starts polling the insurer about a filed claim. `at` is real time. */
export async function beginPolling(tx: Transaction, claim: ClaimName, at: Date): Promise<void> {
  const { providerId } = claim;
  const provider = await requireProvider(tx, providerId);
  const now = providerNow(provider, at);
  await scheduleTimers(tx, [
    pollTimer(claim, realMoment(provider, nextHourlyPoll(claim.id, now)), now),
    {
      kind: CLAIMS_DAILY_TIMER,
      key: providerId,
      providerId,
      dueAt: new Date(at.getTime() + DAY_MS),
      payload: {},
    },
  ]);
}

/**
 * Polls the claim at `at` (real time), because something has changed at the insurer. `askedAt`: when the insurer was
 * sent the access, in the provider's time; without it the time of the last inquiry stays.
 */
export async function pollSoon(
  tx: Transaction,
  claim: ClaimName,
  at: Date,
  { askedAt = null }: { readonly askedAt?: Date | null } = {},
): Promise<void> {
  await rescheduleTimer(tx, pollTimer(claim, at, askedAt), { keepsPayload: askedAt === null });
}

/**
 * The payload holds the last time the insurer was asked or sent the access. It is unknown for a recreated timer, or one
 * of an earlier version.
 */
function pollTimer({ providerId, id }: ClaimName, dueAt: Date, askedAt: Date | null): NewTimer {
  return { kind: POLL_CLAIM_TIMER, key: id, providerId, dueAt, payload: askedAt === null ? {} : payloadOf(askedAt) };
}

function payloadOf(askedAt: Date) {
  return { asked_at: askedAt.toISOString() };
}

function askedAtOf({ payload }: ClaimedTimer): Date | null {
  const at = typeof payload === "object" && payload !== null && "asked_at" in payload ? payload.asked_at : null;
  return typeof at === "string" ? new Date(at) : null;
}

/**
 * Asks the insurer about a filed claim. If the last inquiry is so long ago that the insurer must have forgotten the
 * access, has the access sent first, because the insurer would wrongly report it as blocked. Records the result in one
 * transaction with the timer. Records and notifies nothing if the service may not inquire about this patient, even if
 * that changed during the call.
 */
export async function pollClaim(
  dependencies: PollClaimDependencies,
  timer: ClaimedTimer,
  { finish }: Pick<TimerContext, "finish">,
): Promise<TimerOutcome> {
  const { db, clock, insurer, connectors } = dependencies;
  const read = await readClaim(db, { providerId: timer.providerId, id: timer.key });
  if (read?.state !== "filed") return "done";
  const claim = await withConnector(db, read, connectors.insurer);
  const { connector, insurerClaimId, filedAt } = claim;
  if (insurerClaimId === null || filedAt === null) return "done";
  const provider = await requireProvider(db, claim.providerId);
  const now = providerNow(provider, clock.now());
  const unfollowed = outcomeOf(unfollowedSyncAt(filedAt, now), provider);
  if (!(await mayFollow(db, claim, dependencies))) {
    await noteUnfollowed(db, claim, now);
    return unfollowed;
  }
  const takesAccess = dependencies.takesInsurerAccess && connector === connectors.insurer;
  if (takesAccess && unfollowed !== "done" && mayBeForgotten(askedAtOf(timer), now))
    return sendAccessFirst(dependencies, claim, unfollowed, finish);
  const idempotencyKey = `${claim.id}:poll:${now.getTime()}`;
  const call = { providerId: claim.providerId, idempotencyKey, at: now, connector };
  const answer = await insurer.inquireClaim(call, { claimId: insurerClaimId });
  const { blockedSince, unfollowedAt } = claim;
  const news = classifyAnswer({ id: claim.id, filedAt, blockedSince, unfollowedAt }, answer.outcome, now);
  return inTransaction(db, async (tx) => {
    // The patient may have withdrawn their mandate or access, or been erased, during the call.
    await shareBeneficiaryById(tx, claim.beneficiaryId);
    const isFollowed = await mayFollow(tx, claim, dependencies);
    const outcome = isFollowed ? withAsked(outcomeOf(news.nextPollAt, provider), answer, now) : unfollowed;
    await finish(tx, outcome);
    if (isFollowed) await writeNews(dependencies, tx, claim, { answer, news, at: now });
    else await noteUnfollowed(tx, claim, now);
    return outcome;
  });
}

/**
 * The poll follows as soon as the insurer has the access (`renew-access.ts`). If it does not arrive, the next regular
 * poll sends the access again, because the timer keeps the time of the last inquiry.
 */
async function sendAccessFirst(
  { db, clock, ids }: PollClaimDependencies,
  claim: ClaimName,
  outcome: TimerOutcome,
  finish: TimerContext["finish"],
): Promise<TimerOutcome> {
  await inTransaction(db, async (tx) => {
    await finish(tx, outcome);
    await scheduleRenewals(tx, [claim], { causeId: ids.uuid(), accessAt: null, at: clock.now() });
  });
  return outcome;
}

/** An inquiry that may not have arrived does not count. */
function withAsked(outcome: TimerOutcome, answer: ClaimOutcome, now: Date): TimerOutcome {
  return typeof outcome === "string" || answer.outcome === "unknown"
    ? outcome
    : { ...outcome, payload: payloadOf(now) };
}

function outcomeOf(nextPollAt: Date | null, provider: Provider): TimerOutcome {
  return nextPollAt === null ? "done" : { again: realMoment(provider, nextPollAt) };
}

interface News {
  readonly answer: ClaimOutcome;
  readonly news: ClaimNews;
  /** The provider's time. */
  readonly at: Date;
}

/** Records the answer if the claim has not changed during the call. */
async function writeNews(
  dependencies: PollClaimDependencies,
  tx: Transaction,
  claim: ClaimRecord,
  { answer, news, at }: News,
): Promise<void> {
  const { trigger, blockedSince } = news;
  const state = (trigger && claimAfter(claim.state, trigger)) ?? claim.state;
  const isUnchanged = state === claim.state && blockedSince?.getTime() === claim.blockedSince?.getTime();
  if (!isUnchanged) {
    const expense = await lockSubmittedExpense(tx, claim);
    const rejected = answer.outcome === "rejected" ? answer : null;
    const change = {
      state,
      at,
      blockedSince,
      reason: rejected?.reason ?? null,
      rejectionCode: rejected?.code ?? null,
    };
    const reimbursed = answer.outcome === "approved" ? { reimbursed: answer.reimbursed } : {};
    // Another transaction has changed the claim meanwhile. The next poll asks about the changed claim.
    if (!(await changeClaim(tx, claim, { ...change, ...reimbursed }))) return;
    const to = state === "filed" && blockedSince !== null ? "access_blocked" : expenseStatusOf(state);
    if (expense !== null) await setExpenseStatus(tx, expense, { to, at });
    const reported = newsOf(claim, { state, blockedSince });
    if (reported !== null) await publishClaimNews(tx, dependencies.ids, claim, reported, at);
  }
  await notifyNews(dependencies, tx, claim, answer, at);
}

/** The events that a poll publishes to the clinic. They do not repeat that access was blocked before. */
function newsOf(
  before: ClaimRecord,
  { state, blockedSince }: { readonly state: ClaimState; readonly blockedSince: Date | null },
): ClinicNews | null {
  if (state === "approved") return "claim.approved";
  if (state === "rejected") return "claim.rejected";
  return blockedSince !== null && before.blockedSince === null ? "access.blocked" : null;
}

async function notifyNews(
  dependencies: PollClaimDependencies,
  tx: Transaction,
  claim: ClaimRecord,
  answer: ClaimOutcome,
  at: Date,
): Promise<void> {
  const { providerId, orderId } = claim;
  if (answer.outcome === "access_blocked")
    await observeBlockedAccess(dependencies, tx, claim, { at, accessAt: claim.renewedAccessAt });
  if (answer.outcome === "rejected")
    await notifyClaim(dependencies, tx, claim, { kind: "claim_rejected", reason: answer.reason });
  if (answer.outcome !== "approved") return;
  const { reimbursed } = answer;
  const evidence = {
    claim_id: claim.id,
    insurer_claim_id: claim.insurerClaimId,
    approved_at: answer.at.toISOString(),
    reimbursed: reimbursed ?? ZERO,
  };
  const isCharged = await pullTrigger(tx, { providerId, orderId }, { reason: "approved", at, evidence });
  await notifyClaim(dependencies, tx, claim, { kind: "claim_approved", reimbursed, isCharged });
}

/** Schedules a poll for each filed claim whose timer was lost. Existing timers stay. */
export async function lookForUnaskedClaims(
  { db, clock }: Pick<PollClaimDependencies, "db" | "clock">,
  { providerId }: Pick<ClaimedTimer, "providerId">,
): Promise<TimerOutcome> {
  const now = clock.now();
  for (let after: string | null = null; ; ) {
    const ids: string[] = await readFiledClaimIds(db, { providerId, after });
    if (ids.length === 0) break;
    await scheduleTimers(
      db,
      ids.map((id) => pollTimer({ providerId, id }, now, null)),
    );
    after = ids.at(-1) ?? null;
  }
  return { again: new Date(now.getTime() + DAY_MS) };
}
