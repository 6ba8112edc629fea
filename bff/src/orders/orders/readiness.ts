import type { ErrorCode } from "../../contract/errors.ts";
import { type CalendarDay, lastDayOfMonth } from "../../platform/santiago-time.ts";
import { latestDueDate } from "./instalment-plan.ts";
import type { OrderCard, OrderRecord } from "./order-record.ts";

export interface Readiness {
  readonly identity_validated: boolean;
  readonly payment_method_added: boolean;
}

/** Which of the steps before the payment are done. */
export function readinessOf(order: Pick<OrderRecord, "identityValidatedAt" | "card">): Readiness {
  return { identity_validated: order.identityValidatedAt !== null, payment_method_added: order.card !== null };
}

/**
 * Why an order cannot be paid as it is, in the order in which the patient can mend it; `null` when it can. An order whose
 * first instalment is nothing can never be paid, so that this comes first.
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

/** Will the card have expired on the latest day of the deferred charge? A card is good until the end of its month. */
export function expiresTooSoon(card: Pick<OrderCard, "expMonth" | "expYear">, now: Date): boolean {
  return lastValidDay(card) < latestDueDate(now);
}

function lastValidDay(card: Pick<OrderCard, "expMonth" | "expYear">): CalendarDay {
  return lastDayOfMonth(card.expYear, card.expMonth);
}
