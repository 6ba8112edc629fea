import type { Transaction } from "../platform/database/transaction.ts";
import { appendEvent } from "../platform/event-store.ts";
import type { Ids } from "../platform/ids.ts";
import type { CollectionKey } from "./collection-record.ts";

/**
 * What a collection tells the rest of the service: whoever writes to patients listens. Amounts are pesos; nothing in them
 * is personal.
 */
export type CollectionEvent =
  /** The charge of day 45 comes: three days before, or once it may be told. */
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
      readonly next: AfterDecline;
      /** With `tried_again`: when. */
      readonly next_try_at: string | null;
      /** When a charge is due next; null: none is. */
      readonly due_at: string | null;
    };

/**
 * What comes after a declined charge: another try; the charge that was due before, since the patient had asked for this one;
 * nothing, with this card; or nothing for now.
 */
export const AFTER_DECLINE = ["tried_again", "as_before", "given_up", "paused"] as const;
export type AfterDecline = (typeof AFTER_DECLINE)[number];

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
