import { isBlockedLongEnough } from "../collection/collection.ts";
import { pullTrigger } from "../collection/pull-trigger.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { ClaimRecord } from "./claim-store.ts";
import { type TellClaimDependencies, tellClaim } from "./tell-claim.ts";

/**
 * Access to the insurer was observed to be blocked. The patient is told at once, when it is first observed; when it has been
 * so for 72 hours without a break, the deferred part is due. `claim` is as it was before this observation.
 */
export async function observeBlockedAccess(
  dependencies: TellClaimDependencies,
  tx: Transaction,
  claim: Pick<ClaimRecord, "id" | "providerId" | "orderId" | "beneficiaryId" | "blockedSince">,
  observedAt: Date,
): Promise<void> {
  const { providerId, orderId, blockedSince } = claim;
  if (blockedSince === null) {
    await tellClaim(dependencies, tx, claim, { kind: "access_blocked", since: observedAt });
  } else if (isBlockedLongEnough(blockedSince, observedAt)) {
    const evidence = {
      claim_id: claim.id,
      first_observed_at: blockedSince.toISOString(),
      last_observed_at: observedAt.toISOString(),
    };
    await pullTrigger(tx, { providerId, orderId }, { reason: "access_blocked", at: observedAt, evidence });
  }
}
