import {
  type MintSelfServiceTokenDependencies,
  mintSelfServiceToken,
} from "../checkout/tokens/mint-self-service-token.ts";
import { expiryOf } from "../checkout/tokens/widget-token.ts";
import type { UnapprovedBecause } from "../notifications/kinds/charge-announced.ts";
import type { NextCharge } from "../notifications/kinds/charge-declined.ts";
import type { Notification } from "../notifications/notification.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../notifications/notify-patient.ts";
import { latestDueDate } from "../orders/orders/latest-due-date.ts";
import { findOrder } from "../orders/orders/order-reads.ts";
import type { OrderRecord } from "../orders/orders/order-record.ts";
import { movedBy } from "../orders/refunds/moved-by-refund.ts";
import { findBeneficiary } from "../patients/patients.ts";
import { tenantOf } from "../patients/tenant.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { DomainEvent, EventHandlers, EventKind } from "../platform/outbox.ts";
import { type Provider, providerNow } from "../platform/provider.ts";
import { santiagoDay } from "../platform/santiago-time.ts";
import { publicCredentials, requireProvider } from "../tenants/provider-reads.ts";
import { dueNow, owedNow } from "./charge/due-now.ts";
import type { AfterDecline } from "./collection-events.ts";
import { dueOf } from "./collection-record.ts";
import { hasRevokedMandate } from "./mandate.ts";
import { orderOf } from "./triggers/start-collection.ts";

export interface AfterPaidNotificationsDependencies
  extends NotifyPatientDependencies,
    MintSelfServiceTokenDependencies {
  /** Why the claim of an order is not approved; claims know it, and stand above this room. */
  readonly unapprovedBecause: (tx: Transaction, order: OrderRecord) => Promise<UnapprovedBecause>;
}

/** Notifies patients of charges of the deferred part and of refunds. */
export function handleMoneyEvents(events: EventHandlers, dependencies: AfterPaidNotificationsDependencies): void {
  const notifyOf = <Kind extends EventKind>(kind: Kind, compose: Compose<Kind>) =>
    events.subscribe(kind, (tx, event) => notifyPatientOf(dependencies, tx, event, compose));
  notifyOf("collection.announced", announced);
  notifyOf("collection.captured", captured);
  notifyOf("collection.paid_otherwise", paidOtherwise);
  notifyOf("collection.declined", declined);
  notifyOf("collection.mandate_revoked", revoked);
  notifyOf("collection.due_without_mandate", revoked);
  notifyOf("order.refunded", refunded);
}

/** The order and patient of a notification, and the way to make a link for them. */
interface About {
  readonly tx: Transaction;
  readonly order: OrderRecord;
  readonly addressed: { readonly firstName: string; readonly clinic: string };
  readonly because: () => Promise<UnapprovedBecause>;
  readonly link: (purpose: "pay_early" | "card_change") => Promise<string | null>;
}

interface Composed {
  readonly cause: string;
  readonly notification: Notification;
}

type Compose<Kind extends EventKind> = (event: DomainEvent<Kind>, about: About) => Composed | Promise<Composed>;

async function notifyPatientOf<Kind extends EventKind>(
  dependencies: AfterPaidNotificationsDependencies,
  tx: Transaction,
  event: DomainEvent<Kind>,
  compose: Compose<Kind>,
): Promise<void> {
  const order = await findOrder(tx, orderOf(event));
  if (order === null) return;
  const provider = await requireProvider(tx, event.providerId);
  const { firstName, email, rut, phoneNumber } = order.customer;
  const { cause, notification } = await compose(event, {
    tx,
    order,
    addressed: { firstName, clinic: provider.name },
    because: () => dependencies.unapprovedBecause(tx, order),
    link: (purpose) => linkFor(dependencies, tx, { provider, order, purpose }),
  });
  await notifyPatient(dependencies, tx, {
    provider,
    cause,
    to: email,
    rut,
    telephone: phoneNumber,
    orderId: order.orderId,
    notification,
  });
}

async function announced(
  { payload }: DomainEvent<"collection.announced">,
  { tx, order, addressed, because, link }: About,
): Promise<Composed> {
  const { amount, commission, due_at } = payload;
  const due = await dueNow(tx, { providerId: order.providerId, orderId: order.orderId });
  const notification: Notification = {
    ...addressed,
    kind: "charge_announced",
    amount,
    commission,
    because: await because(),
    day: santiagoDay(new Date(due_at)),
    cardEnding: due?.card.last4 ?? "",
    payUrl: await link("pay_early"),
  };
  return { cause: `charge_announced:${order.orderId}`, notification };
}

function captured({ payload }: DomainEvent<"collection.captured">, { order, addressed }: About): Composed {
  const { attempt_id: attemptId, amount, commission } = payload;
  const cardEnding = cardEndingOf(order, attemptId);
  return {
    cause: `charged:${attemptId}`,
    notification: { ...addressed, kind: "charged", amount, commission, cardEnding },
  };
}

function paidOtherwise({ payload }: DomainEvent<"collection.paid_otherwise">, { addressed }: About): Composed {
  const { payment_id: paymentId, amount, commission } = payload;
  return {
    cause: `paid_otherwise:${paymentId}`,
    notification: { ...addressed, kind: "paid_otherwise", amount, commission },
  };
}

async function declined(
  { payload }: DomainEvent<"collection.declined">,
  { order, addressed, link }: About,
): Promise<Composed> {
  const { attempt_id: attemptId, amount, reason, limit, next, due_at } = payload;
  const notification: Notification = {
    ...addressed,
    kind: "charge_declined",
    amount,
    reason,
    limit: limit ?? null,
    cardEnding: cardEndingOf(order, attemptId),
    next: nextCharge(next, due_at),
    cardUrl: await link("card_change"),
  };
  return { cause: `charge_declined:${attemptId}`, notification };
}

async function revoked(
  { id, payload }: DomainEvent<"collection.mandate_revoked" | "collection.due_without_mandate">,
  { tx, order, addressed, link }: About,
): Promise<Composed> {
  const due = await dueNow(tx, { providerId: order.providerId, orderId: order.orderId });
  const notification: Notification = {
    ...addressed,
    kind: "mandate_revoked",
    amount: payload.amount,
    commission: payload.commission,
    cardEnding: due?.card.last4 ?? "",
    // What has become due has its reason.
    latestDay: due?.reason != null || order.paidAt === null ? null : latestDueDate(order.paidAt),
    cardUrl: await link("card_change"),
  };
  return { cause: `mandate_revoked:${id}`, notification };
}

function nextCharge(next: AfterDecline, dueAt: string | null): NextCharge {
  if (next === "given_up" || next === "paused") return { kind: next };
  return dueAt === null ? { kind: "paused" } : { kind: next, day: santiagoDay(new Date(dueAt)) };
}

async function refunded(
  { id, payload }: DomainEvent<"order.refunded">,
  { tx, order, addressed }: About,
): Promise<Composed> {
  // Without an id, the event is one of the version before, which has told one refund after the other.
  const ended = order.refunds.filter(({ status }) => status !== "processing");
  const refund = ended.find((each) => each.id === payload.refund_id) ?? ended.at(-1);
  if (refund === undefined) throw new RefundMissing("An order that was told to be refunded has no refund.");
  const { toCards, ...moved } = movedBy(order, refund);
  const notification: Notification = {
    ...addressed,
    kind: "refunded",
    ...moved,
    toCards: toCards.map(({ card, amount, commission }) => ({ cardEnding: card.last4, amount, commission })),
    laterCharge: dueOf(order),
    isCharging: owedNow(order) > dueOf(order).amount,
    isMandateRevoked: await hasRevokedMandate(tx, order),
  };
  return { cause: `refunded:${id}`, notification };
}

/** Thrown when an event contradicts the stored order: a defect. */
class RefundMissing extends Error {
  override readonly name = "RefundMissing";
  readonly code = "refund_missing";
}

function cardEndingOf(order: OrderRecord, paymentId: string): string {
  return order.payments.find(({ id }) => id === paymentId)?.card.last4 ?? "";
}

/** A link, valid for 30 days, that opens the widget for one purpose; `null` if the provider has no widget to open. */
async function linkFor(
  dependencies: AfterPaidNotificationsDependencies,
  tx: Transaction,
  about: { readonly provider: Provider; readonly order: OrderRecord; readonly purpose: "pay_early" | "card_change" },
): Promise<string | null> {
  const { provider, order, purpose } = about;
  const { clock } = dependencies;
  const credentials = await publicCredentials({ db: tx, clock }, provider.id);
  if (credentials === null) return null;
  const { rut } = order.customer;
  const patient = await findBeneficiary(tx, { tenant: tenantOf(provider), rut });
  const now = providerNow(provider, clock.now());
  const { url } = await mintSelfServiceToken(dependencies, tx, {
    provider,
    publicKey: credentials.publicKey,
    purpose,
    beneficiaryId: patient?.id ?? null,
    orderId: order.orderId,
    now,
    expiresAt: expiryOf({ expiresInMinutes: undefined, longTerm: true }, now),
  });
  return url;
}
