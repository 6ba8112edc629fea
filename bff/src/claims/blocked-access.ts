import { isBlockedLongEnough } from "../collection/collection.ts";
import { pullTrigger } from "../collection/trigger-charge.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import { blockedCountedSince } from "./claim-life.ts";
import { type ClaimRecord, writeUnfollowed } from "./claim-store.ts";
import { type NotifyClaimDependencies, notifyClaim, wasOrderNotified } from "./notify-claim.ts";

/** An observation of blocked access, and the access that was refused. */
export interface BlockedObservation {
  readonly at: Date;
  /** When the patient gave the refused access, if known. */
  readonly accessAt: Date | null;
}

/**
 * Records an observation that access to the insurer is blocked. The patient is notified at the first observation, and
 * again for each access given since that was refused too, because the link used for it is spent.
 * After 72 hours of uninterrupted blocking the deferred part is due, but only if the order's own address was notified.
 * If it was not, it is notified now, and the next observation may make the charge due. `claim` is the claim before this
 * observation.
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
  const isReported = await wasOrderNotified(tx, claim, first);
  if (!isReported) await notifyClaim(dependencies, tx, claim, first);
  if (isReported && isBlockedLongEnough(blockedSince, at)) {
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

/** While the service may not inquire, it cannot see whether access is blocked, so that time does not count. */
export async function noteUnfollowed(db: Database, claim: ClaimRecord, at: Date): Promise<void> {
  if (blockedCountedSince(claim) !== null) await writeUnfollowed(db, claim, at);
}
