import { clp } from "../src/contract/vocabulary/clp.ts";
import type { OrderId } from "../src/contract/vocabulary/identifiers.ts";
import type { ClaimOutcome } from "../src/gateways/insurer.ts";
import type { ReadColumn } from "../src/platform/database/read-column.ts";
import { type Database, inTransaction } from "../src/platform/database/transaction.ts";
import { ApiError } from "../src/platform/http/api-error.ts";
import { claimAt, REJECTION_REASON, usualReimbursement } from "./insurer/claim.ts";
import { claimedOrderOfCaller, lockClaimOfOrder, setBlocked, setVerdict } from "./insurer/insurer-store.ts";

export interface ClaimSettlement {
  readonly outcome: "approve" | "reject" | "block" | "unblock";
  readonly reimbursed?: number | undefined;
  readonly reason?: string | undefined;
}

/**
 * Selects the caller's own order if a claim of it was filed, as part of the statement that admits a request. Nothing is
 * selected if the id is malformed.
 */
export function callersClaimedOrder(orderHash: OrderId | null): ReadColumn<OrderId> {
  return claimedOrderOfCaller(orderHash);
}

/** Lets the insurer decide about an order's claim at a moment. Throws 404 if the order has no filed claim. */
export async function settleClaim(
  { db }: { readonly db: Database },
  { providerId, orderHash, at }: { providerId: string; orderHash: OrderId; at: Date },
  settlement: ClaimSettlement,
): Promise<{ readonly claimId: string; readonly outcome: ClaimOutcome }> {
  return inTransaction(db, async (tx) => {
    const key = { providerId, orderHash };
    const claim = await lockClaimOfOrder(tx, key);
    if (claim === undefined) throw new ApiError("order_not_found");
    const { outcome, reimbursed, reason } = settlement;
    if (outcome === "approve") {
      const amount = reimbursed === undefined ? usualReimbursement(claim.total) : clp(reimbursed);
      await setVerdict(tx, claim.id, { kind: "approved", at, reimbursed: amount });
    }
    if (outcome === "reject") {
      await setVerdict(tx, claim.id, { kind: "rejected", at, reason: reason ?? REJECTION_REASON });
    }
    if (outcome === "block") await setBlocked(tx, claim.id, { from: at });
    if (outcome === "unblock") await setBlocked(tx, claim.id, { until: at });
    const settled = await lockClaimOfOrder(tx, key);
    if (settled === undefined) throw new ApiError("order_not_found");
    return { claimId: settled.id, outcome: claimAt(settled, at) };
  });
}
