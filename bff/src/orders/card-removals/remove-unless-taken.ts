import type { RegisterCardOutcome, RegisterStoredCardOutcome } from "../../gateways/card-processor/port.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { lockOrder, type OrderKey } from "../order-store.ts";
import { askToRemove } from "./card-removals.ts";

/**
 * Takes a card that the processor was asked to register. Where that is refused, the processor has the card and nobody else: it is
 * asked to remove it, and the refusal is thrown on.
 */
export async function removeUnlessTaken<Taken>(
  dependencies: { readonly db: Database; readonly clock: Clock },
  {
    key,
    registered,
    at,
  }: {
    readonly key: OrderKey;
    readonly registered: RegisterCardOutcome | RegisterStoredCardOutcome;
    readonly at: Date;
  },
  take: () => Promise<Taken>,
): Promise<Taken> {
  try {
    return await take();
  } catch (error) {
    if (error instanceof ApiError && registered.outcome === "registered") {
      const cardIds = [registered.card.id];
      await inTransaction(dependencies.db, async (tx) => {
        await lockOrder(tx, key);
        await askToRemove(tx, dependencies, key, { cardIds, at });
      });
    }
    throw error;
  }
}
