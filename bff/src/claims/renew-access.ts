import type { GatewayCall } from "../gateways/gateway-call.ts";
import { type AttemptCalls, runCall, timerOutcomeOf } from "../gateways/run-call.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { providerNow } from "../platform/provider.ts";
import { type ClaimedTimer, scheduleTimers } from "../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../platform/timers/timer-worker.ts";
import { requireProvider } from "../tenants/provider-reads.ts";
import { type ClaimRecord, readClaim, readFiledClaims, writeRenewedAccess } from "./claim-store.ts";
import { type FileClaimDependencies, type FilingAnswer, sendFiling } from "./file-claim.ts";
import { mayFollow } from "./mandate.ts";
import { pollSoon } from "./poll-claim.ts";

/** Hands another access to the insurer for a claim that was filed. */
export const RENEW_ACCESS_TIMER = "reimbursements.renew_access";

/**
 * A patient has given access again, at `accessAt`: every filed claim of theirs gets it, blocked or not. The one before may
 * have been withdrawn, and the connector has forgotten it. `at` is real time.
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
 * Files a claim once more with the new access: to the insurer it is the same claim (`docs/gateways.md`). Whether that
 * has opened it is observed by asking about the claim, at once.
 */
export async function renewAccess(dependencies: FileClaimDependencies, timer: ClaimedTimer): Promise<TimerOutcome> {
  const { db, clock } = dependencies;
  const renewal = readPayload(timer.payload);
  const claim = await readClaim(db, { providerId: timer.providerId, id: renewal.claimId });
  if (claim?.state !== "filed") return "done";
  const provider = await requireProvider(db, claim.providerId);
  const at = providerNow(provider, clock.now());
  const idempotencyKey = `${claim.id}:access:${timer.key.slice(-36)}`;
  const calls = callsOf(dependencies, renewal, claim, { providerId: claim.providerId, idempotencyKey, at });
  const ran = await runCall<RenewalState, FilingAnswer>(db, calls, { attempt: "open", mayHaveArrived: true });
  const outcome = timerOutcomeOf(ran, clock.now());
  return outcome === "done"
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
    // Access that is given once more, after it or the mandate was withdrawn, comes with an event, and a timer, of its own.
    decideAgain: async () => ((await mayFollow(db, claim)) ? "call" : { ended: "ended" }),
    isNoProgress: (_attempt, { outcome }) => outcome === "portal_down",
    settle: async (tx) => {
      // In this order: whoever writes an answer ends the timer first as well, and then changes the claim.
      await pollSoon(tx, claim, clock.now());
      if (accessAt !== null) await writeRenewedAccess(tx, claim, accessAt);
      return "ended";
    },
    // The timer's payload counts them.
    letGo: async () => inquiries,
  };
}

/** Thrown when a timer does not name its claim: a defect. */
export class TimerWithoutClaim extends Error {
  override readonly name = "TimerWithoutClaim";
  readonly code = "timer_without_claim";
}

/** What the timer remembers. Those of the version before do not say when the access was given. */
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
