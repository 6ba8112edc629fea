import type { Clp } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { LedgerAccount } from "./ledger/transfers.ts";

/*
 * Input of the daily comparison with the gateways' lists: amounts as the tables hold them, not as the code computes
 * them.
 */

export interface Period {
  readonly providerId: string;
  readonly from: Date;
  readonly to: Date;
}

export interface BookedRow {
  readonly orderId: OrderId | null;
  readonly debit: LedgerAccount;
  readonly credit: LedgerAccount;
  readonly amount: Clp;
  readonly cause: string;
  readonly at: Date;
}

/** A ledger row of a commission that needs a tax document. */
export type TaxedRow = Pick<BookedRow, "orderId" | "amount" | "cause" | "at">;

/** Amounts of one order: those from its own tables, and the `booked…` amounts from the ledger. */
export interface OrderSums {
  readonly orderId: OrderId;
  readonly updatedAt: Date;
  /** Price less refunds if the order was paid, otherwise 0. */
  readonly price: Clp;
  readonly bookedPrice: Clp;
  /** The amount that cards paid for the deferred part, commission included, less their returns. */
  readonly collected: Clp;
  readonly bookedCollected: Clp;
  /** The amount by which returns and the bank's take-backs exceed their charges, summed over all charges. */
  readonly patientExcess: Clp;
  /** The commission that was charged and not returned, and the commission due on the price less refunds. */
  readonly commissionKept: Clp;
  readonly commissionDue: Clp;
}
