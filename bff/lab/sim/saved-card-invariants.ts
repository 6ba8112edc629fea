import type { Facts } from "./facts.ts";
import { SKEW_MAX_MS } from "./life-plan.ts";

/* Rules about cards that patients save, judged by the patients' requests and the processor's own lists. */

/** No card is saved without its patient's request, and no patient pays with another's saved card. */
export function noSavedCardWithoutAWish(facts: Facts): string[] {
  const { sandbox_kept_cards, asked_to_keep } = facts;
  const wrong: string[] = [];
  for (const kept of sandbox_kept_cards) {
    const orderOfCard = cardOf(facts, kept.card_id)?.order_hash;
    if (orderOfCard === undefined || !asked_to_keep.includes(orderOfCard))
      wrong.push(`the processor keeps the card of order ${orderOfCard}, whose patient has not asked for it`);
  }
  for (const { order_hash, keptCard } of paymentsWithSavedCards(facts)) {
    const saver = rutOf(facts, cardOf(facts, keptCard.card_id)?.order_hash);
    const payer = rutOf(facts, order_hash);
    // An erased patient's unpaid order contains no personal data.
    if (saver !== payer && saver !== "" && payer !== "")
      wrong.push(`order ${order_hash} of ${payer} was paid with a card that ${saver} has saved`);
  }
  return wrong;
}

/** Once a card's removal was confirmed, no later payment uses that card. */
export function noPaymentWithARemovedCard(facts: Facts): string[] {
  return paymentsWithSavedCards(facts).flatMap(({ order_hash, idempotency_key, keptCard }) => {
    const removal = facts.removed_cards.find(({ storedCardId }) => storedCardId === keptCard.id);
    const attempt = facts.payment_attempts.find(({ id }) => idempotency_key.includes(id));
    if (removal === undefined || attempt === undefined) return [];
    const isLater = Date.parse(attempt.started_at) > removal.at.getTime() + SKEW_MAX_MS;
    return isLater ? [`order ${order_hash} was paid with a card that its patient had removed`] : [];
  });
}

/** At rest, the processor keeps each saved card once, and nothing else. */
export function theProcessorKeepsWhatIsSaved({ saved_cards, sandbox_kept_cards }: Facts): string[] {
  const open = saved_cards.filter(({ state }) => state === "saving" || state === "removing");
  const saved = saved_cards.filter(({ state }) => state === "saved").map(({ stored_card_id }) => stored_card_id);
  const kept = sandbox_kept_cards.filter(({ forgotten_at }) => forgotten_at === null).map(({ id }) => id);
  return [
    ...open.map(({ id, state }) => `the saved card ${id} is still ${state}`),
    ...kept.filter((id) => !saved.includes(id)).map((id) => `the processor keeps ${id}, which nobody has saved`),
    ...saved.filter((id) => id === null || !kept.includes(id)).map((id) => `the processor does not keep ${id}`),
  ];
}

/** The first payments that the processor took from cards that it had registered from saved ones. */
function paymentsWithSavedCards(facts: Facts) {
  return facts.sandbox_movements.flatMap(({ kind, card_id, order_hash, idempotency_key }) => {
    const from = kind === "charge" ? cardOf(facts, card_id)?.stored_card_id : null;
    const keptCard = facts.sandbox_kept_cards.find(({ id }) => id === from);
    return keptCard === undefined || idempotency_key.includes(":collection")
      ? []
      : [{ order_hash, idempotency_key, keptCard }];
  });
}

function cardOf({ sandbox_cards }: Facts, cardId: string) {
  return sandbox_cards.find(({ id }) => id === cardId);
}

function rutOf({ orders }: Facts, orderId: string | undefined): string {
  return orders.find(({ id }) => id === orderId)?.customer_rut ?? "";
}
