import { addClp, type Clp, clp, shareRoundedHalfUp, subtractClp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import { addCalendarDays, type CalendarDay, santiagoDay, santiagoMoment } from "../../platform/santiago-time.ts";

/** The hour of the daily run. What was settled before that day's midnight is paid. */
export const PAYOUT_HOUR = 10;

/** An order whose money has moved since it was last put into a payout. */
export interface PayableOrder {
  readonly orderId: OrderId;
  /** Price less refunds, as the ledger has it. */
  readonly owed: Clp;
  readonly feeBasisPoints: number;
  /** What payouts hold of it so far. */
  readonly paidNet: Clp;
  readonly paidFee: Clp;
}

/** What one order adds to a payout; below nothing where more was paid out than is owed now. */
export interface PayoutItem {
  readonly orderId: OrderId;
  readonly net: Clp;
  readonly fee: Clp;
}

/** What is kept of what a clinic is owed, half a peso rounded up. */
export function payoutFeeOn(owed: Clp, feeBasisPoints: number): Clp {
  return shareRoundedHalfUp(owed, feeBasisPoints);
}

/** What each order adds, and in all. Orders that add nothing are left out. */
export function planPayout(orders: readonly PayableOrder[]): { amount: Clp; items: PayoutItem[] } {
  const items = orders.map(itemOf).filter(({ net, fee }) => net !== 0 || fee !== 0);
  return { amount: addClp(...items.map(({ net }) => net)), items };
}

function itemOf({ orderId, owed, feeBasisPoints, paidNet, paidFee }: PayableOrder): PayoutItem {
  const fee = payoutFeeOn(owed, feeBasisPoints);
  return { orderId, net: subtractClp(subtractClp(owed, fee), paidNet), fee: subtractClp(fee, paidFee) };
}

/** What becomes of what a payee is owed: paid, or (nothing, or below nothing) carried over to a later day. */
export function isPaidOut(amount: Clp): boolean {
  return amount > clp(0);
}

/** When the next daily run is due after a moment. */
export function nextPayoutRun(after: Date): Date {
  const today = santiagoMoment(santiagoDay(after), PAYOUT_HOUR);
  return today > after ? today : santiagoMoment(addCalendarDays(santiagoDay(after), 1), PAYOUT_HOUR);
}

/** Money that moved before this moment is settled on a day. */
export function cutoffOf(day: CalendarDay): Date {
  return santiagoMoment(day);
}

/** What the payee reads on the statement. */
export function payoutReference(day: CalendarDay): string {
  return `AAPD ${day}`;
}
