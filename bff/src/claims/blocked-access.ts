import { isBlockedLongEnough } from "../collection/collection.ts";
import { pullTrigger } from "../collection/pull-trigger.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import { blockedCountedSince } from "./claim-life.ts";
import { type ClaimRecord, writeUnfollowed } from "./claim-store.ts";
import { type NotifyClaimDependencies, notifyClaim, wasOrderNotified } from "./notify-claim.ts";

/** When blocked access was observed, and which access was refused. */
export interface BlockedObservation {
  readonly at: Date;
  /** When the patient gave the access that was refused, where that is known. */
  readonly accessAt: Date | null;
}

/**
 * Records that access to the insurer was observed to be blocked. The patient is notified at the first observation, and
 * once more for each access that they have given since and that was refused as well, because the link that they used
 * for it is spent. After 72 hours of blocked access without a break the deferred part is due only if the order's own
 * address has been told. If not, it is told now, and the next observation may make it due. `claim` is the claim before
 * this observation.
 */
export async function observeBlockedAccess(
  dependencies: NotifyClaimDependencies,
  tx: Transaction,
  claim: Pick<ClaimRecord, "id" | "providerId" | "orderId" | "beneficiaryId" | "blockedSince" | "unfollowedAt">,
  { at, accessAt }: BlockedObservation,
): Promise<void> {
  const { providerId, orderId } = claim;
  const blockedSince = blockedCountedSince(claim);
  const first = { kind: "access_blocked", since: blockedSince ?? at, refusedAccessAt: null } as const;
  if (blockedSince === null) return notifyClaim(dependencies, tx, claim, first);
  const isTold = await wasOrderNotified(tx, claim, first);
  if (!isTold) await notifyClaim(dependencies, tx, claim, first);
  if (isTold && isBlockedLongEnough(blockedSince, at)) {
    const evidence = {
      claim_id: claim.id,
      first_observed_at: blockedSince.toISOString(),
      last_observed_at: at.toISOString(),
    };
    await pullTrigger(tx, { providerId, orderId }, { reason: "access_blocked", at, evidence });
  }
  if (accessAt !== null && accessAt > blockedSince)
    await notifyClaim(dependencies, tx, claim, {
      kind: "access_blocked",
      since: blockedSince,
      refusedAccessAt: accessAt,
    });
}

/**
 * While the service may not ask, nobody can see whether access is blocked, so the time before does not count either.
 */
export async function noteUnfollowed(db: Database, claim: ClaimRecord, at: Date): Promise<void> {
  if (blockedCountedSince(claim) !== null) await writeUnfollowed(db, claim, at);
}
