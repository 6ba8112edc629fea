import type { ErrorCode } from "../contract/errors.ts";
import type { CardExpiry, ChargeLimits } from "../contract/vocabulary/card.ts";
import { addClp, ZERO } from "../contract/vocabulary/clp.ts";
import { lastDayOfMonth } from "../platform/santiago-time.ts";
import type { OrderRecord } from "./order-record.ts";
import { commissionOn, latestDueDate } from "./quote.ts";

export interface Readiness {
  readonly identity_validated: boolean;
  readonly payment_method_added: boolean;
}

/** The steps before the payment that are complete. */
export function readinessOf(order: Pick<OrderRecord, "identityValidatedAt" | "card">): Readiness {
  return { identity_validated: order.identityValidatedAt !== null, payment_method_added: order.card !== null };
}

/**
 * The first reason why an order cannot be paid now, in the order in which the patient can fix them; null if it can be
 * paid. Its amounts come first, because the patient cannot change them.
 */
export function paymentProblem(
  order: Pick<OrderRecord, "identityValidatedAt" | "card"> & SplitAmounts,
  limits: ChargeLimits,
  areConsentsComplete: boolean,
  now: Date,
): ErrorCode | null {
  const problem = amountProblem(order, limits);
  if (problem !== null) return problem;
  if (order.identityValidatedAt === null) return "processor_customer_identity_not_validated";
  if (order.card === null) return "processor_payment_method_not_found";
  if (expiresTooSoon(order.card, now)) return "card_expires_too_soon";
  return areConsentsComplete ? null : "consents_missing";
}

type SplitAmounts = Pick<OrderRecord, "total" | "first" | "deferred" | "commissionBasisPoints">;

/**
 * Why an amount can never be paid in two parts, or null. Either nothing would be charged today, or the later charge
 * with its commission exceeds the processor's limit for one charge or for a patient's day.
 */
export function amountProblem(
  { total, first, deferred, commissionBasisPoints }: SplitAmounts,
  { perCharge, perPatientDay }: ChargeLimits,
): "amount_too_small" | "amount_too_large" | null {
  if (first === 0) return "amount_too_small";
  const later = addClp(deferred, commissionOn(total, ZERO, commissionBasisPoints));
  const most = Math.min(perCharge ?? Infinity, perPatientDay ?? Infinity);
  return later > most ? "amount_too_large" : null;
}

/**
 * True if the card expires before the latest day of the deferred charge. A card is valid until the end of its month.
 * False if the processor does not report the expiry: then only the charge shows whether the card still works.
 */
export function expiresTooSoon({ expMonth, expYear }: CardExpiry, now: Date): boolean {
  if (expMonth === undefined || expYear === undefined) return false;
  return lastDayOfMonth(expYear, expMonth) < latestDueDate(now);
}
