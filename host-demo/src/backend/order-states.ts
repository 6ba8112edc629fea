import type { PartnerClient } from "bff/partner-client/partner-client";
import { hasSeenEvent } from "./purchase.ts";
import type { PurchaseBook } from "./purchase-book.ts";

export interface WebhookFacts {
  readonly eventId: string;
  readonly event: string;
  readonly sequence: number;
  readonly status: string;
  readonly reference: string;
}

/** Learns the state of orders: from webhooks, and by reading orders without webhooks. */
export interface OrderStates {
  /** Records a verified webhook; returns false if no purchase of ours has this reference. */
  takeWebhook(facts: WebhookFacts): Promise<boolean>;
  /** Asks the service for the present state of the order and its claim. */
  refresh(id: string): Promise<void>;
}

/** If no webhook confirms a status within this time, the status that the service returned is accepted. */
const WEBHOOK_WITHIN_MS = 60_000;

export function createOrderStates({
  aapd,
  book,
  now,
  submitDueReceipts,
}: {
  readonly aapd: PartnerClient;
  readonly book: PurchaseBook;
  readonly now: () => Date;
  readonly submitDueReceipts: () => Promise<void>;
}): OrderStates {
  const refreshing = new Map<string, Promise<void>>();
  /** Statuses that the service returned and no webhook has confirmed yet, with the time of the first answer. */
  const unheard = new Map<string, { readonly status: string; readonly sinceMs: number }>();
  let lastWebhook: Promise<unknown> = Promise.resolve();

  async function keepWebhook({ reference, ...facts }: WebhookFacts): Promise<boolean> {
    const purchase = book.all().find((candidate) => candidate.reference === reference);
    if (purchase === undefined) return false;
    if (!hasSeenEvent(purchase, facts.eventId)) await book.record(purchase.id, { kind: "webhook_received", ...facts });
    return true;
  }

  async function reconcile(id: string): Promise<void> {
    const { orderHash } = book.get(id);
    if (orderHash === null) return;
    const { status: orderStatus, expense, collection } = await aapd.getOrder(orderHash);
    const before = book.get(id);
    await believe(id, orderStatus);
    if (expense !== null && expense.status !== before.receiptStatus) {
      await book.record(id, { kind: "claim_changed", status: expense.status });
    }
    if (collection === null) return;
    const { status, reason, due_at: dueAt } = collection;
    const had = before.collection;
    if (had?.status !== status || had.reason !== reason || had.dueAt !== dueAt) {
      await book.record(id, { kind: "collection_changed", status, reason, dueAt });
    }
  }

  /** Accepts the status that the service returned if no webhook confirms it in time. */
  async function believe(id: string, status: string): Promise<void> {
    const nowMs = now().getTime();
    const heard = unheard.get(id);
    if (status === book.get(id).orderStatus) unheard.delete(id);
    else if (heard?.status !== status) unheard.set(id, { status, sinceMs: nowMs });
    else if (nowMs - heard.sinceMs >= WEBHOOK_WITHIN_MS) {
      unheard.delete(id);
      await book.record(id, { kind: "order_read", status });
      await submitDueReceipts();
    }
  }

  return {
    takeWebhook(facts) {
      // Webhooks are recorded one at a time, so that of two copies the second finds the first.
      const taken = lastWebhook.then(() => keepWebhook(facts));
      lastWebhook = taken.catch(() => undefined);
      return taken;
    },
    refresh(id) {
      const running = refreshing.get(id) ?? reconcile(id).finally(() => refreshing.delete(id));
      refreshing.set(id, running);
      return running;
    },
  };
}
