import type { PartnerClient } from "bff/partner-client/partner-client";
import { explain, isRefusal } from "./call-failures.ts";
import type { PurchaseBook } from "./purchase-book.ts";

/** Returns the function that refunds an amount of a purchase, or with `null` everything that is left. */
export function createRefunds({
  aapd,
  book,
  uuid,
}: {
  readonly aapd: PartnerClient;
  readonly book: PurchaseBook;
  readonly uuid: () => string;
}): (id: string, amountClp: number | null) => Promise<void> {
  /** The keys of refunds without an answer. A repeated request uses the same key, so that it is not refunded twice. */
  const unanswered = new Map<string, string>();
  return async (id, amountClp) => {
    const { orderHash } = book.get(id);
    if (orderHash === null) return;
    const wish = `${id} ${amountClp ?? "all"}`;
    const idempotencyKey = unanswered.get(wish) ?? uuid();
    try {
      const { refund } = await aapd.refundOrder(
        orderHash,
        { reason: "Pedida en la clínica", ...(amountClp === null ? {} : { amount: amountClp }) },
        { idempotencyKey },
      );
      unanswered.delete(wish);
      await book.record(id, { kind: "refund_asked", amountClp: refund.amount, status: refund.status });
    } catch (error) {
      const message = explain(error);
      if (isRefusal(error)) unanswered.delete(wish);
      else unanswered.set(wish, idempotencyKey);
      await book.record(id, { kind: isRefusal(error) ? "refund_refused" : "refund_unanswered", message });
    }
  };
}
