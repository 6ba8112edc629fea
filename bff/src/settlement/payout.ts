/** Daily payouts of the amounts owed to providers and their centres. */

import { PAYOUT_HOUR } from "../contract/terms.ts";
import { addClp, type Clp, clp, shareRoundedHalfUp, subtractClp } from "../contract/vocabulary/clp.ts";
import { type FeeRegime, vatIn } from "../contract/vocabulary/commission-tax.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { idFor } from "../platform/ids.ts";
import { addCalendarDays, type CalendarDay, santiagoDay, santiagoMoment } from "../platform/santiago-time.ts";
import { spreadFrom } from "../platform/spread.ts";
import type { Payout } from "./payouts/payout-record.ts";

/** An order whose money has moved since its last payout. */
export interface PayableOrder {
  readonly orderId: OrderId;
  /** Price less refunds, according to the ledger. */
  readonly owed: Clp;
  readonly feeBasisPoints: number;
  readonly feeRegime: FeeRegime;
  /** The sum of this order in payouts so far. */
  readonly paidNet: Clp;
  readonly paidFee: Clp;
}

/** The amount that one order adds to a payout; negative if more was paid out than is owed now. */
export interface PayoutItem {
  readonly orderId: OrderId;
  readonly net: Clp;
  /** VAT included. */
  readonly fee: Clp;
  /** The VAT in the fee. */
  readonly feeVat: Clp;
}

/** The service's fee on what a clinic is owed, VAT included; half a peso is rounded up. */
export function payoutFeeOn(owed: Clp, feeBasisPoints: number): Clp {
  return shareRoundedHalfUp(owed, feeBasisPoints);
}

/** The payout's amount and each order's part of it, without orders that add nothing. */
export function planPayout(orders: readonly PayableOrder[]): { amount: Clp; items: PayoutItem[] } {
  const items = orders.map(itemOf).filter(({ net, fee }) => net !== 0 || fee !== 0);
  return { amount: addClp(...items.map(({ net }) => net)), items };
}

function itemOf({ orderId, owed, feeBasisPoints, feeRegime, ...paid }: PayableOrder): PayoutItem {
  const fee = payoutFeeOn(owed, feeBasisPoints);
  return {
    orderId,
    net: subtractClp(subtractClp(owed, fee), paid.paidNet),
    fee: subtractClp(fee, paid.paidFee),
    // Computed from fees alone, so it always lies between 0 and the item's fee, and reaches zero together with the
    // order's fee.
    feeVat: subtractClp(vatIn({ regime: feeRegime }, fee), vatIn({ regime: feeRegime }, paid.paidFee)),
  };
}

/** Whether an amount is paid out. Zero or a negative amount is carried over to a later day. */
export function isPaidOut(amount: Clp): boolean {
  return amount > clp(0);
}

/** When the next daily run of a provider after `after` is due. It pays the bookings up to the start of its day. */
export function nextPayoutRun(after: Date, providerId: string): Date {
  const today = runOf(santiagoDay(after), providerId);
  return today > after ? today : runOf(addCalendarDays(santiagoDay(after), 1), providerId);
}

/** The day of the last run due at or before `dueAt`. A run that is retried past midnight keeps its day. */
export function payoutDayOf(dueAt: Date, providerId: string): CalendarDay {
  const day = santiagoDay(dueAt);
  return runOf(day, providerId) <= dueAt ? day : addCalendarDays(day, -1);
}

function runOf(day: CalendarDay, providerId: string): Date {
  return spreadFrom(santiagoMoment(day, PAYOUT_HOUR), providerId);
}

/** The id of a payee's payout of a day. The key of its call is derived from it. */
export function payoutIdOf(payeeId: string, day: CalendarDay): string {
  return idFor(`${payeeId}:${day}`);
}

/** A day's payout contains the money that moved before this moment. */
export function cutoffOf(day: CalendarDay): Date {
  return santiagoMoment(day);
}

/** The text on the payee's bank statement. */
export function payoutReference(day: CalendarDay): string {
  return `AAPD ${day}`;
}

/** A payout as its provider's books show it, without the account. */
export interface MadePayout
  extends Pick<Payout, "providerId" | "id" | "payeeId" | "day" | "amount" | "state" | "refusal"> {
  readonly transferId: string | null;
  readonly settledAt: Date | null;
  /** The announced end of a transfer that the bank has accepted for later. */
  readonly endsBy: Date | null;
  /** When the money came back, by the bank's date. */
  readonly returnedAt: Date | null;
}
