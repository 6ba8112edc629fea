import { isOrderId, type OrderId } from "../../contract/vocabulary/identifiers.ts";
import { findOrder } from "../../orders/order-reads.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { DomainEvent } from "../../platform/outbox.ts";
import { providerNow, realMoment } from "../../platform/provider.ts";
import { scheduleTimer } from "../../platform/timers/timer-store.ts";
import { requireProvider } from "../../tenants/providers.ts";
import { nextPayoutRun } from "../payout.ts";
import { insertCollected, insertPayable, markMoved, readTerms } from "../payout-store.ts";
import type { PayoutDependencies } from "./dependencies.ts";
import { lenderOf, type Payee } from "./payout-record.ts";

/** The daily run of one provider. The timer's key is the provider's id. */
export const PAYOUT_RUN_TIMER = "payouts.run";

/** Thrown when an event of an order does not name the order, or the order does not exist: a defect. */
export class PayableOrderMissing extends Error {
  override readonly name = "PayableOrderMissing";
  readonly code = "payable_order_missing";
}

/**
 * Records that the price of a paid order, less the currently agreed fee, is owed to its centre or else to the provider.
 */
export async function owePayee(
  tx: Transaction,
  { clock }: Pick<PayoutDependencies, "clock">,
  event: DomainEvent,
): Promise<void> {
  const { providerId, createdAt: movedAt } = event;
  const orderId = orderOf(event);
  const order = await findOrder(tx, { providerId, orderId });
  if (order === null)
    throw new PayableOrderMissing("Order not found (data integrity error: an event reports it as paid).");
  const center = order.center?.id ?? null;
  const payee: Payee =
    center === null ? { providerId, id: providerId, kind: "provider" } : { providerId, id: center, kind: "center" };
  const { feeBasisPoints, feeRegime } = (await readTerms(tx, providerId)) ?? NO_FEE;
  await insertPayable(tx, payee, { orderId, feeBasisPoints, feeRegime, movedAt });
  await schedulePayouts(tx, { clock }, providerId);
}

const NO_FEE = { feeBasisPoints: 0, feeRegime: "exempt" } as const;

/** Begins the daily run of a provider, unless it has begun. */
export async function schedulePayouts(
  tx: Transaction,
  { clock }: Pick<PayoutDependencies, "clock">,
  providerId: string,
): Promise<void> {
  const provider = await requireProvider(tx, providerId);
  const dueAt = realMoment(provider, nextPayoutRun(providerNow(provider, clock.now()), providerId));
  await scheduleTimer(tx, { kind: PAYOUT_RUN_TIMER, key: providerId, providerId, dueAt, payload: {} });
}

/** Marks a refunded order, so that the next run deducts the refund. */
export async function netRefund(tx: Transaction, event: DomainEvent): Promise<void> {
  const { providerId, createdAt: at } = event;
  await markMoved(tx, { providerId, of: "clinics", orderIds: [orderOf(event)], at });
}

function orderOf({ orderId }: DomainEvent): OrderId {
  if (orderId === null || !isOrderId(orderId)) throw new PayableOrderMissing("An event does not name its order.");
  return orderId;
}

/** Records the amount of an order that was collected for the lender. The daily payout includes it. */
export async function oweLender(
  tx: Transaction,
  { clock }: Pick<PayoutDependencies, "clock">,
  { providerId, orderId, createdAt: at }: DomainEvent,
): Promise<void> {
  if (orderId === null || !isOrderId(orderId)) throw new PayableOrderMissing("An event does not name its order.");
  await insertCollected(tx, lenderOf(providerId), { orderIds: [orderId], at });
  await schedulePayouts(tx, { clock }, providerId);
}
