/**
 * The files of an order that a patient keeps: receipt, contract and calendar entry, by mail or by session.
 */

import type { FilledText } from "../contract/agreement.ts";
import {
  type CalendarFile,
  type OrderDocument,
  type OrderFile,
  orderDocumentSchema,
  type PdfFile,
} from "../contract/order-files.ts";
import type { UpcomingCharge } from "../contract/orders.ts";
import { isOrderId } from "../contract/vocabulary/identifiers.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import { accentOf } from "../notifications/mail-layout.ts";
import type { MakeDocuments } from "../notifications/notification-definition.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { type Environment, type Provider, providerNow } from "../platform/provider.ts";
import { nameOfClinic } from "../tenants/centers.ts";
import { agreedTexts, readAgreement } from "./agreement.ts";
import type { OrdersDependencies, OrderViews } from "./dependencies.ts";
import { agreementDocument } from "./documents/agreement-document.ts";
import { calendarEntry, entryDay } from "./documents/calendar-entry.ts";
import { receiptDocument } from "./documents/receipt-document.ts";
import { findOrder } from "./order-reads.ts";
import type { OrderRecord } from "./order-record.ts";
import { readAccepted } from "./payments/payment-store.ts";

export type DocumentDependencies = Pick<OrdersDependencies, "db" | "documents" | "logos" | "consultationDay"> & {
  readonly views: Pick<OrderViews, "upcomingCharge">;
};

export interface DocumentRequest {
  readonly provider: Provider;
  readonly order: OrderRecord;
  readonly locale: Locale;
  /** The provider's time. */
  readonly now: Date;
}

/** Prints the receipt of a paid order. Throws 409 `order_not_payable` if the order is not paid. */
export async function printReceipt(dependencies: DocumentDependencies, request: DocumentRequest): Promise<PdfFile> {
  const { db, documents } = dependencies;
  const { provider, locale, now } = request;
  const order = requirePaid(request.order);
  const face = await faceOf(dependencies, request);
  const { quote } = await readAccepted(db, order);
  const upcoming = await dependencies.views.upcomingCharge(order, now);
  const receipt = receiptDocument({ ...face, order, upcoming, quote, locale, madeAt: now });
  return documents.print(receipt, { providerId: provider.id });
}

/** Makes the calendar entry of the second charge. Throws 409 `order_not_payable` if the order is not paid. */
export async function makeCalendarEntry(
  dependencies: DocumentDependencies,
  request: DocumentRequest,
): Promise<CalendarFile> {
  const order = requirePaid(request.order);
  const { provider, locale, now } = request;
  const clinic = {
    name: await nameOfClinic(dependencies.db, provider, order.center),
    supportEmail: provider.supportEmail,
  };
  const upcoming = await dependencies.views.upcomingCharge(order, now);
  const consultationDay = await dependencies.consultationDay(dependencies.db, order);
  return calendarEntry({ order, clinic, consultationDay, upcoming, locale, now });
}

/** Prints the texts of an agreement, or the texts that a payment would accept now. */
export async function printAgreement(
  dependencies: DocumentDependencies,
  request: DocumentRequest & { readonly agreedAt: Date | null; readonly texts: readonly FilledText[] },
): Promise<PdfFile> {
  const { provider, order, agreedAt, texts, locale, now } = request;
  const face = await faceOf(dependencies, request);
  const document = agreementDocument({ ...face, order, agreedAt, texts, locale, madeAt: now });
  return dependencies.documents.print(document, { providerId: provider.id });
}

/** Prints the agreement that `readAgreement` returns. */
export async function printOrderAgreement(
  dependencies: DocumentDependencies & Parameters<typeof readAgreement>[0],
  request: DocumentRequest,
): Promise<PdfFile> {
  const { agreed_at: agreedAt, texts } = await readAgreement(dependencies, request);
  return printAgreement(dependencies, { ...request, agreedAt: agreedAt === null ? null : new Date(agreedAt), texts });
}

/** Makes one file of a paid order; null if the order has no such file. */
export async function makeDocument(
  dependencies: DocumentDependencies,
  document: OrderDocument,
  request: DocumentRequest,
): Promise<OrderFile | null> {
  if (document === "receipt") return printReceipt(dependencies, request);
  if (document === "calendar") return makeCalendarEntry(dependencies, request);
  return printAgreed(dependencies, request);
}

/** Prints the agreement that the patient accepted when they paid; null if none is stored. */
export async function printAgreed(
  dependencies: DocumentDependencies,
  request: DocumentRequest,
): Promise<PdfFile | null> {
  const agreed = await agreedTexts(dependencies.db, request.provider.environment, request.order);
  return agreed && printAgreement(dependencies, { ...request, agreedAt: agreed.at, texts: agreed.texts });
}

/** The files that an order has now. A calendar entry without a future date would only cancel an earlier one. */
export async function availableDocuments(
  db: Database,
  environment: Environment,
  { order, upcoming, now }: Pick<DocumentRequest, "order" | "now"> & { readonly upcoming: UpcomingCharge },
): Promise<OrderDocument[]> {
  const { paidAt } = order;
  if (paidAt === null) return [];
  const has: Readonly<Record<OrderDocument, boolean>> = {
    receipt: true,
    agreement: (await agreedTexts(db, environment, order)) !== null,
    calendar: entryDay({ order: { paidAt }, upcoming, now }) !== null,
  };
  return orderDocumentSchema.options.filter((document) => has[document]);
}

/** Returns the function that makes the attachments of mails. */
export function createMakeDocuments(
  dependencies: DocumentDependencies & {
    /** Real time. */
    readonly clock: Clock;
    readonly findProvider: (providerId: string) => Promise<Provider>;
  },
): MakeDocuments {
  const { db, clock, findProvider } = dependencies;
  return async (wanted, { providerId, orderId, locale }) => {
    const order = isOrderId(orderId) ? await findOrder(db, { providerId, orderId }) : null;
    if (order === null || order.paidAt === null) return [];
    const provider = await findProvider(providerId);
    const request = { provider, order, locale, now: providerNow(provider, clock.now()) };
    // Read once for all files of a mail.
    const day = await dependencies.consultationDay(db, order);
    const making = { ...dependencies, consultationDay: async () => day };
    const files: OrderFile[] = [];
    for (const name of wanted) {
      const file = await makeDocument(making, name, request);
      if (file !== null) files.push(file);
    }
    return files;
  };
}

function requirePaid(order: OrderRecord): OrderRecord & { readonly paidAt: Date } {
  const { paidAt } = order;
  if (paidAt === null) throw new ApiError("order_not_payable");
  return { ...order, paidAt };
}

/** The treating clinic, the letterhead of its documents, and the day of the consultation. */
async function faceOf({ db, logos, consultationDay }: DocumentDependencies, { provider, order }: DocumentRequest) {
  const { supportEmail, supportPhone, logoUrl, appearance } = provider;
  const name = await nameOfClinic(db, provider, order.center);
  const clinic = { name, rut: order.center?.rut ?? provider.rut, supportEmail, supportPhone };
  const logo = logoUrl === null ? null : await logos.read(logoUrl);
  const letterhead = { clinic: name, accent: accentOf(appearance), logo };
  return { clinic, letterhead, consultationDay: await consultationDay(db, order) };
}
