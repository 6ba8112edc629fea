import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { removeUnneededCards } from "../cards/remove-cards.ts";
import type { CollectionKey } from "../collection-record.ts";
import { cancelIfNothingIsLeft } from "./cancel-collection.ts";

/**
 * What the end of a refund leaves to do, whatever it gave back: one that failed waits for nothing any more, and what others have
 * taken off may be all that there was to charge.
 */
export async function afterRefund(
  tx: Transaction,
  dependencies: { readonly clock: Clock },
  key: CollectionKey,
  at: Date,
): Promise<void> {
  await cancelIfNothingIsLeft(tx, dependencies, key, at);
  await removeUnneededCards(tx, dependencies, key, at);
}
