/* Plans: whether a patient is subscribed, and which provider pays for it. */

import type { SubscriptionStatus } from "../../contract/onboarding.ts";
import { FREE_TRIAL_EXPENSES } from "../../contract/terms.ts";

/** The facts that decide whether a RUT is subscribed. `plan` is null for a patient who never had one. */
export interface PlanFacts {
  readonly plan: { readonly status: "active" | "cancelled"; readonly validUntil: Date | null } | null;
  readonly expensesSent: number;
}

/**
 * A patient is subscribed with an active plan, or with a free trial and fewer than two expenses sent. A cancelled or
 * expired plan does not return to the trial. `facts` is null for a RUT that is not registered.
 */
export function planStatus(facts: PlanFacts | null, now: Date): SubscriptionStatus {
  if (facts === null) return { is_subscribed: false, is_free_trial: false };
  if (facts.plan !== null) return { is_subscribed: planIsActive(facts.plan, now), is_free_trial: false };
  const trial = facts.expensesSent < FREE_TRIAL_EXPENSES;
  return { is_subscribed: trial, is_free_trial: trial };
}

function planIsActive(plan: NonNullable<PlanFacts["plan"]>, now: Date): boolean {
  return plan.status === "active" && (plan.validUntil === null || now < plan.validUntil);
}
