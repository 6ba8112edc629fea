import { addClp } from "../contract/vocabulary/clp.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { deferredChargeId, firstChargeId } from "./derived-ids.ts";
import { deferredDue } from "./order-amounts.ts";
import { findOrder, lockOrder } from "./order-reads.ts";
import type { OrderRecord } from "./order-record.ts";
import type { OrderKey } from "./order-store.ts";
import { insertDeferredPayment, settleDeferredPayment } from "./payments/deferred-charge-store.ts";

/*
 * A charge that the card processor lists and that the books lost in a restore. The order's next charge with the same id
 * finds it, so that it is not made twice.
 */

/** The maximum number of attempts of one order that a restore can have lost. */
const LOST_TRIES_MAX = 50;

export type LostCharge =
  /** The next charge of the deferred part will find it. */
  | "found_when_charged"
  /** It is found when the patient pays again. */
  | "found_when_paid"
  /** A charge is under way, or the order has no card, so it is not known yet whether a later charge will find it. */
  | "undecided"
  /** No later request uses this id. */
  | "never_found";

/**
 * Classifies a charge lost in a restore and records the deferred charges with lower numbers as not made. Otherwise the
 * next charge would take a lower number, which the processor never saw, and charge the patient again.
 */
export async function classifyLostCharge(
  tx: Transaction,
  key: OrderKey,
  { id, at }: { readonly id: string; readonly at: Date },
): Promise<LostCharge> {
  if ((await findOrder(tx, key)) === null) return "never_found";
  const order = await lockOrder(tx, key);
  if (!mayAskFor(order, id)) return "never_found";
  if (order.state === "awaiting_payment") return "found_when_paid";
  const ahead = triesUntil(order, id);
  if (isChargeUnderWay(order) || order.card === null || ahead === null) return "undecided";
  const { price, commission } = deferredDue(order);
  const before = deferredBefore(order);
  for (let lost = 1; lost < ahead; lost += 1) {
    const paymentId = deferredChargeId(order.orderId, before + lost);
    const number = order.payments.length + lost;
    const payment = { paymentId, number, amount: addClp(price, commission), commission, card: order.card };
    await insertDeferredPayment(tx, key, payment, at);
    // No refund waits for it, because no charge was unresolved.
    await settleDeferredPayment(tx, key, { paymentId, result: { outcome: "not_made" }, at });
  }
  return "found_when_charged";
}

/**
 * Whether the order may still request a charge with this id, now or later, and so find the lost one. Locks the order.
 */
export async function mayBeFound(tx: Transaction, key: OrderKey, id: string): Promise<boolean> {
  if ((await findOrder(tx, key)) === null) return false;
  return mayAskFor(await lockOrder(tx, key), id);
}

/** While a charge is unresolved, it may be any of them. */
function mayAskFor(order: OrderRecord, id: string): boolean {
  if (order.state === "awaiting_payment") return isOfNextPayment(order, id);
  return isChargeUnderWay(order) || (deferredDue(order).price > 0 && triesUntil(order, id) !== null);
}

function isChargeUnderWay({ state, payments }: OrderRecord): boolean {
  return state === "paying" || payments.some(({ status }) => status === "processing");
}

const numbers = Array.from({ length: LOST_TRIES_MAX }, (_, index) => index + 1);

/** Whether the patient's payment finds it: as the first instalment, or as the deferred part that follows. */
function isOfNextPayment(order: OrderRecord, id: string): boolean {
  const { orderId, payments } = order;
  const isFirst = numbers.some((number) => firstChargeId(orderId, payments.length + number) === id);
  return isFirst || triesUntil(order, id) !== null;
}

function deferredBefore({ payments }: OrderRecord): number {
  return payments.filter(({ kind }) => kind === "deferred").length;
}

/**
 * The position of the charge with this id among the deferred charges to come, from 1; null if no coming charge will
 * have this id.
 */
function triesUntil(order: OrderRecord, id: string): number | null {
  const before = deferredBefore(order);
  return numbers.find((number) => deferredChargeId(order.orderId, before + number) === id) ?? null;
}
