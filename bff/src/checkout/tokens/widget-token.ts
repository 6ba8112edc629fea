import type { OrderStatus } from "../../contract/orders.ts";
import { LONG_TERM_LIFETIME_MINUTES, STANDARD_LIFETIME_MINUTES } from "../../contract/terms.ts";
import { MINUTE_MS } from "../../contract/vocabulary/durations.ts";
import type { EventType, WidgetSession } from "../../contract/widget-tokens.ts";

export type WidgetTokenPurpose = WidgetSession["purpose"];

/** What a token is for that a partner mints: with an order, and without one. */
export const MINTED_PURPOSES = ["checkout", "onboarding"] as const satisfies readonly WidgetTokenPurpose[];

/**
 * Is it one of the links that the service itself sends? Whoever has one is not yet the patient, since mails are forwarded:
 * a one-time code comes first.
 */
export function isServiceMade(purpose: WidgetTokenPurpose): boolean {
  return !MINTED_PURPOSES.some((minted) => minted === purpose);
}

/** When a token that is minted now ends. `expires_in_minutes` wins over `long_term_token`. */
export function expiryOf(
  asked: { readonly expiresInMinutes: number | undefined; readonly longTerm: boolean },
  now: Date,
): Date {
  const minutes = asked.expiresInMinutes ?? (asked.longTerm ? LONG_TERM_LIFETIME_MINUTES : STANDARD_LIFETIME_MINUTES);
  return new Date(now.getTime() + minutes * MINUTE_MS);
}

export type TokenState = "live" | "used" | "expired";

/**
 * What a token is good for. It was used when something used it up, and also when its order has been paid: a token that
 * was minted while the payment was being written down is found here. Once its time is over it counts as expired,
 * whatever became of it.
 */
export function stateOf(
  token: { readonly expiresAt: Date; readonly usedAt: Date | null },
  order: OrderStatus | null,
  now: Date,
): TokenState {
  if (now >= token.expiresAt) return "expired";
  return token.usedAt !== null || (order !== null && PAID.has(order)) ? "used" : "live";
}

const PAID: ReadonlySet<OrderStatus> = new Set(["paid", "partially_refunded", "refunded"]);

/** What is known of the patient of a token, no finer than `is_user_subscribed` and the expense submission tell it. */
export interface PatientFacts {
  readonly known: boolean;
  readonly subscribed: boolean;
  readonly freeTrial: boolean;
  /** The provider that asks pays for this patient's plan. */
  readonly chargedToProvider: boolean;
}

/** Who the patient is. */
export function eventTypeOf(purpose: WidgetTokenPurpose, patient: PatientFacts): EventType {
  if (purpose === "insurer_access") return "INSURER_ACCESS_BLOCKED";
  if (!patient.known) return "SPOT_USER_NEW";
  if (!patient.subscribed) return "FREE_TRIAL_EXPIRED_USER";
  if (patient.freeTrial) return "REFUNDS_LEFT";
  return patient.chargedToProvider ? "PROVIDER_CHARGES" : "SPOT_USER_SUBSCRIBED";
}
