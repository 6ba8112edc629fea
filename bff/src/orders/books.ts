import type { Clp } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { LedgerAccount } from "./ledger/transfers.ts";

/*
 * What the daily comparison with the gateways' lists reads: amounts as the tables hold them, not as the code computes
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

/** A row of a commission that needs a tax document. */
export type TaxedRow = Pick<BookedRow, "orderId" | "amount" | "cause" | "at">;

/** Amounts of one order according to its own tables, and the `booked…` amounts according to the ledger. */
export interface OrderSums {
  readonly orderId: OrderId;
  readonly updatedAt: Date;
  /** Price less refunds if the order was paid, otherwise 0. */
  readonly price: Clp;
  readonly bookedPrice: Clp;
  /** What cards have paid for the deferred part, commission included, less what was returned. */
  readonly collected: Clp;
  readonly bookedCollected: Clp;
  /** What the patient has back, from cards and from the bank, beyond what each charge took. */
  readonly patientExcess: Clp;
  /** The commission that was charged and not given back, and what is due on the price less refunds. */
  readonly commissionKept: Clp;
  readonly commissionDue: Clp;
}
