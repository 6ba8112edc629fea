/* The next charge of an order: amount, time and reason. Every text about an upcoming charge is based on it. */

import type { Order, UpcomingCharge } from "../contract/orders.ts";
import type { Due } from "../contract/self-service-links.ts";
import { addClp, type Clp, ZERO } from "../contract/vocabulary/clp.ts";
import { type Upcoming, upcomingOf } from "../notifications/notification-definition.ts";
import { findOrder, type OrderInStatement, readForOrder } from "../orders/order-reads.ts";
import { collectableRest, type OrderRecord } from "../orders/order-record.ts";
import { paymentMethod } from "../orders/order-view.ts";
import { latestDueDate } from "../orders/quote.ts";
import { namedLaterChargeWithdrawal } from "../patients/consents.ts";
import { columnsTogether, type PresentColumn } from "../platform/database/read-column.ts";
import type { Database } from "../platform/database/transaction.ts";
import { type CalendarDay, santiagoDay } from "../platform/santiago-time.ts";
import { chargeOfGivenCard, nextCharge } from "./charge/collection-status.ts";
import { isNeverTriedAgain, requestedCharge } from "./charge/dunning.ts";
import { isChargeable } from "./charge/read-early-payment.ts";
import { hasOpenChargeback } from "./chargeback-store.ts";
import {
  type CollectionKey,
  type CollectionRecord,
  cardOf,
  dueOf,
  dunningFacts,
  hasEnded,
  isOver,
  publishedCollection,
} from "./collection.ts";
import { collectionColumn, readCollection } from "./collection-store.ts";
import { isPatientBlocked } from "./trigger-charge.ts";

export interface ChargeFacts {
  readonly collection: CollectionRecord;
  readonly order: OrderRecord;
  /** A chargeback waits for an operator. */
  readonly isDisputed: boolean;
  /** The patient's data is blocked. */
  readonly isBlocked: boolean;
  /** The claim is neither approved nor blocked any more, so only the latest day makes the charge due. */
  readonly isClaimEnded: boolean;
}

/** Whether the claim of an order has ended. A dependency, because claims are a later room. */
export type ClaimEnded = (db: Database, order: OrderRecord) => Promise<boolean>;

/** Decides what will be charged according to the facts at `at`, in the provider's time. */
export function upcomingCharge(facts: ChargeFacts, at: Date): UpcomingCharge {
  const { collection, order, isDisputed, isBlocked, isClaimEnded } = facts;
  const reason = collection.trigger?.reason ?? null;
  if (hasEnded(collection) || isOver(order)) return { ...NONE, reason };
  const inFlight = inFlightOf(order);
  if (inFlight !== null) return { status: "in_flight", ...inFlight, day: null, reason };
  const due = { ...dueOf(order), day: null, reason };
  if (isDisputed) return { status: "on_hold", ...due };
  if (isNeverTriedAgain(dunningFacts(collection, cardOf(collection, order)))) return { status: "card_needed", ...due };
  if (due.amount === 0 || isBlocked || collection.state !== "scheduled") return { status: "on_hold", ...due };
  if (reason === null) return byLatestDay({ order, paidAt: collection.paidAt, isClaimEnded }, at);
  const next = nextCharge({ collection, order, isBlocked, at });
  return next.outcome === "charge" ? { ...due, ...chargedAt(next.at, at) } : { status: "on_hold", ...due };
}

/** The charge and its time if the patient gave another card at `at`. */
export function upcomingWithGivenCard(facts: ChargeFacts, at: Date): UpcomingCharge {
  const { collection, order, isDisputed, isBlocked, isClaimEnded } = facts;
  const upcoming = upcomingCharge(facts, at);
  if (upcoming.status === "none" || upcoming.status === "in_flight" || isDisputed) return upcoming;
  const due = { ...dueOf(order), day: null, reason: upcoming.reason };
  if (due.amount === 0 || isBlocked) return { status: "on_hold", ...due };
  if (upcoming.reason === null) return byLatestDay({ order, paidAt: collection.paidAt, isClaimEnded }, at);
  const { declined } = dunningFacts(collection, cardOf(collection, order));
  const given = { declined, cardId: NEW_CARD, givenAt: at, isRevoked: false, seriesFrom: at };
  const chargeAt = chargeOfGivenCard(given, { collection, order, isBlocked, at });
  return chargeAt === null ? { status: "on_hold", ...due } : { ...due, ...chargedAt(chargeAt, at) };
}

/** Placeholder for a card that the processor does not know yet. */
const NEW_CARD = "";

const NONE = { status: "none", amount: ZERO, commission: ZERO, day: null } as const;

function chargedAt(chargeAt: Date, at: Date): { readonly status: "due_now" | "on_day"; readonly day: CalendarDay } {
  return { status: chargeAt <= at ? "due_now" : "on_day", day: santiagoDay(chargeAt) };
}

/** Once that day is over, the charge is announced again. */
function byLatestDay(
  { order, paidAt, isClaimEnded }: Pick<ChargeFacts, "order" | "isClaimEnded"> & { readonly paidAt: Date },
  at: Date,
): UpcomingCharge {
  const day = latestDueDate(paidAt);
  const due = { ...dueOf(order), reason: null };
  if (santiagoDay(at) > day) return { status: "on_hold", ...due, day: null };
  return { status: isClaimEnded ? "on_day" : "by_day", ...due, day };
}

/** The charge of the deferred part with an unknown outcome. */
function inFlightOf({ payments }: OrderRecord): { readonly amount: Clp; readonly commission: Clp } | null {
  const payment = payments.find(({ kind, status }) => kind === "deferred" && status === "processing");
  return payment === undefined ? null : { amount: payment.amount, commission: payment.commission };
}

/** The collection of a paid order, and whether its patient has withdrawn the consent to the later charge. */
export interface LaterCharge {
  readonly collection: CollectionRecord | null;
  readonly isWithdrawn: boolean;
}

/** The later charge of an order as a column of a statement. */
export function laterChargeColumn(order: OrderInStatement): PresentColumn<LaterCharge> {
  return columnsTogether({ collection: collectionColumn(order), isWithdrawn: namedLaterChargeWithdrawal(order) });
}

export function readLaterCharge(db: Database, order: OrderRecord): Promise<LaterCharge> {
  return readForOrder(db, order, laterChargeColumn);
}

/** The facts about a paid order's collection; null until the collection has started. */
export async function readChargeFacts(
  db: Database,
  order: OrderRecord,
  claimEnded: ClaimEnded,
): Promise<ChargeFacts | null> {
  const collection = await readCollection(db, order);
  return collection === null ? null : chargeFactsOf(db, order, { collection, claimEnded });
}

async function chargeFactsOf(
  db: Database,
  order: OrderRecord,
  { collection, claimEnded }: { readonly collection: CollectionRecord; readonly claimEnded: ClaimEnded },
): Promise<ChargeFacts> {
  return {
    collection,
    order,
    isDisputed: await hasOpenChargeback(db, collection),
    isBlocked: await isPatientBlocked(db, order),
    isClaimEnded: collection.trigger === null && (await claimEnded(db, order)),
  };
}

/** The next charge of an order; null before it is paid. */
export async function readUpcomingCharge(
  db: Database,
  order: OrderRecord,
  { at, claimEnded }: { readonly at: Date; readonly claimEnded: ClaimEnded },
): Promise<UpcomingCharge | null> {
  const later = await readLaterCharge(db, order);
  return upcomingChargeOf(db, order, { ...later, claimEnded }, at);
}

/**
 * The next charge of an order in a notification; null before it is paid. If a chargeback, a refund of the
 * rest or blocked data holds the charge and the card is never charged again, the kind is `owed_on_hold`.
 */
export async function readUpcomingInNotification(
  db: Database,
  order: OrderRecord,
  { at, claimEnded }: { readonly at: Date; readonly claimEnded: ClaimEnded },
): Promise<Upcoming | null> {
  const later = await readLaterCharge(db, order);
  const charge = await upcomingChargeOf(db, order, { ...later, claimEnded }, at);
  if (charge === null) return null;
  const upcoming = upcomingOf(charge);
  if (upcoming.kind === "card_needed" && (upcoming.amount === 0 || (await isPatientBlocked(db, order))))
    return { ...upcoming, kind: "owed_on_hold" };
  const { collection } = later;
  if (upcoming.kind !== "on_hold" || collection === null) return upcoming;
  const isNeverCharged = isNeverTriedAgain(dunningFacts(collection, cardOf(collection, order)));
  return isNeverCharged ? { ...upcoming, kind: "owed_on_hold" } : upcoming;
}

/** The next charge of an order whose later charge is loaded; null before it is paid. */
export async function upcomingChargeOf(
  db: Database,
  order: OrderRecord,
  { collection, isWithdrawn, claimEnded }: LaterCharge & { readonly claimEnded: ClaimEnded },
  at: Date,
): Promise<UpcomingCharge | null> {
  if (collection !== null) return upcomingCharge(await chargeFactsOf(db, order, { collection, claimEnded }), at);
  if (order.paidAt === null) return null;
  // The event of the payment starts the collection, and may be handled later.
  if (isOver(order)) return { ...NONE, reason: null };
  return isWithdrawn
    ? { status: "card_needed", ...dueOf(order), day: null, reason: null }
    : byLatestDay({ order, paidAt: order.paidAt, isClaimEnded: await claimEnded(db, order) }, at);
}

/**
 * The collection as an order shows it; null before the order is paid. If a refund has left nothing to charge, it shows
 * as cancelled even before the refund's event cancels it.
 */
export async function collectionOf(db: Database, order: OrderRecord): Promise<Order["collection"]> {
  const { providerId, orderId } = order;
  return collectionView(await readCollection(db, { providerId, orderId }), order);
}

/** A loaded collection, as `collectionOf` shows it. */
export function collectionView(collection: CollectionRecord | null, order: OrderRecord): Order["collection"] {
  if (collection === null) return null;
  const isCancelled = collection.state !== "collected" && isOver(order);
  return publishedCollection(isCancelled ? { ...collection, state: "cancelled", dueAt: null } : collection);
}

/** How a link affects the upcoming charge. */
export type LinkPurpose = "pay_early" | "card_change";

/**
 * The amount that a charge of the deferred part would take now, from which card, and the next charge; null if the order
 * was never paid. `at` is in the provider's time. With the purpose `card_change`, also the next charge after a card
 * change.
 */
export async function dueNow(
  db: Database,
  key: CollectionKey,
  {
    at,
    purpose = null,
    claimEnded,
  }: { readonly at: Date; readonly purpose?: LinkPurpose | null; readonly claimEnded: ClaimEnded },
): Promise<Due | null> {
  const order = await findOrder(db, { providerId: key.providerId, orderId: key.orderId });
  const facts = order === null ? null : await readChargeFacts(db, order, claimEnded);
  return facts === null ? null : dueOfFacts(facts, { at, purpose });
}

function dueOfFacts(
  facts: ChargeFacts,
  { at, purpose }: { readonly at: Date; readonly purpose: LinkPurpose | null },
): Due {
  const { collection, order } = facts;
  const { status, due_at, reason } = publishedCollection(collection);
  const card = paymentMethod(cardOf(collection, order));
  const upcoming = upcomingCharge(facts, at);
  const withGivenCard = purpose === "card_change" && { upcoming_with_given_card: upcomingWithGivenCard(facts, at) };
  return { status, ...dueOf(order), due_at, reason, card, upcoming, ...withGivenCard };
}

/**
 * The charge that a link to pay early or to change the card would affect. Null if the link would have no effect, for
 * example because nothing is left to charge.
 */
export async function dueByLink(
  db: Database,
  key: CollectionKey,
  { at, purpose, claimEnded }: { readonly at: Date; readonly purpose: LinkPurpose; readonly claimEnded: ClaimEnded },
): Promise<Due | null> {
  const order = await findOrder(db, { providerId: key.providerId, orderId: key.orderId });
  const facts = order === null ? null : await readChargeFacts(db, order, claimEnded);
  if (facts === null || hasEnded(facts.collection) || collectableRest(facts.order) === 0) return null;
  if (purpose === "pay_early" && !(await wouldCharge(db, facts, at))) return null;
  return dueOfFacts(facts, { at, purpose });
}

/** Whether paying early would charge the card. A card with a hard decline is never charged again. */
async function wouldCharge(db: Database, { collection, order }: ChargeFacts, at: Date): Promise<boolean> {
  const requested = requestedCharge(dunningFacts(collection, cardOf(collection, order)), at);
  return requested.outcome !== "hard_decline" && (await isChargeable(db, collection, order));
}

/**
 * The amount still to be charged of an order, commission included; 0 before it is paid and after a write-off. A charge
 * in progress counts as owed until it is captured, because it may be declined and retried.
 */
export function owedNow(order: OrderRecord): Clp {
  const { amount } = dueOf(order);
  const underWay = order.payments.find(({ kind, status }) => kind === "deferred" && status === "processing");
  return underWay === undefined ? amount : addClp(amount, underWay.amount);
}
