import type { Clp } from "../contract/vocabulary/clp.ts";
import type { Clock } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { scheduleTimer } from "../platform/timers/timer-store.ts";
import type { Period, TaxedRow } from "./books.ts";
import type { OrderRecord } from "./order-record.ts";
import { insertDocument, selectDocumentsUnderWay, selectTaxedRows } from "./tax-documents/tax-document-store.ts";
import { orderPayload } from "./timer-payload.ts";

/** Kind of the timer that has an order's tax documents issued. Its key is the order's id and the document's number. */
export const ISSUE_DOCUMENT_TIMER = "tax_document.issue";

function issueTimerKey(orderId: string, number: number): string {
  return `${orderId}:${number}`;
}

/** Records that a tax document is due for a commission, and has it issued. Interest without an issuer needs none. */
export async function oweDocument(
  tx: Transaction,
  { clock }: { readonly clock: Clock },
  order: OrderRecord,
  due: {
    readonly sourceId: string;
    readonly net: Clp;
    readonly vat: Clp;
    /** The payment whose boleta this corrects; null for a boleta. */
    readonly corrects: string | null;
    /** In the provider's time. */
    readonly at: Date;
  },
): Promise<void> {
  if (order.commissionTax.issuer === undefined) return;
  const { providerId, orderId } = order;
  const number = await insertDocument(tx, order, due);
  await scheduleTimer(tx, {
    kind: ISSUE_DOCUMENT_TIMER,
    key: issueTimerKey(orderId, number),
    providerId,
    dueAt: clock.now(),
    payload: orderPayload(orderId),
  });
}

/** The ledger rows in [from, to) of commissions that need a tax document. */
export function taxedRows(tx: Transaction, period: Period): Promise<TaxedRow[]> {
  return selectTaxedRows(tx, period);
}

/** The payments and refund movements of the provider whose tax documents may not be issued yet. */
export function documentsUnderWay(tx: Transaction, providerId: string): Promise<string[]> {
  return selectDocumentsUnderWay(tx, providerId);
}
