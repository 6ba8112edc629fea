import type { GatewayCall } from "../gateways/gateway-call.ts";
import { type AttemptCalls, type DecidedAgain, runCall, timerOutcomeOf } from "../gateways/run-call.ts";
import { BLOCKED_WAIT_MS, isBlocked } from "../patients/blocked.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import { providerNow } from "../platform/provider.ts";
import { type ClaimedTimer, scheduleTimers } from "../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../platform/timers/timer-worker.ts";
import { requireProvider } from "../tenants/provider-reads.ts";
import { type ClaimRecord, readClaim, readFiledClaims, writeRenewedAccess } from "./claim-store.ts";
import { type FileClaimDependencies, type FilingAnswer, sendFiling } from "./file-claim.ts";
import { mayFollow } from "./mandate.ts";
import { pollSoon } from "./poll-claim.ts";

/** Sends new access to the insurer for a filed claim. */
export const RENEW_ACCESS_TIMER = "reimbursements.renew_access";

/**
 * A patient has given new access at `accessAt`: it is sent for every filed claim of theirs, blocked or not, because the
 * access before it may have been withdrawn, and the connector has then forgotten it. `at` is real time.
 */
export async function renewFiledClaims(
  tx: Transaction,
  {
    beneficiaryId,
    eventId,
    accessAt,
    at,
  }: { readonly beneficiaryId: string; readonly eventId: string; readonly accessAt: Date; readonly at: Date },
): Promise<void> {
  const claims = await readFiledClaims(tx, beneficiaryId);
  await scheduleTimers(
    tx,
    claims.map(({ providerId, id }) => ({
      kind: RENEW_ACCESS_TIMER,
      key: `${id}:${eventId}`,
      providerId,
      dueAt: at,
      payload: payloadOf({ claimId: id, inquiries: 0, accessAt }),
    })),
  );
}

/**
 * Sends the filing once more with the new access; to the insurer it is the same claim (`docs/gateways.md`). An immediate
 * poll shows whether the new access works. While the patient's data is blocked it waits: the end of a blocking is no event
 * that would send it.
 */
export async function renewAccess(dependencies: FileClaimDependencies, timer: ClaimedTimer): Promise<TimerOutcome> {
  const { db, clock } = dependencies;
  const renewal = readPayload(timer.payload);
  const claim = await readClaim(db, { providerId: timer.providerId, id: renewal.claimId });
  if (claim?.state !== "filed") return "done";
  if (await isBlocked(db, { id: claim.beneficiaryId }))
    return { again: new Date(clock.now().getTime() + BLOCKED_WAIT_MS) };
  const provider = await requireProvider(db, claim.providerId);
  const at = providerNow(provider, clock.now());
  const idempotencyKey = `${claim.id}:access:${timer.key.slice(-36)}`;
  const calls = callsOf(dependencies, renewal, claim, { providerId: claim.providerId, idempotencyKey, at });
  const ran = await runCall<RenewalState, FilingAnswer>(db, calls, { attempt: "open", mayHaveArrived: true });
  const outcome = timerOutcomeOf(ran, clock.now());
  return typeof outcome === "string"
    ? outcome
    : { ...outcome, payload: payloadOf({ ...renewal, inquiries: renewal.inquiries + 1 }) };
}

type RenewalState = "open" | "ended";

function callsOf(
  dependencies: FileClaimDependencies,
  { inquiries, accessAt }: Renewal,
  claim: ClaimRecord,
  under: GatewayCall,
): AttemptCalls<RenewalState, FilingAnswer> {
  const { db, clock, insurer } = dependencies;
  return {
    nextCall: (attempt) =>
      attempt === "ended"
        ? null
        : {
            under,
            inquire: () => insurer.inquireFiling(under),
            call: () => sendFiling(dependencies, claim, under),
          },
    decideAgain: () => decideAgain(db, claim),
    isNoProgress: (_attempt, { outcome }) => outcome === "portal_down",
    settle: async (tx) => {
      // The timer first and then the claim: the code that records an answer locks them in the same order.
      await pollSoon(tx, claim, clock.now());
      if (accessAt !== null) await writeRenewedAccess(tx, claim, accessAt);
      return "ended";
    },
    // The inquiries are counted in the timer's payload.
    letGo: async () => inquiries,
  };
}

/**
 * Decides whether access that has not arrived is sent. It waits if the patient's data was blocked while the insurer was asked.
 * If the access or the mandate was withdrawn and is given again, that is a new event with a timer of its own.
 */
async function decideAgain(db: Database, claim: ClaimRecord): Promise<DecidedAgain<RenewalState>> {
  if (await isBlocked(db, { id: claim.beneficiaryId })) return "ask_later";
  return (await mayFollow(db, claim)) ? "call" : { ended: "ended" };
}

/** Thrown when a timer does not name its claim, which is a defect. */
export class TimerWithoutClaim extends Error {
  override readonly name = "TimerWithoutClaim";
  readonly code = "timer_without_claim";
}

/** The timer's payload. Payloads of the previous version do not contain the time of the access. */
interface Renewal {
  readonly claimId: string;
  readonly inquiries: number;
  readonly accessAt: Date | null;
}

function payloadOf({ claimId, inquiries, accessAt }: Renewal) {
  return { claim_id: claimId, inquiries, access_at: accessAt?.toISOString() ?? null };
}

function readPayload(payload: unknown): Renewal {
  if (typeof payload === "object" && payload !== null && "claim_id" in payload && "inquiries" in payload) {
    const { claim_id: claimId, inquiries } = payload;
    const accessAt = "access_at" in payload && typeof payload.access_at === "string" ? payload.access_at : null;
    if (typeof claimId === "string" && typeof inquiries === "number")
      return { claimId, inquiries, accessAt: accessAt === null ? null : new Date(accessAt) };
  }
  throw new TimerWithoutClaim("A timer of a claim does not name it.");
}
