import * as z from "zod/mini";
import { declineReasonSchema } from "../contract/errors.ts";
import { timestampSchema } from "../contract/orders.ts";
import { clpSchema } from "../contract/vocabulary/clp.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { publishEvent } from "../platform/event-store.ts";
import type { Ids } from "../platform/ids.ts";
import type { PayloadsOf } from "../platform/outbox.ts";
import type { CollectionKey } from "./collection-record.ts";

/**
 * What comes after a declined charge: another try; the charge that was due before, since the patient had asked for this one;
 * nothing, with this card; or nothing for now.
 */
const afterDeclineSchema = z.enum(["tried_again", "as_before", "given_up", "paused"]);
export type AfterDecline = z.output<typeof afterDeclineSchema>;

const declinedSchema = z.object({
  order_hash: z.string(),
  attempt_id: z.string(),
  amount: clpSchema,
  reason: declineReasonSchema,
  // The version before wrote neither.
  next: z.optional(afterDeclineSchema),
  due_at: z.optional(z.nullable(timestampSchema)),
  /** With `tried_again`: when. */
  next_try_at: z.nullable(timestampSchema),
});

interface Ahead {
  readonly next: AfterDecline;
  /** When a charge is due next; null: none is. */
  readonly due_at: string | null;
}

function aheadOf({ next, due_at, next_try_at }: z.output<typeof declinedSchema>): Ahead {
  const dueAt = due_at ?? next_try_at;
  return { next: next ?? (dueAt === null ? "given_up" : "tried_again"), due_at: dueAt };
}

/** What collections publish. Nothing in it is personal. */
export const collectionEvents = {
  /** The charge of the last day comes; the patient is notified of it some days before. */
  "collection.announced": z.object({
    order_hash: z.string(),
    amount: clpSchema,
    commission: clpSchema,
    due_at: timestampSchema,
  }),
  "collection.captured": z.object({
    order_hash: z.string(),
    attempt_id: z.string(),
    amount: clpSchema,
    commission: clpSchema,
  }),
  "collection.declined": z.pipe(
    declinedSchema,
    z.transform((declined: z.output<typeof declinedSchema>) => ({ ...declined, ...aheadOf(declined) })),
  ),
} as const;

type CollectionEvents = PayloadsOf<typeof collectionEvents>;

declare module "../platform/outbox.ts" {
  interface EventMap extends PayloadsOf<typeof collectionEvents> {}
}

/** An event of one collection. */
export type CollectionEvent = {
  [Kind in keyof CollectionEvents]: { readonly kind: Kind; readonly payload: CollectionEvents[Kind] };
}[keyof CollectionEvents];

export async function publishCollectionEvent(
  tx: Transaction,
  ids: Ids,
  { providerId, orderId }: CollectionKey,
  event: CollectionEvent,
  at: Date,
): Promise<void> {
  await publishEvent(tx, { id: ids.uuid(), providerId, orderId, sequence: null, createdAt: at, ...event });
}
