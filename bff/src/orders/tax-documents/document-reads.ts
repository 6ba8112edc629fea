import type { Transaction } from "../../platform/database/transaction.ts";
import type { Period, TaxedRow } from "../ledger/books.ts";
import { selectDocumentsUnderWay, selectTaxedRows } from "./tax-document-store.ts";

/** The ledger rows in [from, to) of commissions that need a tax document. */
export function taxedRows(tx: Transaction, period: Period): Promise<TaxedRow[]> {
  return selectTaxedRows(tx, period);
}

/** The payments and refund movements of the provider of whose documents it is not known whether they are issued. */
export function documentsUnderWay(tx: Transaction, providerId: string): Promise<string[]> {
  return selectDocumentsUnderWay(tx, providerId);
}
