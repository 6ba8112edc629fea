import type { OpenedWidgetToken } from "../../checkout/open-widget-token.ts";
import {
  type AccessTerms,
  type FilingRead,
  filingView,
  isClaimOver,
  readFilingFacts,
  serviceDayOfOrder,
} from "../../claims/claim-reads.ts";
import { dueByLink, readChargeFacts } from "../../collection/upcoming-charge.ts";
import type { OrderDocument, OrderFile } from "../../contract/order-files.ts";
import type { PaymentPage } from "../../contract/payment-page.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import { publishedStatus } from "../../orders/order.ts";
import { availableDocuments, type DocumentDependencies, makeDocument } from "../../orders/order-documents.ts";
import { findOrder } from "../../orders/order-reads.ts";
import type { OrderRecord } from "../../orders/order-record.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { type Database, inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Environment } from "../../platform/provider.ts";
import { nameOfClinic } from "../../tenants/centers.ts";
import { paymentParts } from "./payment-parts.ts";

export interface ReadPaymentDependencies extends AccessTerms {
  readonly db: Database;
  readonly ids: Ids;
  readonly environment: Environment;
}

/**
 * What the patient of a payment page sees, after they have answered the code. Each reading is recorded in the audit
 * log. Throws 404 `widget_token_not_found` if the order was never paid.
 */
export async function readPayment(
  { db, ids, environment, takesInsurerAccess }: ReadPaymentDependencies,
  { token, provider, order: opened, now }: OpenedWidgetToken,
): Promise<PaymentPage> {
  if (opened === null) throw new ApiError("widget_token_not_found");
  const { providerId, orderId } = opened;
  return inTransaction(db, async (tx) => {
    const order = await findOrder(tx, { providerId, orderId });
    const charge = order === null ? null : await readChargeFacts(tx, order, isClaimOver);
    if (order === null || charge === null) throw new ApiError("widget_token_not_found");
    const filing = await readFilingFacts(tx, order, { takesInsurerAccess });
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId,
      actor: "patient",
      credentialId: null,
      act: "patient_payment.read",
      subject: { kind: "order", id: orderId },
      details: { widget_token: token.id },
      at: now,
    });
    const parts = paymentParts({ order, charge, filing }, now);
    const { upcoming } = parts.second_charge;
    const files = await availableDocuments(tx, environment, { order, upcoming, now });
    return {
      clinic: await nameOfClinic(tx, provider, order.center),
      reference: order.reference,
      consultation_day: await serviceDayOfOrder(tx, order),
      status: publishedStatus(order.state),
      total_amount: order.total,
      refunded_amount: order.refunded,
      ...parts,
      missing_step: filingView(filing).missing_step,
      actions: await actionsOf(tx, { order, filing, claim: parts.claim }, now),
      documents: files.filter((file) => file === "agreement"),
      files,
      as_of: now.toISOString(),
    };
  });
}

async function actionsOf(
  db: Database,
  { order, filing, claim }: { order: OrderRecord; filing: FilingRead; claim: PaymentPage["claim"] },
  at: Date,
): Promise<PaymentPage["actions"]> {
  const key = { providerId: order.providerId, orderId: order.orderId };
  const isAccessLacking = filingView(filing).missing_step !== null || claim?.status === "access_blocked";
  return {
    pay_early: await dueByLink(db, key, { at, purpose: "pay_early", claimEnded: isClaimOver }),
    change_card: await dueByLink(db, key, { at, purpose: "card_change", claimEnded: isClaimOver }),
    give_access: isAccessLacking && filing.patient !== null,
  };
}

/** Makes a file of the page's order. Throws 404 `order_not_found` if there is no such file. */
export async function makePaymentFile(
  printing: DocumentDependencies,
  { order, provider, now }: OpenedWidgetToken,
  { document, locale }: { readonly document: OrderDocument; readonly locale: Locale },
): Promise<OrderFile> {
  const file = order === null ? null : await makeDocument(printing, document, { provider, order, locale, now });
  if (file === null) throw new ApiError("order_not_found");
  return file;
}
