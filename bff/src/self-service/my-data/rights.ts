import type { ConsentPurpose } from "../../contract/orders.ts";
import type { KeptData, WithdrawalEffect } from "../../contract/patient-rights.ts";
import { addClp, type Clp, ZERO } from "../../contract/vocabulary/clp.ts";
import { MINUTE_MS } from "../../contract/vocabulary/durations.ts";
import type { OrderState } from "../../orders/orders/order.ts";

/**
 * What is known of whoever exercises a patient's right. Who registers a RUT, with whatever address, proves nothing: behind a
 * link and its code is the reader of the registered `mailbox`, and no more. An operator has checked the `identity`.
 */
export type Proof = "mailbox" | "identity";

/** `patient`, by a link, or `operator:<name>`. */
export function proofOf(actor: string): Proof {
  return actor === "patient" ? "mailbox" : "identity";
}

/** So often a patient is sent a link, however often somebody asks; anybody may. */
export const LINK_PAUSE_MS = 10 * MINUTE_MS;
export const LINKS_PER_DAY = 5;
/** The same for a mailbox, which may be a whole family's, or the one that somebody wrote against many RUTs. */
export const LINKS_PER_MAILBOX_AND_DAY = 10;
export const LINKS_COUNTED_MS = 24 * 60 * MINUTE_MS;

/** May a patient be sent a link now, given when links went to their mailbox in the last day, and which of them were theirs? */
export function maySendLink(sent: readonly { readonly at: Date; readonly isTheirs: boolean }[], now: Date): boolean {
  const theirs = sent.filter(({ isTheirs }) => isTheirs);
  const isPaused = theirs.some(({ at }) => now.getTime() - at.getTime() < LINK_PAUSE_MS);
  return !isPaused && theirs.length < LINKS_PER_DAY && sent.length < LINKS_PER_MAILBOX_AND_DAY;
}

/** What of an order decides what stays of its patient. */
export interface OrderFacts {
  readonly state: OrderState;
  /** Was its credit refused, in whichever state that has left it? */
  readonly isCreditRefused: boolean;
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
  if (orders.some(({ isCreditRefused }) => isCreditRefused))
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

/** Is what is accepted for this purpose accepted for one order? The rest is accepted with the sign-up, for all orders. */
export function isOfOrder(purpose: ConsentPurpose): boolean {
  return purpose === "terms_and_credit" || purpose === "later_charge";
}

/** What decides what a withdrawal does. */
export interface Withdrawable {
  readonly owed: Clp;
  /** Is a charge or a refund under way that may still fail? */
  readonly isBusy: boolean;
  readonly hasAccess: boolean;
  readonly openClaims: number;
}

/** What a withdrawal does. `null`: it cannot be withdrawn now. */
export function effectsOf(
  purpose: ConsentPurpose,
  { owed, isBusy, hasAccess, openClaims }: Withdrawable,
): readonly WithdrawalEffect[] | null {
  const destroyed = hasAccess ? (["insurer_access_destroyed"] as const) : [];
  switch (purpose) {
    case "terms_and_credit":
      // A contract that was closed; the law has it kept.
      return null;
    case "later_charge":
      // A refund that fails leaves owed again what it had claimed.
      return owed > 0 || isBusy ? null : [];
    case "insurer_access":
      return destroyed;
    case "claim_mandate":
    case "health_data":
      return [...destroyed, ...(openClaims > 0 ? (["open_claims_stopped"] as const) : []), "no_more_claims"];
    case "marketing":
      return ["no_more_offers"];
  }
}
