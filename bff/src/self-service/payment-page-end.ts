import { type FilingRead, isClaimOver, readFilingFacts } from "../claims/claim-reads.ts";
import { POLLED_DAYS_MAX } from "../claims/filing-facts.ts";
import { type CollectionRecord, hasEnded, isOver } from "../collection/collection.ts";
import { readChargeFacts } from "../collection/upcoming-charge.ts";
import { CLAIMED_WITHIN_DAYS, PAYMENT_PAGE_DAYS } from "../contract/terms.ts";
import { DAY_MS } from "../contract/vocabulary/durations.ts";
import { publishedStatus } from "../orders/order.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import type { Database } from "../platform/database/transaction.ts";

export interface PaymentLife {
  readonly order: Pick<
    OrderRecord,
    "state" | "paidAt" | "updatedAt" | "payments" | "refunds" | "deferred" | "deferredCancelled" | "deferredCollected"
  >;
  readonly collection: Pick<CollectionRecord, "state" | "failure"> | null;
  readonly claim: Pick<NonNullable<FilingRead["claim"]>, "state" | "filedAt" | "updatedAt"> | null;
}

/**
 * When everything about a paid order ended: no charge or return is left, no chargeback is undecided, and the claim is
 * answered or can no longer be. `null` while something is still open. The moment may be in the future if only time ends
 * the claim.
 */
export function endedAt({ order, collection, claim }: PaymentLife): Date | null {
  const { paidAt, payments, refunds } = order;
  if (paidAt === null || collection === null) return null;
  const isOpen =
    [...payments, ...refunds].some(({ status }) => status === "processing") ||
    payments.some(({ disputed, lost }) => disputed > lost);
  if (isOpen || !(hasEnded(collection) || isOver(order))) return null;
  return latest(order.updatedAt, claimEnd({ order, claim }, paidAt));
}

/** When a claim ended, or ends by itself. */
function claimEnd({ order, claim }: Pick<PaymentLife, "order" | "claim">, paidAt: Date): Date {
  const at = claim?.updatedAt ?? paidAt;
  if (claim?.state === "approved" || claim?.state === "rejected" || claim?.state === "stopped") return at;
  if (claim?.filedAt != null) return latest(at, daysAfter(claim.filedAt, POLLED_DAYS_MAX));
  // No claim follows a full refund, or a receipt that arrives after the isapre's deadline.
  return publishedStatus(order.state) === "refunded" ? at : latest(at, daysAfter(paidAt, CLAIMED_WITHIN_DAYS));
}

/** True if a payment page has ended: some time after everything about its order has. `at` is in the provider's time. */
export function isOverAt(life: PaymentLife, at: Date): boolean {
  const end = endedAt(life);
  return end !== null && at >= daysAfter(end, PAYMENT_PAGE_DAYS);
}

export async function isPaymentPageOver(db: Database, order: OrderRecord, at: Date): Promise<boolean> {
  const { claim } = await readFilingFacts(db, order, { takesInsurerAccess: true });
  const charge = await readChargeFacts(db, order, isClaimOver);
  return isOverAt({ order, collection: charge?.collection ?? null, claim }, at);
}

function latest(...moments: readonly Date[]): Date {
  return new Date(Math.max(...moments.map((moment) => moment.getTime())));
}

function daysAfter(moment: Date, days: number): Date {
  return new Date(moment.getTime() + days * DAY_MS);
}
