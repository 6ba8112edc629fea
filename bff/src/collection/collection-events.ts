import type { Transaction } from "../platform/database/transaction.ts";
import { appendEvent } from "../platform/event-store.ts";
import type { Ids } from "../platform/ids.ts";
import type { CollectionKey } from "./collection-record.ts";

/**
 * What a collection tells the rest of the service: whoever writes to patients listens. Amounts are pesos; nothing in them
 * is personal.
 */
export type CollectionEvent =
  /** The charge of day 45 comes in three days. */
  | {
      readonly kind: "collection.announced";
      readonly amount: number;
      readonly commission: number;
      readonly due_at: string;
    }
  | {
      readonly kind: "collection.captured";
      readonly attempt_id: string;
      readonly amount: number;
      readonly commission: number;
    }
  | {
      readonly kind: "collection.declined";
      readonly attempt_id: string;
      readonly amount: number;
      readonly reason: string;
      /** Null: it will not be tried again. */
      readonly next_try_at: string | null;
    };

export async function tell(
  tx: Transaction,
  ids: Ids,
  { providerId, orderId }: CollectionKey,
  { kind, ...facts }: CollectionEvent,
  at: Date,
): Promise<void> {
  await appendEvent(tx, {
    id: ids.uuid(),
    providerId,
    orderId,
    kind,
    sequence: null,
    payload: { order_hash: orderId, ...facts },
    createdAt: at,
  });
}
