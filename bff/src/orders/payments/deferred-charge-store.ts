import type { DeclineCause } from "../../contract/errors.ts";
import type { ChargeVoucher } from "../../contract/vocabulary/voucher.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { OrderCard } from "../order-record.ts";
import type { OrderKey } from "../order-store.ts";
import { voucherColumns } from "./voucher-columns.ts";

interface NewDeferredPayment {
  readonly paymentId: string;
  /** The payment's number within its order. */
  readonly number: number;
  readonly amount: number;
  readonly commission: number;
  readonly card: OrderCard;
}

/**
 * Inserts a deferred payment before its charge. Violates `order_payments_one_at_a_time` while another payment of the
 * order is processing.
 */
export async function insertDeferredPayment(
  tx: Transaction,
  key: OrderKey,
  { paymentId, number, amount, commission, card }: NewDeferredPayment,
  at: Date,
): Promise<void> {
  await tx
    .insertInto("order_payments")
    .values({
      provider_id: key.providerId,
      order_id: key.orderId,
      id: paymentId,
      number,
      kind: "deferred",
      status: "processing",
      amount,
      commission,
      return_accepted: 0,
      commission_return_accepted: 0,
      returned: 0,
      card: JSON.stringify(card),
      charge_id: null,
      decline_reason: null,
      created_at: at,
      updated_at: at,
    })
    .execute();
}

interface SettledPayment {
  readonly paymentId: string;
  readonly result:
    | { readonly outcome: "not_made" }
    | { readonly outcome: "captured"; readonly chargeId: string; readonly voucher: ChargeVoucher }
    | ({ readonly outcome: "declined" } & DeclineCause);
  readonly at: Date;
}

/**
 * Stores the outcome of a deferred payment. Only `settleDeferredCharge` allocates the refunds that waited for it.
 * Violates `order_payments_captured_once` if the deferred part was captured before.
 */
export async function settleDeferredPayment(
  tx: Transaction,
  key: OrderKey,
  { paymentId, result, at }: SettledPayment,
): Promise<void> {
  await tx
    .updateTable("order_payments")
    .set({ ...factsOf(result), updated_at: at })
    .where("provider_id", "=", key.providerId)
    .where("order_id", "=", key.orderId)
    .where("id", "=", paymentId)
    .execute();
}

function factsOf(result: SettledPayment["result"]) {
  switch (result.outcome) {
    case "captured":
      return { status: "captured", charge_id: result.chargeId, ...voucherColumns(result.voucher) } as const;
    case "declined":
      return { status: "declined", decline_reason: result.reason, decline_limit: result.limit ?? null } as const;
    case "not_made":
      return { status: "failed" } as const;
  }
}

export async function writeDispute(
  tx: Transaction,
  key: OrderKey,
  { chargeId, disputed, lost }: { readonly chargeId: string; readonly disputed: number; readonly lost: number },
  at: Date,
): Promise<void> {
  await tx
    .updateTable("order_payments")
    .set({ disputed, lost, updated_at: at })
    .where("provider_id", "=", key.providerId)
    .where("order_id", "=", key.orderId)
    .where("charge_id", "=", chargeId)
    .execute();
}
