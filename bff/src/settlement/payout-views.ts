import { PAYOUT_DAYS_MAX, type PayoutResponse, type PayoutsResponse } from "../contract/payouts.ts";
import { orderReferences } from "../orders/order-reads.ts";
import type { Database } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { MadePayout, PayoutItem } from "./payout.ts";
import { type PayoutsAsked, readItems, readMadePayout, selectPayouts } from "./payout-store.ts";
import { ownersOf, type PayoutKey } from "./payouts/payout-record.ts";
import { type DaysAsked, readDays } from "./read-days.ts";

/** A provider's payouts of a range of days, oldest first. Throws `validation_error` for invalid days. */
export async function showPayouts(db: Database, providerId: string, requested: DaysAsked): Promise<PayoutsResponse> {
  const days = readDays(requested, { daysBefore: PAYOUT_DAYS_MAX - 1, daysMax: PAYOUT_DAYS_MAX });
  const payouts = await selectPayouts(db, { providerId, ...days, of: "clinics" });
  return { ...days, payouts: payouts.map(payoutPart) };
}

/** One payout of a provider, with its items by order. Throws `payout_not_found` for any other. */
export async function showPayout(db: Database, key: PayoutKey): Promise<PayoutResponse> {
  const payout = await readMadePayout(db, key);
  if (payout === null || ownersOf({ ...key, id: payout.payeeId }) === "lender") throw new ApiError("payout_not_found");
  const items = await readItems(db, key);
  const orderIds = items.map(({ orderId }) => orderId);
  const references = await orderReferences(db, { providerId: key.providerId, orderIds });
  const itemParts = items.map(({ orderId, net, fee, feeVat }) => {
    return { order_hash: orderId, reference: references.get(orderId) ?? "", net, fee, fee_vat: feeVat };
  });
  return { ...payoutPart(payout), items: itemParts };
}

/** Partners read the further states from `ends_by` and `returned_at`. */
const STATUS_OF = {
  sending: "sending",
  pending: "sending",
  paid: "paid",
  refused: "refused",
  returned: "refused",
} as const satisfies Record<MadePayout["state"], PayoutsResponse["payouts"][number]["status"]>;

function payoutPart(payout: MadePayout): PayoutsResponse["payouts"][number] {
  const { providerId, id, payeeId, day, amount, state, refusal, transferId, settledAt, endsBy, returnedAt } = payout;
  return {
    id,
    payee: { kind: payeeId === providerId ? "provider" : "center", id: payeeId },
    day,
    amount,
    status: STATUS_OF[state],
    refusal,
    transfer_id: transferId,
    settled_at: settledAt?.toISOString() ?? null,
    ...(state === "pending" && endsBy !== null && { ends_by: endsBy.toISOString() }),
    ...(returnedAt !== null && { returned_at: returnedAt.toISOString() }),
  };
}

/** The payouts of a range of days, both included, oldest first. */
export function listPayouts(db: Database, requested: PayoutsAsked): Promise<MadePayout[]> {
  return selectPayouts(db, requested);
}

/** The items of a payout, one per order. */
export function payoutItems(db: Database, key: PayoutKey): Promise<PayoutItem[]> {
  return readItems(db, key);
}
