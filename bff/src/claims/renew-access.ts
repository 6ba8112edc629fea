import type { GatewayCall } from "../gateways/gateway-call.ts";
import { inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { providerNow } from "../platform/provider.ts";
import { type ClaimedTimer, scheduleTimers } from "../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../platform/timers/timer-worker.ts";
import { requireProvider } from "../tenants/provider-reads.ts";
import { inquiryDelayMs } from "./claim.ts";
import { readClaim, readFiledClaims, writeRenewedAccess } from "./claim-store.ts";
import { type FileClaimDependencies, sendFiling } from "./file-claim.ts";
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
  const { db, clock, insurer } = dependencies;
  const { claimId, inquiries, accessAt } = readPayload(timer.payload);
  const claim = await readClaim(db, { providerId: timer.providerId, id: claimId });
  if (claim?.state !== "filed") return "done";
  const provider = await requireProvider(db, claim.providerId);
  const call: GatewayCall = {
    providerId: claim.providerId,
    idempotencyKey: `${claim.id}:access:${timer.key.slice(-36)}`,
    at: providerNow(provider, clock.now()),
  };
  const known = await insurer.inquireFiling(call);
  // Access that is given once more, after it or the mandate was withdrawn, comes with an event, and a timer, of its own.
  if (known.outcome === "not_found" && !(await mayFollow(db, claim))) return "done";
  const answer = known.outcome === "not_found" ? await sendFiling(dependencies, claim, call) : known;
  if (answer.outcome === "unknown" || answer.outcome === "portal_down") {
    const again = new Date(clock.now().getTime() + inquiryDelayMs(inquiries));
    return { again, payload: payloadOf({ claimId, inquiries: inquiries + 1, accessAt }) };
  }
  await inTransaction(db, async (tx) => {
    // In this order: whoever writes an answer ends the timer first as well, and then changes the claim.
    await pollSoon(tx, claim, clock.now());
    if (accessAt !== null) await writeRenewedAccess(tx, claim, accessAt);
  });
  return "done";
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
