import type { RegisterStoredCardOutcome } from "../../gateways/card-processor.ts";
import type { GatewayCall } from "../../gateways/gateway-call.ts";
import { inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Provider } from "../../platform/provider.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import type { OrderCard, OrderRecord } from "../order-record.ts";
import { isNamedCard, removeSavedCards, savedCardsOf } from "../saved-cards.ts";
import { shareSavedCard, writeUse } from "./saved-card-store.ts";

/**
 * Has the processor register a saved card for an order whose patient was recognised by a code for this card. A card
 * that the processor no longer keeps is taken out of use. Throws `stored_card_code_required` if the code was for
 * another card, or for none.
 */
export async function registerSavedCard(
  dependencies: Pick<OrdersDependencies, "db" | "clock" | "cardProcessor" | "patient">,
  call: GatewayCall,
  {
    provider,
    order,
    savedCardId,
  }: { readonly provider: Provider; readonly order: OrderRecord; readonly savedCardId: string },
): Promise<RegisterStoredCardOutcome> {
  const { db, cardProcessor, patient } = dependencies;
  const recognised = await patient.recognised(db, { provider, order, now: call.at });
  const cards = recognised === null ? [] : await savedCardsOf(db, recognised.patient);
  const saved = cards.find(({ id }) => id === savedCardId);
  if (recognised === null || saved === undefined) return { outcome: "not_kept" };
  if (!isNamedCard(recognised.card, saved)) throw new ApiError("stored_card_code_required");
  const { storedCardId, beneficiaryId } = saved;
  const input = { storedCardId, customer: beneficiaryId, orderHash: order.orderId };
  const registered = await cardProcessor.registerStoredCard(call, input);
  if (registered.outcome === "not_kept")
    await inTransaction(db, (tx) =>
      removeSavedCards(tx, dependencies, { beneficiaryId, id: savedCardId, at: call.at }),
    );
  return registered;
}

/**
 * Protects a saved card from removal until the transaction ends. Throws `stored_card_refused` if it was already
 * removed. To avoid deadlocks, a caller that also locks the order must call this first, as the removal does.
 */
export async function keepFromRemoval(tx: Transaction, savedCardId: string): Promise<void> {
  if (!(await shareSavedCard(tx, savedCardId))) throw new ApiError("stored_card_refused");
}

/** Records that an order's card is a saved one. */
export async function noteChosen(
  tx: Transaction,
  {
    order,
    savedCardId,
    card,
    now,
  }: { readonly order: OrderRecord; readonly savedCardId: string; readonly card: OrderCard; readonly now: Date },
): Promise<void> {
  const { providerId, orderId } = order;
  await writeUse(tx, { providerId, orderId, savedCardId, cardId: card.id, at: now });
}
