import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { OrderKey } from "../order-store.ts";
import { writeDispute } from "./charge-dispute-store.ts";

/** What the patient's bank has taken back of one charge, all chargebacks that were not won together. */
export interface DisputedCharge {
  readonly chargeId: string;
  readonly disputed: Clp;
  /** The part that an operator has marked as lost. */
  readonly lost: Clp;
}

/**
 * Records on an order's charges what the bank has taken back, so that refunds pass over it or take it into account. The
 * sums are absolute: the same again changes nothing. The caller has locked the order.
 */
export async function recordDisputes(
  tx: Transaction,
  key: OrderKey,
  charges: readonly DisputedCharge[],
  at: Date,
): Promise<void> {
  for (const charge of charges) await writeDispute(tx, key, charge, at);
}
