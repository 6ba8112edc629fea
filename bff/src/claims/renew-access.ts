import type { AttemptCall } from "../gateways/gateway-call.ts";
import { type AttemptCalls, type RetryDecision, runCall, timerOutcomeOf } from "../gateways/run-call.ts";
import { BLOCKED_WAIT_MS, isBlocked } from "../patients/blocked.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { providerNow } from "../platform/provider.ts";
import type { ClaimedTimer } from "../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../platform/timers/timer-worker.ts";
import { requireProvider } from "../tenants/providers.ts";
import { BY_HAND } from "./claim.ts";
import { type ClaimRecord, readClaim, readFiledClaims, withConnector, writeRenewedAccess } from "./claim-store.ts";
import { type FileClaimDependencies, type FilingAnswer, sendFiling } from "./file-claim.ts";
import { mayFollow } from "./mandate.ts";
import { pollSoon } from "./poll-claim.ts";
import { type Renewal, readRenewal, renewalPayload, scheduleRenewals } from "./renewal-timer.ts";

/**
 * Sends access that a patient gave at `accessAt` for all their filed claims, blocked or not. If the previous access was
 * withdrawn, the connector has forgotten it. `at` is real time.
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
  await scheduleRenewals(tx, claims, { causeId: eventId, accessAt, at });
}

/**
 * Repeats the filing with the patient's access; to the insurer it is the same claim (`docs/reference/gateways.md`). An
 * immediate poll shows whether it works. Waits while the patient's data is blocked, because the end of a block
 * publishes no event that would send it.
 */
export async function renewAccess(dependencies: FileClaimDependencies, timer: ClaimedTimer): Promise<TimerOutcome> {
  const { db, clock, connectors } = dependencies;
  const renewal = readRenewal(timer.payload);
  const read = await readClaim(db, { providerId: timer.providerId, id: renewal.claimId });
  if (read?.state !== "filed") return "done";
  const claim = await withConnector(db, read, connectors.insurer);
  if (claim.connector === BY_HAND) return "done";
  if (await isBlocked(db, { id: claim.beneficiaryId }))
    return { again: new Date(clock.now().getTime() + BLOCKED_WAIT_MS) };
  const provider = await requireProvider(db, claim.providerId);
  const at = providerNow(provider, clock.now());
  const idempotencyKey = `${claim.id}:access:${timer.key.slice(-36)}`;
  const under = { providerId: claim.providerId, idempotencyKey, at, connector: claim.connector };
  const calls = callsOf(dependencies, renewal, claim, under);
  const ran = await runCall<RenewalState, FilingAnswer>(db, calls, { attempt: "open", mayHaveArrived: true });
  const outcome = timerOutcomeOf(ran, clock.now());
  return typeof outcome === "string"
    ? outcome
    : { ...outcome, payload: renewalPayload({ ...renewal, inquiries: renewal.inquiries + 1 }) };
}

type RenewalState = "open" | "ended";

function callsOf(
  dependencies: FileClaimDependencies,
  { inquiries, accessAt }: Renewal,
  claim: ClaimRecord,
  under: AttemptCall,
): AttemptCalls<RenewalState, FilingAnswer> {
  const { clock, insurer } = dependencies;
  return {
    nextCall: (attempt) =>
      attempt === "ended"
        ? null
        : {
            under,
            inquire: () => insurer.inquireFiling(under),
            call: () => sendFiling(dependencies, claim, under),
          },
    retryDecision: () => retryDecision(dependencies, claim),
    isNoProgress: (_attempt, { outcome }) => outcome === "portal_down",
    settle: async (tx) => {
      // Lock the timer first, then the claim: the code that records an answer uses the same sequence.
      await pollSoon(tx, claim, clock.now(), { askedAt: under.at });
      if (accessAt !== null) await writeRenewedAccess(tx, claim, accessAt);
      return "ended";
    },
    // The timer's payload counts the inquiries.
    release: async () => inquiries,
  };
}

/**
 * Decides whether to repeat access that has not arrived. Waits if the patient's data was blocked during the inquiry. If
 * the access or mandate was withdrawn and is given again, that is a new event with a separate timer.
 */
async function retryDecision(
  dependencies: Pick<FileClaimDependencies, "db" | "takesInsurerAccess">,
  claim: ClaimRecord,
): Promise<RetryDecision<RenewalState>> {
  const { db } = dependencies;
  if (await isBlocked(db, { id: claim.beneficiaryId })) return "inquire_later";
  return (await mayFollow(db, claim, dependencies)) ? "call" : { ended: "ended" };
}
