import type { Due } from "../contract/self-service-links.ts";
import { addClp, type Clp } from "../contract/vocabulary/clp.ts";
import { findOrder } from "../orders/order-reads.ts";
import { collectableRest, type OrderRecord } from "../orders/order-record.ts";
import { paymentMethod } from "../orders/order-view.ts";
import type { Database } from "../platform/database/transaction.ts";
import { requestedCharge } from "./charge/dunning.ts";
import { isChargeable } from "./charge/read-early-payment.ts";
import { type CollectionKey, cardOf, dueOf, dunningFacts, hasEnded, publishedCollection } from "./collection.ts";
import {
  type ChargeFacts,
  type ClaimEnded,
  readChargeFacts,
  upcomingCharge,
  upcomingWithGivenCard,
} from "./upcoming-charge.ts";

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
