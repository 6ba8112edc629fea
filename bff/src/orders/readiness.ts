import type { ErrorCode } from "../contract/errors.ts";
import type { CardExpiry } from "../gateways/card-processor.ts";
import { lastDayOfMonth } from "../platform/santiago-time.ts";
import { latestDueDate } from "./instalment-plan.ts";
import type { OrderRecord } from "./order-record.ts";

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
 * paid. A first instalment of 0 comes first, because such an order can never be paid.
 */
export function paymentProblem(
  order: Pick<OrderRecord, "first" | "identityValidatedAt" | "card">,
  areConsentsComplete: boolean,
  now: Date,
): ErrorCode | null {
  if (order.first === 0) return "amount_too_small";
  if (order.identityValidatedAt === null) return "processor_customer_identity_not_validated";
  if (order.card === null) return "processor_payment_method_not_found";
  if (expiresTooSoon(order.card, now)) return "card_expires_too_soon";
  return areConsentsComplete ? null : "consents_missing";
}

/**
 * True if the card expires before the latest day of the deferred charge. A card is valid until the end of its month.
 * False if the processor does not report the expiry: then only the charge shows whether the card still works.
 */
export function expiresTooSoon({ expMonth, expYear }: CardExpiry, now: Date): boolean {
  if (expMonth === undefined || expYear === undefined) return false;
  return lastDayOfMonth(expYear, expMonth) < latestDueDate(now);
}
