import { type MintSelfServiceTokenDependencies, mintSelfServiceToken } from "../checkout/self-service-links.ts";
import { isClaimOver } from "../claims/claim-reads.ts";
import { linkToGiveAccess } from "../claims/notify-claim.ts";
import { dueByLink, readUpcomingInNotification } from "../collection/upcoming-charge.ts";
import { DATA_LINK_HOURS } from "../contract/terms.ts";
import { HOUR_MS } from "../contract/vocabulary/durations.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import type { PaymentLinkPurpose } from "../notifications/kinds/payment-link.ts";
import type { Notification } from "../notifications/notification.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../notifications/notify-patient.ts";
import { aboutOrder, findOrder } from "../orders/order-reads.ts";
import { tenantOf } from "../patients/beneficiary.ts";
import { lockMailboxOf } from "../patients/operations.ts";
import { findBeneficiary } from "../patients/patients.ts";
import { recordAudit } from "../platform/audit-store.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import { type Provider, providerNow } from "../platform/provider.ts";
import { publicCredentials } from "../tenants/providers.ts";
import { insertDataLink, readSentLinks } from "./my-data/erasure-store.ts";
import { LINKS_COUNTED_MS, maySendLink } from "./my-data/rights.ts";

export const LINK_PURPOSES = ["my_data", "insurer_access", "pay_early", "card_change"] as const;

export type LinkPurpose = (typeof LINK_PURPOSES)[number];

/** Whether a link is about one order, and not about its patient. */
export function isOfAnOrder(purpose: LinkPurpose): purpose is "pay_early" | "card_change" {
  return purpose === "pay_early" || purpose === "card_change";
}

export type SendLinkDependencies = SendAccessLinkDependencies & SendPaymentLinkDependencies & SendDataLinkDependencies;

export interface LinkRequest {
  readonly provider: Provider;
  readonly rut: Rut;
  readonly purpose: LinkPurpose;
  /** For a link about an order. */
  readonly orderId: OrderId | null;
  /** `operator:<name>` */
  readonly actor: string;
}

/**
 * Sends a patient the link that they requested from an operator, with an audit row. Returns false and sends nothing if
 * the link would have no use, or the provider has no public key.
 */
export async function sendLink(
  dependencies: SendLinkDependencies,
  { provider, rut, purpose, orderId, actor }: LinkRequest,
): Promise<boolean> {
  const credentials = await publicCredentials(dependencies, provider.id);
  if (credentials === null) return false;
  const { publicKey } = credentials;
  const now = providerNow(provider, dependencies.clock.now());
  if (purpose === "insurer_access") return sendAccessLink(dependencies, { provider, rut, actor, now });
  if (purpose === "my_data") return sendDataLink(dependencies, { provider, publicKey, rut, actor, now });
  if (orderId === null) return false;
  return sendPaymentLink(dependencies, { provider, publicKey, orderId, rut, purpose, actor, now });
}

interface SendPaymentLinkDependencies extends NotifyPatientDependencies, MintSelfServiceTokenDependencies {
  readonly db: Database;
}

interface PaymentLinkRequest {
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
 * by a code. The message names the card to charge, unless that card is never charged again. Returns false and sends
 * nothing if the order is not theirs or the link would have no use.
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
    const upcoming = await readUpcomingInNotification(tx, order, { at: now, claimEnded: isClaimOver });
    const isNeverCharged = upcoming?.kind === "card_needed" || upcoming?.kind === "owed_on_hold";
    const notification: Notification = {
      kind: "payment_link",
      purpose,
      firstName: order.customer.firstName,
      clinic: about.clinic,
      amount: due.amount,
      commission: due.commission,
      cardEnding: purpose === "card_change" && isNeverCharged ? null : due.card.last4,
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

export interface SendDataLinkDependencies extends NotifyPatientDependencies, MintSelfServiceTokenDependencies {
  readonly db: Database;
}

export interface DataLinkRequest {
  readonly provider: Provider;
  /** The public key with which the page is opened. */
  readonly publicKey: string;
  readonly rut: Rut;
  /** `patient`, or `operator:<name>`. */
  readonly actor: string;
  /** The provider's time. */
  readonly now: Date;
}

/**
 * Sends a patient the link to their own data, to the registered address and only a few times a day. Returns whether a
 * link was sent. Show that to operators only, because it reveals who is registered.
 */
export async function sendDataLink(
  dependencies: SendDataLinkDependencies,
  { provider, publicKey, rut, actor, now }: DataLinkRequest,
): Promise<boolean> {
  const { db, ids } = dependencies;
  const patient = await findBeneficiary(db, { tenant: tenantOf(provider), rut });
  if (patient === null) return false;
  return inTransaction(db, async (tx) => {
    const ofMailbox = await lockMailboxOf(tx, patient.userId);
    if (ofMailbox === null) return false;
    const sent = await readSentLinks(tx, ofMailbox, new Date(now.getTime() - LINKS_COUNTED_MS));
    const times = sent.map(({ beneficiaryId, sentAt }) => ({ at: sentAt, isTheirs: beneficiaryId === patient.id }));
    if (!maySendLink(times, now)) return false;
    await insertDataLink(tx, { beneficiaryId: patient.id, sentAt: now });
    const link = await mintSelfServiceToken(dependencies, tx, {
      provider,
      publicKey,
      purpose: "my_data",
      beneficiaryId: patient.id,
      rut: patient.rut,
      now,
      expiresAt: new Date(now.getTime() + DATA_LINK_HOURS * HOUR_MS),
    });
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: provider.id,
      actor,
      credentialId: null,
      act: "patient_data.link_sent",
      subject: { kind: "beneficiary", id: patient.id },
      details: { widget_token: link.id },
      at: now,
    });
    await notifyPatient(dependencies, tx, {
      provider,
      cause: `data_link:${link.id}`,
      to: patient.email,
      rut: patient.rut,
      beneficiaryId: patient.id,
      notification: { kind: "data_link", dataUrl: link.url },
      usefulForMs: DATA_LINK_HOURS * HOUR_MS,
    });
    return true;
  });
}

interface SendAccessLinkDependencies extends NotifyPatientDependencies, MintSelfServiceTokenDependencies {
  readonly db: Database;
}

/**
 * Sends a patient the link to add access to their insurer, at the request that they made to an operator. It goes to the
 * registered address, is valid for 30 days, and is protected by a code. Returns false and sends nothing if the RUT is
 * not registered, or the provider has no widget. `now` is in the provider's time.
 */
async function sendAccessLink(
  dependencies: SendAccessLinkDependencies,
  {
    provider,
    rut,
    actor,
    now,
  }: {
    readonly provider: Provider;
    readonly rut: Rut;
    /** `operator:<name>` */
    readonly actor: string;
    readonly now: Date;
  },
): Promise<boolean> {
  const { db, ids } = dependencies;
  return inTransaction(db, async (tx) => {
    const patient = await findBeneficiary(tx, { tenant: tenantOf(provider), rut });
    if (patient === null) return false;
    const claimant = { providerId: provider.id, beneficiaryId: patient.id, rut };
    const link = await linkToGiveAccess(dependencies, tx, claimant);
    if (link === null) return false;
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: provider.id,
      actor,
      credentialId: null,
      act: "patient_link.sent",
      subject: { kind: "beneficiary", id: patient.id },
      details: { purpose: "insurer_access", widget_token: link.id },
      at: now,
    });
    await notifyPatient(dependencies, tx, {
      provider,
      cause: `access_link:${link.id}`,
      to: patient.email,
      rut: patient.rut,
      beneficiaryId: patient.id,
      notification: {
        kind: "access_link",
        firstName: patient.firstName,
        clinic: provider.name,
        accessUrl: link.url,
      },
    });
    return true;
  });
}
