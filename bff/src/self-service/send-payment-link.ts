import { type MintSelfServiceTokenDependencies, mintSelfServiceToken } from "../checkout/mint-self-service-token.ts";
import { expiryOf } from "../checkout/widget-token.ts";
import { isClaimOver } from "../claims/claim-reads.ts";
import { dueByLink } from "../collection/due-now.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { PaymentLinkPurpose } from "../notifications/kinds/payment-link.ts";
import type { Notification } from "../notifications/notification.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../notifications/notify-patient.ts";
import { aboutOrder } from "../orders/about-order.ts";
import { findOrder } from "../orders/order-reads.ts";
import { findBeneficiary } from "../patients/patients.ts";
import { tenantOf } from "../patients/tenant.ts";
import { recordAudit } from "../platform/audit-store.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import type { Provider } from "../platform/provider.ts";

export interface SendPaymentLinkDependencies extends NotifyPatientDependencies, MintSelfServiceTokenDependencies {
  readonly db: Database;
}

export interface PaymentLinkRequest {
  readonly provider: Provider;
  /** The public key with which the page is opened. */
  readonly publicKey: string;
  readonly orderId: OrderId;
  /** The RUT of the person who asked; the order must be theirs. */
  readonly rut: string;
  readonly purpose: PaymentLinkPurpose;
  /** `operator:<name>` */
  readonly actor: string;
  /** The provider's time. */
  readonly now: Date;
}

/**
 * Sends a patient the link to pay the rest now or to change the card, at the request that they made to an operator.
 * Like the links before day 45 and after a decline, it is valid for 30 days, sent to the order's address, and protected
 * by a code. The message names the card that will be charged. Returns false and sends nothing if the order is not
 * theirs or the link would have no use.
 */
export async function sendPaymentLink(
  dependencies: SendPaymentLinkDependencies,
  { provider, publicKey, orderId, rut, purpose, actor, now }: PaymentLinkRequest,
): Promise<boolean> {
  const { db, ids } = dependencies;
  return inTransaction(db, async (tx) => {
    const order = await findOrder(tx, { providerId: provider.id, orderId });
    if (order === null || order.customer.rut !== rut) return false;
    const due = await dueByLink(
      tx,
      { providerId: provider.id, orderId },
      { at: now, purpose, claimEnded: isClaimOver },
    );
    if (due === null) return false;
    const patient = await findBeneficiary(tx, { tenant: tenantOf(provider), rut: order.customer.rut });
    const link = await mintSelfServiceToken(dependencies, tx, {
      provider,
      publicKey,
      purpose,
      beneficiaryId: patient?.id ?? null,
      rut: order.customer.rut,
      orderId,
      now,
      expiresAt: expiryOf({ expiresInMinutes: undefined, longTerm: true }, now),
    });
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: provider.id,
      actor,
      credentialId: null,
      act: "patient_link.sent",
      subject: { kind: "order", id: orderId },
      details: { purpose, widget_token: link.id },
      at: now,
    });
    const about = await aboutOrder(tx, provider, order);
    const notification: Notification = {
      kind: "payment_link",
      purpose,
      firstName: order.customer.firstName,
      clinic: about.clinic,
      amount: due.amount,
      commission: due.commission,
      cardEnding: due.card.last4,
      url: link.url,
    };
    await notifyPatient(dependencies, tx, {
      provider,
      about,
      cause: `payment_link:${link.id}`,
      to: order.customer.email,
      rut: order.customer.rut,
      orderId,
      notification,
    });
    return true;
  });
}
