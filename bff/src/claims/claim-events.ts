import * as z from "zod/mini";
import { CLAIM_NEWS_KINDS } from "../contract/webhook-events.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { publishEvent, readEvent } from "../platform/event-store.ts";
import { type Ids, idFor } from "../platform/ids.ts";
import type { PayloadsOf } from "../platform/outbox.ts";
import type { ClaimRecord } from "./claim-store.ts";

const claimNewsSchema = z.enum(CLAIM_NEWS_KINDS);
export type ClinicNews = z.output<typeof claimNewsSchema>;

/** The events that claims publish. */
export const claimEvents = {
  /** A claim has reached a state that its clinic may want to know. */
  "claim.moved": z.object({ order_hash: z.string(), news: claimNewsSchema }),
} as const;

const expenseEventSchema = z.object({
  expense_id: z.string(),
  /** Null for an expense without an order. */
  order_hash: z.nullable(z.string()),
});

/** The events that expenses publish. A subscriber reads all other data from the expense. */
export const expenseEvents = {
  "expense.received": expenseEventSchema,
  /** Documents were added to an expense received earlier. */
  "expense.completed": expenseEventSchema,
} as const;

declare module "../platform/outbox.ts" {
  interface EventMap extends PayloadsOf<typeof claimEvents>, PayloadsOf<typeof expenseEvents> {}
}

type ClaimedOrder = Pick<ClaimRecord, "providerId" | "orderId">;

export async function publishClaimNews(
  tx: Transaction,
  ids: Ids,
  order: ClaimedOrder,
  news: ClinicNews,
  at: Date,
): Promise<void> {
  await publishNews(tx, ids.uuid(), order, news, at);
}

/**
 * Publishes that no claim can be filed because a receipt lacks a document: once per order, however often this is found.
 * The caller holds the lock on the order's expense.
 */
export async function publishHeldOnce(tx: Transaction, order: ClaimedOrder, at: Date): Promise<void> {
  const id = idFor(`${order.orderId}:receipt_held`);
  if ((await readEvent(tx, id)) === null) await publishNews(tx, id, order, "claim.held", at);
}

async function publishNews(
  tx: Transaction,
  id: string,
  { providerId, orderId }: ClaimedOrder,
  news: ClinicNews,
  at: Date,
): Promise<void> {
  const payload = { order_hash: orderId, news };
  await publishEvent(tx, {
    id,
    providerId,
    orderId,
    kind: "claim.moved",
    sequence: null,
    payload,
    createdAt: at,
  });
}
