import { type MintSelfServiceTokenDependencies, mintSelfServiceToken } from "../checkout/self-service-links.ts";
import type { ResumedBecause, UnapprovedBecause } from "../notifications/kinds/charge-announced.ts";
import type { NextCharge } from "../notifications/kinds/charge-declined.ts";
import type { Notification } from "../notifications/notification.ts";
import type { Upcoming } from "../notifications/notification-definition.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../notifications/notify-patient.ts";
import { movedBy } from "../orders/order-amounts.ts";
import { aboutOrder, findOrder, lockOrder } from "../orders/order-reads.ts";
import type { OrderRecord, PaymentRecord } from "../orders/order-record.ts";
import { latestDueDate } from "../orders/quote.ts";
import { tenantOf } from "../patients/beneficiary.ts";
import { findBeneficiary } from "../patients/patients.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { DomainEvent, EventHandlers, EventKind } from "../platform/outbox.ts";
import { type Provider, providerNow } from "../platform/provider.ts";
import { santiagoDay } from "../platform/santiago-time.ts";
import { publicCredentials, requireProvider } from "../tenants/providers.ts";
import { type CollectionRecord, cardOf, dueOf, isFirstOfDay45, type TriggerReason } from "./collection.ts";
import { readCollection, requireCollection, writeNotified } from "./collection-store.ts";
import { orderOf } from "./start-collection.ts";
import { type ClaimEnded, readUpcomingInNotification } from "./upcoming-charge.ts";

export interface MoneyNotificationsDependencies extends NotifyPatientDependencies, MintSelfServiceTokenDependencies {
  /** Why the claim of an order is not approved. A dependency, because claims are a later room. */
  readonly unapprovedBecause: (tx: Transaction, order: OrderRecord) => Promise<UnapprovedBecause>;
  readonly claimEnded: ClaimEnded;
}

/** Notifies patients of charges of the deferred part and of refunds. */
export function notifyPatientsOfMoney(events: EventHandlers, dependencies: MoneyNotificationsDependencies): void {
  const notifyOf = <Kind extends EventKind>(kind: Kind, compose: Compose<Kind>) =>
    events.subscribe(kind, (tx, event) => notifyPatientOf(dependencies, tx, event, compose));
  notifyOf("collection.announced", announced);
  notifyOf("collection.captured", captured);
  notifyOf("collection.paid_otherwise", paidOtherwise);
  notifyOf("collection.declined", declined);
  notifyOf("collection.written_off", writtenOff);
  notifyOf("collection.mandate_revoked", revoked);
  notifyOf("collection.due_without_mandate", revoked);
  notifyOf("collection.dispute_closed", disputeClosed);
  notifyOf("order.refunded", refunded);
  notifyOf("refund.transfer_made", transferred);
}

/** The order and patient of a notification, and a way to create a link for them. */
interface About {
  readonly tx: Transaction;
  readonly order: OrderRecord;
  /** The provider's time. */
  readonly at: Date;
  readonly addressed: { readonly firstName: string; readonly clinic: string };
  readonly because: () => Promise<UnapprovedBecause>;
  readonly claimEnded: ClaimEnded;
  readonly link: (purpose: "pay_early" | "card_change") => Promise<string | null>;
}

interface Composed {
  readonly cause: string;
  readonly notification: Notification;
}

/** Null if nothing is left to notify. */
type Compose<Kind extends EventKind> = (
  event: DomainEvent<Kind>,
  about: About,
) => Composed | null | Promise<Composed | null>;

async function notifyPatientOf<Kind extends EventKind>(
  dependencies: MoneyNotificationsDependencies,
  tx: Transaction,
  event: DomainEvent<Kind>,
  compose: Compose<Kind>,
): Promise<void> {
  const order = await findOrder(tx, orderOf(event));
  if (order === null) return;
  const provider = await requireProvider(tx, event.providerId);
  const { firstName, email, rut, phoneNumber } = order.customer;
  const about = await aboutOrder(tx, provider, order);
  const composed = await compose(event, {
    tx,
    order,
    at: providerNow(provider, dependencies.clock.now()),
    addressed: { firstName, clinic: about.clinic },
    because: () => dependencies.unapprovedBecause(tx, order),
    claimEnded: dependencies.claimEnded,
    link: (purpose) => linkFor(dependencies, tx, { provider, order, purpose }),
  });
  if (composed === null) return;
  await notifyPatient(dependencies, tx, {
    provider,
    about,
    cause: composed.cause,
    to: email,
    rut,
    telephone: phoneNumber,
    orderId: order.orderId,
    notification: composed.notification,
  });
}

/** Sends nothing if the charge was announced again since, or its day has come: another announcement follows. */
async function announced(
  { payload }: DomainEvent<"collection.announced">,
  { tx, order, at, addressed, because, claimEnded, link }: About,
): Promise<Composed | null> {
  const { amount, commission, due_at } = payload;
  const chargeAt = new Date(due_at);
  const collection = await notifyAnnouncement(tx, order, { chargeAt, at });
  if (collection === null) return null;
  const { trigger } = collection;
  const day = santiagoDay(chargeAt);
  const isOver = santiagoDay(at) > latestDueDate(collection.paidAt);
  const notification: Notification = {
    ...addressed,
    kind: "charge_announced",
    amount,
    commission,
    because: isFirstOfDay45(collection) && !isOver ? await because() : RESUMED[trigger?.reason ?? "day_45"],
    mayComeEarlier: trigger === null && !(await claimEnded(tx, order)),
    day,
    isOverdue: day > latestDueDate(collection.paidAt),
    cardEnding: cardOf(collection, order).last4,
    payUrl: await link("pay_early"),
  };
  return { cause: `charge_announced:${order.orderId}:${chargeAt.getTime()}`, notification };
}

const RESUMED: Readonly<Record<TriggerReason, ResumedBecause>> = {
  approved: "approved",
  access_blocked: "access_was_blocked",
  day_45: "latest_day_over",
  paid_early: "latest_day_over",
};

/**
 * Records that the patient is notified of the charge at `chargeAt` in this transaction. Returns its collection, locked;
 * null if this charge is not the announced one, or its day has come. Charges announced by an earlier version have no
 * record.
 */
async function notifyAnnouncement(
  tx: Transaction,
  { providerId, orderId }: OrderRecord,
  { chargeAt, at }: { readonly chargeAt: Date; readonly at: Date },
): Promise<CollectionRecord | null> {
  const key = { providerId, orderId };
  await lockOrder(tx, key);
  const collection = await requireCollection(tx, key);
  const { announcement } = collection;
  if (announcement?.chargeAt.getTime() !== chargeAt.getTime()) return null;
  if (announcement.by === null) return collection;
  if (santiagoDay(at) >= santiagoDay(chargeAt)) return null;
  await writeNotified(tx, key, { chargeAt, at });
  return collection;
}

function captured({ createdAt, payload }: DomainEvent<"collection.captured">, { order, addressed }: About): Composed {
  const { attempt_id: attemptId, amount, commission } = payload;
  const notification: Notification = {
    ...addressed,
    kind: "charged",
    amount,
    commission,
    day: santiagoDay(createdAt),
    cardEnding: cardEndingOf(order, attemptId),
    authorisationCode: paymentOf(order, attemptId)?.voucher.authorisationCode ?? null,
  };
  return { cause: `charged:${attemptId}`, notification };
}

function paidOtherwise(
  { createdAt, payload }: DomainEvent<"collection.paid_otherwise">,
  { addressed }: About,
): Composed {
  const { payment_id: paymentId, amount, commission } = payload;
  const day = santiagoDay(createdAt);
  return {
    cause: `paid_otherwise:${paymentId}`,
    notification: { ...addressed, kind: "paid_otherwise", amount, commission, day },
  };
}

/** Nothing is announced if nothing was due. */
function writtenOff({ payload }: DomainEvent<"collection.written_off">, { order, addressed }: About): Composed | null {
  const { amount } = payload;
  if (amount === 0) return null;
  return { cause: `written_off:${order.orderId}`, notification: { ...addressed, kind: "written_off", amount } };
}

async function declined(
  { createdAt, payload }: DomainEvent<"collection.declined">,
  { tx, order, at, addressed, link }: About,
): Promise<Composed> {
  const { attempt_id: attemptId, amount, reason, limit } = payload;
  const notification: Notification = {
    ...addressed,
    kind: "charge_declined",
    amount,
    day: santiagoDay(createdAt),
    reason,
    limit: limit ?? null,
    cardEnding: cardEndingOf(order, attemptId),
    next: await nextCharge(tx, order, { payload, at }),
    cardUrl: await link("card_change"),
  };
  return { cause: `charge_declined:${attemptId}`, notification };
}

async function revoked(
  { id, payload }: DomainEvent<"collection.mandate_revoked" | "collection.due_without_mandate">,
  { tx, order, at, addressed, claimEnded, link }: About,
): Promise<Composed | null> {
  const collection = await readCollection(tx, order);
  if (collection === null) return null;
  const isDue = collection.trigger !== null;
  const { kind } = await upcomingNow(tx, order, { at, claimEnded });
  const isOnHold = kind === "on_hold" || kind === "owed_on_hold";
  const notification: Notification = {
    ...addressed,
    kind: "mandate_revoked",
    amount: payload.amount,
    commission: payload.commission,
    cardEnding: cardOf(collection, order).last4,
    isRefundFailed: "is_refund_failed" in payload && payload.is_refund_failed === true,
    isOnHold,
    latestDay: isDue || isOnHold ? null : latestDueDate(collection.paidAt),
    mayComeEarlier: !isDue && !(await claimEnded(tx, order)),
    cardUrl: isOnHold ? null : await link("card_change"),
  };
  return { cause: `mandate_revoked:${id}`, notification };
}

async function disputeClosed(
  { id, payload }: DomainEvent<"collection.dispute_closed">,
  { tx, order, at, addressed, claimEnded }: About,
): Promise<Composed | null> {
  const { amount, outcome } = payload;
  // The mail about the refund has both.
  if (payload.is_refunded === true) return null;
  const upcoming = await upcomingNow(tx, order, { at, claimEnded });
  return {
    cause: `dispute_closed:${id}`,
    notification: { ...addressed, kind: "dispute_closed", amount, outcome, upcoming },
  };
}

/** The next charge in a notification. The mail about a decline announces the next try. */
async function nextCharge(
  tx: Transaction,
  order: OrderRecord,
  { payload: { next, due_at: dueAt }, at }: { readonly payload: Ahead; readonly at: Date },
): Promise<NextCharge> {
  if (next === "given_up" || next === "paused" || dueAt === null)
    return { kind: next === "given_up" ? next : "paused" };
  const chargeAt = new Date(dueAt);
  const day = santiagoDay(chargeAt);
  if (next === "as_before") return { kind: next, day };
  const announced = await notifyAnnouncement(tx, order, { chargeAt, at });
  return announced === null
    ? { kind: "paused" }
    : { kind: next, day, amount: announced.announcement?.amount ?? dueOf(order).amount };
}

type Ahead = Pick<DomainEvent<"collection.declined">["payload"], "next" | "due_at">;

async function refunded(
  { id, payload }: DomainEvent<"order.refunded">,
  { tx, order, at, addressed, claimEnded }: About,
): Promise<Composed> {
  // An event without an id is of an earlier version, which reported refunds one after another.
  const ended = order.refunds.filter(({ status }) => status !== "processing");
  const refund = ended.find((each) => each.id === payload.refund_id) ?? ended.at(-1);
  if (refund === undefined) throw new RefundMissing("An order reported as refunded has no refund.");
  const { toCards, ...moved } = movedBy(order, refund);
  const notification: Notification = {
    ...addressed,
    kind: "refunded",
    ...moved,
    toCards: toCards.map(({ card, amount, commission }) => ({ cardEnding: card.last4, amount, commission })),
    upcoming: await upcomingNow(tx, order, { at, claimEnded }),
  };
  return { cause: `refunded:${id}`, notification };
}

function transferred({ createdAt, payload }: DomainEvent<"refund.transfer_made">, { addressed }: About): Composed {
  const { movement_id: movementId, amount } = payload;
  return {
    cause: `refund_transferred:${movementId}`,
    notification: { ...addressed, kind: "refund_transferred", amount, day: santiagoDay(createdAt) },
  };
}

async function upcomingNow(
  tx: Transaction,
  order: OrderRecord,
  when: { readonly at: Date; readonly claimEnded: ClaimEnded },
): Promise<Upcoming> {
  return (await readUpcomingInNotification(tx, order, when)) ?? { kind: "none" };
}

/** Thrown when an event contradicts the stored order: a defect. */
class RefundMissing extends Error {
  override readonly name = "RefundMissing";
  readonly code = "refund_missing";
}

function paymentOf({ payments }: OrderRecord, paymentId: string): PaymentRecord | undefined {
  return payments.find(({ id }) => id === paymentId);
}

function cardEndingOf(order: OrderRecord, paymentId: string): string {
  return paymentOf(order, paymentId)?.card.last4 ?? "";
}

/** A link, valid for 30 days, that opens the widget for one purpose; `null` if the provider has no widget to open. */
async function linkFor(
  dependencies: MoneyNotificationsDependencies,
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
    rut,
    orderId: order.orderId,
    now,
  });
  return url;
}
