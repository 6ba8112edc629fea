import type { ConsentPurpose } from "../contract/orders.ts";
import type { KeptData, WithdrawalEffect } from "../contract/patient-rights.ts";
import { addClp, type Clp, ZERO } from "../contract/vocabulary/clp.ts";
import type { OrderState } from "../orders/order.ts";

/** What of an order decides what stays of its patient. */
export interface OrderFacts {
  readonly state: OrderState;
  /** What is still to be charged of it, commission included. */
  readonly owed: Clp;
  /** Has money moved, or is it moving? */
  readonly hasPayments: boolean;
  readonly isBusy: boolean;
}

/** What stays of a patient who asks for erasure, and why (ADR `a-patients-data`). */
export function keptData(orders: readonly OrderFacts[], hasConsents: boolean): readonly KeptData[] {
  const kept: KeptData[] = [];
  if (owedOf(orders) > 0) kept.push({ what: "contact", because: "charge_owed" });
  if (orders.some(isOpen)) kept.push({ what: "contact", because: "order_open" });
  if (orders.some(({ hasPayments }) => hasPayments)) kept.push({ what: "orders", because: "accounting_law" });
  if (orders.some(({ state }) => state === "credit_refused"))
    kept.push({ what: "credit_decisions", because: "consumer_law" });
  if (hasConsents) kept.push({ what: "consents", because: "proof" });
  return kept;
}

/** Must the record keep its name and address for now? */
export function mustWait(kept: readonly KeptData[]): boolean {
  return kept.some(({ what }) => what === "contact");
}

/** An order that may still be paid, or of which something is under way. */
function isOpen({ state, isBusy }: OrderFacts): boolean {
  return isBusy || state === "awaiting_payment" || state === "paying" || state === "first_captured";
}

export function owedOf(orders: readonly Pick<OrderFacts, "owed">[]): Clp {
  return orders.reduce((sum, { owed }) => addClp(sum, owed), ZERO);
}

/** What a withdrawal does. `null`: it cannot be withdrawn now. */
export function effectsOf(
  purpose: ConsentPurpose,
  { owed, hasAccess, openClaims }: { readonly owed: Clp; readonly hasAccess: boolean; readonly openClaims: number },
): readonly WithdrawalEffect[] | null {
  const destroyed = hasAccess ? (["insurer_access_destroyed"] as const) : [];
  switch (purpose) {
    case "terms_and_credit":
      // A contract that was closed; the law has it kept.
      return null;
    case "later_charge":
      return owed > 0 ? null : [];
    case "insurer_access":
      return destroyed;
    case "claim_mandate":
    case "health_data":
      return [...destroyed, ...(openClaims > 0 ? (["open_claims_stopped"] as const) : []), "no_more_claims"];
    case "marketing":
      return ["no_more_offers"];
  }
}
