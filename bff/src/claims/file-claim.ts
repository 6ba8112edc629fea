import type { FileStorage } from "../gateways/file-storage.ts";
import type { Answered, CallConnectors, GatewayCall } from "../gateways/gateway-call.ts";
import type { FilingOutcome, InsurerConnector } from "../gateways/insurer.ts";
import { type AttemptCalls, type RetryDecision, runCall, timerOutcomeOf } from "../gateways/run-call.ts";
import { publishedStatus } from "../orders/order.ts";
import { findOrder } from "../orders/order-reads.ts";
import { BLOCKED_WAIT_MS, isBlocked } from "../patients/blocked.ts";
import { findBeneficiaryById, shareBeneficiaryById } from "../patients/patients.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { ClaimedTimer } from "../platform/timers/timer-store.ts";
import type { TimerContext, TimerOutcome } from "../platform/timers/timer-worker.ts";
import { noteUnfollowed, observeBlockedAccess } from "./blocked-access.ts";
import { type ClaimState, claimAfter, classifyFiling, expenseStatusOf, filingKey } from "./claim.ts";
import { claimDocuments } from "./claim-documents.ts";
import { type ClinicNews, publishClaimNews } from "./claim-events.ts";
import { blockedCountedSince } from "./claim-life.ts";
import { type ClaimRecord, changeClaim, readClaim, withConnector } from "./claim-store.ts";
import { type ConsiderClaimDependencies, ORDER_REFUNDED, scheduleFiling } from "./consider-claim.ts";
import { isClaimable } from "./expenses/expense.ts";
import {
  findSubmittedExpense,
  lockSubmittedExpense,
  type SubmittedExpense,
  setExpenseStatus,
} from "./expenses/expense-progress.ts";
import { filedByHandAt } from "./hand-worked-claims.ts";
import { isMandateWithdrawn, MANDATE_WITHDRAWN, stopUncalled, stopUnfiled } from "./mandate.ts";
import { claimNow } from "./move-claim.ts";
import { type NotifyClaimDependencies, notifyFiled } from "./notify-claim.ts";
import type { PictureConverter } from "./picture-converter.ts";
import { beginPolling } from "./poll-claim.ts";
import { notifyOfLack } from "./remind-unfiled.ts";
import { scheduleRenewals } from "./renewal-timer.ts";

export interface FileClaimDependencies extends ConsiderClaimDependencies, NotifyClaimDependencies {
  readonly db: Database;
  readonly insurer: InsurerConnector;
  readonly connectors: Pick<CallConnectors, "insurer">;
  readonly storage: Pick<FileStorage, "get">;
  readonly pictures: PictureConverter;
}

/** Thrown when a claim refers to a record that does not exist: a defect. */
export class ClaimIncomplete extends Error {
  override readonly name = "ClaimIncomplete";
  readonly code = "claim_incomplete";
}

export type FilingAnswer = Answered<FilingOutcome>;
/** An answer that ends the call. */
type EndedFiling = Exclude<FilingAnswer, { readonly outcome: "queued" }>;

/**
 * Files one claim. Inquires first about a call whose answer was lost, and repeats a call that never arrived only if the
 * claim should still be filed. While the patient's data is blocked the insurer is neither asked nor sent anything.
 */
export async function fileClaim(
  dependencies: FileClaimDependencies,
  timer: ClaimedTimer,
  context: Pick<TimerContext, "finish">,
): Promise<TimerOutcome> {
  const { db, clock, connectors } = dependencies;
  const { claimId, attempt } = readPayload(timer.payload);
  const read = await readClaim(db, { providerId: timer.providerId, id: claimId });
  if (read === null) throw new ClaimIncomplete("the timer names no claim");
  const mayHaveArrived = read.state === "filing" && read.attempt === attempt;
  // Recorded even while the patient's data is blocked, because afterwards another connector may file the claims.
  const claim = mayHaveArrived ? await withConnector(db, read, connectors.insurer) : read;
  const at = await claimNow(dependencies, db, claim.providerId);
  if (await isBlocked(db, { id: claim.beneficiaryId })) {
    await noteUnfollowed(db, claim, at);
    return { again: new Date(clock.now().getTime() + BLOCKED_WAIT_MS) };
  }
  const begun = mayHaveArrived ? claim : await beginFiling(dependencies, claim, attempt, at);
  if (begun === null) return outcomeUnlessBegun(dependencies, claim, attempt);
  const ran = await runCall(db, filingCalls(dependencies, context, at), { attempt: begun, mayHaveArrived });
  return timerOutcomeOf(ran, clock.now());
}

function filingCalls(
  dependencies: FileClaimDependencies,
  { finish }: Pick<TimerContext, "finish">,
  at: Date,
): AttemptCalls<ClaimRecord, FilingAnswer> {
  const { db, insurer } = dependencies;
  return {
    nextCall: (claim) =>
      claim.state !== "filing"
        ? null
        : {
            under: {
              providerId: claim.providerId,
              idempotencyKey: filingKey(claim),
              at,
              connector: claim.connector,
            },
            inquire: (under) => insurer.inquireFiling(under),
            call: (under) => sendFiling(dependencies, claim, under),
          },
    retryDecision: (claim) => retryDecision(dependencies, claim, at),
    accepts: { isTaken: ({ outcome }) => outcome === "queued", wasTaken: ({ queuedAt }) => queuedAt !== null },
    settle: async (tx, claim, answer) => {
      if (answer.outcome === "queued") return writeQueued(tx, claim, at);
      await finish(tx);
      return { ...claim, state: await settleFiling(dependencies, tx, claim, answer) };
    },
    release: async (claim) => {
      const { state, updatedAt, inquiries } = claim;
      await changeClaim(db, claim, { state, at: updatedAt, inquiries: inquiries + 1 });
      return inquiries;
    },
  };
}

/** How long a worker that has made the call may take to record its answer. */
const TAKEN_UP_MS = 60_000;

/**
 * Usually nothing is left to do. But a worker that held this timer before may just have begun the attempt. It cannot
 * record the answer, because the timer is now this worker's. The attempt is then inquired about later.
 */
async function outcomeUnlessBegun(
  { db, clock }: FileClaimDependencies,
  claim: ClaimRecord,
  attempt: number,
): Promise<TimerOutcome> {
  const current = await readClaim(db, claim);
  const isTakenUp = current?.state === "filing" && current.attempt === attempt;
  return isTakenUp ? { again: new Date(clock.now().getTime() + TAKEN_UP_MS) } : "done";
}

/** Records the call before making it; null if this attempt must no longer be made. */
async function beginFiling(
  { db, connectors }: FileClaimDependencies,
  claim: ClaimRecord,
  attempt: number,
  at: Date,
): Promise<ClaimRecord | null> {
  const state = claimAfter(claim.state, "call");
  const order = await findOrder(db, claim);
  if (state === null || attempt !== claim.attempt + 1 || order === null) return null;
  if (!isClaimable(publishedStatus(order.state))) return null;
  if (await isMandateWithdrawn(db, claim)) {
    await stopUncalled(db, claim, { trigger: "stop", reason: MANDATE_WITHDRAWN, at });
    return null;
  }
  const change = { state, at, attempt, connector: connectors.insurer, inquiries: 0, reason: null, queuedAt: null };
  return (await changeClaim(db, claim, change)) ? { ...claim, ...change, updatedAt: at } : null;
}

/**
 * Decides whether to repeat a filing call that never arrived. Stops the claim if the order was refunded or the patient
 * has withdrawn a required consent. Waits if the patient's data was blocked during the inquiry.
 */
async function retryDecision(
  dependencies: FileClaimDependencies,
  claim: ClaimRecord,
  at: Date,
): Promise<RetryDecision<ClaimRecord>> {
  const { db } = dependencies;
  const reason = await reasonNotToFile(db, claim);
  if (reason === null) return (await isBlocked(db, { id: claim.beneficiaryId })) ? "inquire_later" : "call";
  await stopUncalled(db, claim, { trigger: "stop_unsent", reason, at });
  return { ended: { ...claim, state: "stopped" } };
}

async function reasonNotToFile(
  db: Database,
  claim: ClaimRecord,
): Promise<typeof ORDER_REFUNDED | typeof MANDATE_WITHDRAWN | null> {
  const order = await findOrder(db, claim);
  if (order !== null && !isClaimable(publishedStatus(order.state))) return ORDER_REFUNDED;
  return (await isMandateWithdrawn(db, claim)) ? MANDATE_WITHDRAWN : null;
}

/**
 * Sends a claim with its documents and the patient's current access to the insurer. A photo that cannot be converted
 * holds the claim before anything is sent.
 */
export async function sendFiling(
  dependencies: Pick<FileClaimDependencies, "db" | "insurer" | "storage" | "pictures">,
  claim: ClaimRecord,
  gatewayCall: GatewayCall,
): Promise<FilingOutcome> {
  const { db, insurer } = dependencies;
  const [expense, order, patient] = await Promise.all([
    findSubmittedExpense(db, { providerId: claim.providerId, id: claim.expenseId }),
    findOrder(db, claim),
    findBeneficiaryById(db, claim.beneficiaryId),
  ]);
  if (expense === null || order === null || patient === null) throw new ClaimIncomplete("a claim misses a part");
  const documents = await claimDocuments(dependencies, { providerId: claim.providerId, files: expense.files });
  if (documents === "unreadable_picture") return { outcome: "held", missing: [documents] };
  return insurer.fileClaim(gatewayCall, {
    insurer: patient.insurer,
    rut: patient.rut,
    orderHash: claim.orderId,
    total: expense.total ?? order.total,
    sealedAccess: patient.sealedInsurerAccess,
    documents,
  });
}

/** Records that the gateway has taken the claim. Null if another worker has changed it. */
async function writeQueued(tx: Transaction, claim: ClaimRecord, queuedAt: Date): Promise<ClaimRecord | null> {
  const { state, updatedAt: at } = claim;
  return (await changeClaim(tx, claim, { state, at, queuedAt })) ? { ...claim, queuedAt } : null;
}

/** Records the insurer's answer. Returns the claim's new state. */
async function settleFiling(
  dependencies: FileClaimDependencies,
  tx: Transaction,
  claim: ClaimRecord,
  answer: EndedFiling,
): Promise<ClaimState> {
  const verdict = classifyFiling(answer, claim.attempt);
  const at = await claimNow(dependencies, tx, claim.providerId);
  await shareBeneficiaryById(tx, claim.beneficiaryId);
  const expense = await lockSubmittedExpense(tx, claim);
  const next = claimAfter(claim.state, verdict.trigger);
  if (expense === null || next === null) throw new ClaimIncomplete("a claim was answered that was not being filed");
  const reason = next === "filed" ? null : await reasonNotToFile(tx, claim);
  if (reason !== null) {
    // The order was refunded, or the patient has withdrawn a required consent. The claim must not wait for anything,
    // and the insurer's answer must not be stored.
    await stopUnfiled(tx, claim, { trigger: "stop_unsent", reason, at });
    return "stopped";
  }
  const newerAt = await changedSince(tx, next, claim, expense);
  const outdated = newerAt !== null;
  const state = outdated ? "ready" : next;
  const isWritten = await changeClaim(tx, claim, {
    state,
    at,
    reason: outdated ? null : verdict.reason,
    // The refused access was replaced meanwhile, so the refusal says nothing about the current one.
    blockedSince: outdated && next === "access_blocked" ? claim.blockedSince : blockedSinceAfter(next, claim, at),
    ...(answer.outcome === "filed" && {
      insurerClaimId: answer.claimId,
      filedAt: (await filedByHandAt(tx, claim)) ?? at,
    }),
  });
  if (!isWritten) throw new ClaimIncomplete("a claim was changed while it was being filed");
  await setExpenseStatus(tx, expense, { to: expenseStatusOf(state), at });
  const news = newsOf(claim, state);
  if (news !== null) await publishClaimNews(tx, dependencies.ids, claim, news, at);
  // The clock of the machine that recorded the change may be ahead of this one. The next call must come after the
  // change by both clocks.
  const retryAfterMs = outdated ? Math.max(0, newerAt.getTime() - at.getTime()) : verdict.retryAfterMs;
  if (retryAfterMs !== null)
    await scheduleFiling(tx, claim, new Date(dependencies.clock.now().getTime() + retryAfterMs));
  if (state === "access_blocked") {
    const patient = await findBeneficiaryById(tx, claim.beneficiaryId);
    await observeBlockedAccess(dependencies, tx, claim, { at, accessAt: patient?.insurerAccessAt ?? null });
  }
  if (state === "access_missing" || state === "held") await notifyOfLack(dependencies, tx, claim);
  if (state === "filed") {
    await beginPolling(tx, claim, dependencies.clock.now());
    await notifyFiled(dependencies, tx, claim);
    await sendNewerAccess(dependencies, tx, claim);
  }
  return state;
}

const FILING_NEWS: Readonly<Partial<Record<ClaimState, ClinicNews>>> = {
  filed: "claim.filed",
  held: "claim.held",
  access_missing: "access.missing",
  access_blocked: "access.blocked",
};

/** The news of a filing for the clinic. It does not mention access that was blocked before. */
function newsOf(claim: ClaimRecord, state: ClaimState): ClinicNews | null {
  const isKnown = state === "access_blocked" && claim.blockedSince !== null;
  return isKnown ? null : (FILING_NEWS[state] ?? null);
}

/** A portal that is down does not show whether access is blocked, so the earlier observation stays. */
function blockedSinceAfter(next: ClaimState, claim: ClaimRecord, at: Date): Date | null {
  if (next === "access_blocked") return blockedCountedSince(claim) ?? at;
  return next === "ready" ? claim.blockedSince : null;
}

/** When the missing document or access arrived, if that was after the call was made; otherwise null. */
async function changedSince(
  tx: Transaction,
  next: ClaimState,
  claim: ClaimRecord,
  expense: SubmittedExpense,
): Promise<Date | null> {
  if (next === "held") return ifSinceCall(claim, expense.updatedAt);
  return next === "access_missing" || next === "access_blocked" ? accessSinceCall(tx, claim) : null;
}

/** Access given during the filing reached no claim: the insurer has the previous one. */
async function sendNewerAccess(
  dependencies: FileClaimDependencies,
  tx: Transaction,
  claim: ClaimRecord,
): Promise<void> {
  const { clock, ids } = dependencies;
  const accessAt = await accessSinceCall(tx, claim);
  if (accessAt !== null) await scheduleRenewals(tx, [claim], { causeId: ids.uuid(), accessAt, at: clock.now() });
}

async function accessSinceCall(tx: Transaction, claim: ClaimRecord): Promise<Date | null> {
  const patient = await findBeneficiaryById(tx, claim.beneficiaryId);
  return ifSinceCall(claim, patient?.insurerAccessAt ?? null);
}

function ifSinceCall({ updatedAt: calledAt }: ClaimRecord, moment: Date | null): Date | null {
  return moment !== null && moment > calledAt ? moment : null;
}

function readPayload(payload: unknown): { claimId: string; attempt: number } {
  if (typeof payload === "object" && payload !== null && "claim_id" in payload && "attempt" in payload) {
    const { claim_id: claimId, attempt } = payload;
    if (typeof claimId === "string" && typeof attempt === "number") return { claimId, attempt };
  }
  throw new ClaimIncomplete("a timer names no claim");
}
