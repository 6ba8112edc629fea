import * as z from "zod/mini";
import type { Clp } from "../contract/vocabulary/clp.ts";
import type { IssuedDocument } from "../gateways/tax-documents.ts";
import type { Clock } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { orderPayload, readOrderId } from "../platform/timers/order-payload.ts";
import { runTimersNow, scheduleTimer } from "../platform/timers/timer-store.ts";
import type { Period, TaxedRow } from "./books.ts";
import type { OrderRecord } from "./order-record.ts";
import {
  insertDocument,
  selectDocumentsUnderWay,
  selectTaxedRows,
  withdrawIssued,
} from "./tax-documents/tax-document-store.ts";

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

const DOCUMENT_KEY = /^([^:]+):(?:boleta|credit_note):(\d{1,6})$/;

/**
 * Makes the provider's documents due again that the tax authority rejected after they were issued, as the issuer lists
 * them. An operator has them issued (`tax_document_missing`).
 */
export async function withdrawRejectedDocuments(
  tx: Transaction,
  providerId: string,
  listed: readonly IssuedDocument[],
): Promise<void> {
  for (const { rejected, idempotencyKey, number } of listed) {
    const [, source, tries] = DOCUMENT_KEY.exec(idempotencyKey) ?? [];
    const sourceId = z.uuid().safeParse(source).data;
    if (rejected !== true || sourceId === undefined) continue;
    await withdrawIssued(tx, { providerId, sourceId, refusals: Number(tries) - 1, issuedNumber: number });
  }
}

/** Requests a document at once, even if no timer waits for it. `key`: the key of the timer that issued it. */
export async function requestDocumentNow(
  tx: Transaction,
  { providerId, key, at }: { readonly providerId: string; readonly key: string; readonly at: Date },
): Promise<void> {
  const found = await runTimersNow(tx, { providerId, kind: ISSUE_DOCUMENT_TIMER, key }, at);
  if (found > 0) return;
  const [orderId] = key.split(":");
  const again = { kind: ISSUE_DOCUMENT_TIMER, key: `${key}:${at.toISOString()}`, providerId, dueAt: at };
  await scheduleTimer(tx, { ...again, payload: orderPayload(readOrderId({ order_id: orderId })) });
}
