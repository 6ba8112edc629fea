import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { LedgerAccount } from "./accounts.ts";

/*
 * The books as they are compared with the gateways' lists: what the rows say, rather than what our code believes.
 */

export interface Period {
  readonly providerId: string;
  readonly from: Date;
  readonly to: Date;
}

/** One row of the ledger. */
export interface BookedRow {
  readonly orderId: OrderId;
  readonly debit: LedgerAccount;
  readonly credit: LedgerAccount;
  readonly amount: Clp;
  readonly cause: string;
  readonly at: Date;
}

/** What an order says of itself beside what the ledger says of it. */
export interface OrderSums {
  readonly orderId: OrderId;
  readonly updatedAt: Date;
  /** Price less refunds if it was paid, else nothing. */
  readonly price: Clp;
  readonly bookedPrice: Clp;
  /** What cards have paid for the deferred part, commission included, less what went back of it. */
  readonly collected: Clp;
  readonly bookedCollected: Clp;
}
