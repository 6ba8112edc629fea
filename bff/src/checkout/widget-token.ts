/* Widget tokens: they open the widget for one purpose, and end when used or expired. */

import type { OrderStatus } from "../contract/orders.ts";
import { LONG_TERM_LIFETIME_MINUTES, STANDARD_LIFETIME_MINUTES } from "../contract/terms.ts";
import { MINUTE_MS } from "../contract/vocabulary/durations.ts";
import { type EventType, type WidgetSession, widgetSessionSchema } from "../contract/widget-tokens.ts";

export type WidgetTokenPurpose = WidgetSession["purpose"];

export const WIDGET_TOKEN_PURPOSES: readonly WidgetTokenPurpose[] = widgetSessionSchema.shape.purpose.options;

/** The purposes of tokens that partners mint: with an order, and without one. */
export const MINTED_PURPOSES = ["checkout", "onboarding"] as const satisfies readonly WidgetTokenPurpose[];

/**
 * True for links that the service itself sends. Their holder is not necessarily the patient, because mails are
 * forwarded, so a one-time code is required first.
 */
export function isServiceMade(purpose: WidgetTokenPurpose): boolean {
  return !MINTED_PURPOSES.some((minted) => minted === purpose);
}

/** When a token minted now expires. `expires_in_minutes` takes precedence over `long_term_token`. */
export function expiryOf(
  requested: { readonly expiresInMinutes: number | undefined; readonly longTerm: boolean },
  now: Date,
): Date {
  const minutes =
    requested.expiresInMinutes ?? (requested.longTerm ? LONG_TERM_LIFETIME_MINUTES : STANDARD_LIFETIME_MINUTES);
  return new Date(now.getTime() + minutes * MINUTE_MS);
}

export type TokenState = "live" | "used" | "revoked" | "expired";

/**
 * The state of a token. It is used once it was used up or its order has been paid; the second case covers a token
 * minted while the payment was being stored. After its expiry it always counts as expired, and before that a revoked
 * one as revoked.
 */
export function stateOf(
  token: { readonly expiresAt: Date; readonly usedAt: Date | null; readonly revokedAt: Date | null },
  order: OrderStatus | null,
  now: Date,
): TokenState {
  if (now >= token.expiresAt) return "expired";
  if (token.revokedAt !== null) return "revoked";
  return token.usedAt !== null || (order !== null && PAID.has(order)) ? "used" : "live";
}

const PAID: ReadonlySet<OrderStatus> = new Set(["paid", "partially_refunded", "refunded"]);

/** The facts about a token's patient, no more detailed than `is_user_subscribed` and the expense submission. */
export interface PatientFacts {
  readonly subscribed: boolean;
  readonly freeTrial: boolean;
  /** True if the requesting provider pays for this patient's plan. */
  readonly chargedToProvider: boolean;
}

/** The event type that describes the patient. `patient` is null if no patient is known. */
export function eventTypeOf(purpose: WidgetTokenPurpose, patient: PatientFacts | null): EventType {
  if (purpose === "insurer_access") return "INSURER_ACCESS_BLOCKED";
  if (patient === null) return "SPOT_USER_NEW";
  if (!patient.subscribed) return "FREE_TRIAL_EXPIRED_USER";
  if (patient.freeTrial) return "REFUNDS_LEFT";
  return patient.chargedToProvider ? "PROVIDER_CHARGES" : "SPOT_USER_SUBSCRIBED";
}
