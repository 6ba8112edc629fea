import type { ConsentPurpose } from "../../contract/orders.ts";
import type { KeptData, WithdrawalEffect } from "../../contract/patient-rights.ts";
import { RIGHTS_ANSWER_DAYS } from "../../contract/terms.ts";
import { addClp, type Clp, ZERO } from "../../contract/vocabulary/clp.ts";
import { DAY_MS, MINUTE_MS } from "../../contract/vocabulary/durations.ts";
import type { OrderState } from "../../orders/order.ts";

/**
 * How the requester has proved who they are. `mailbox`: a link and its code prove only that they read the registered
 * mailbox, and anyone may have registered a RUT with any address. `identity`: an operator has checked the identity.
 */
export type Proof = "mailbox" | "identity";

/** `actor` is `patient` (by a link) or `operator:<name>`. */
export function proofOf(actor: string): Proof {
  return actor === "patient" ? "mailbox" : "identity";
}

/** Limits on the links that are sent to one patient, because anyone may request them. */
export const LINK_PAUSE_MS = 10 * MINUTE_MS;
export const LINKS_PER_DAY = 5;
/**
 * A limit for each mailbox, because one mailbox may belong to many RUTs: a family's, or RUTs that a stranger
 * registered.
 */
export const LINKS_PER_MAILBOX_AND_DAY = 10;
export const LINKS_COUNTED_MS = 24 * 60 * MINUTE_MS;

/**
 * Whether a patient may be sent a link now. `sent` are the links of the last day to their mailbox; `isTheirs`: sent for
 * this patient.
 */
export function maySendLink(sent: readonly { readonly at: Date; readonly isTheirs: boolean }[], now: Date): boolean {
  const theirs = sent.filter(({ isTheirs }) => isTheirs);
  const isPaused = theirs.some(({ at }) => now.getTime() - at.getTime() < LINK_PAUSE_MS);
  return !isPaused && theirs.length < LINKS_PER_DAY && sent.length < LINKS_PER_MAILBOX_AND_DAY;
}

/** The facts about an order that decide which data of its patient is kept. */
export interface OrderFacts {
  readonly state: OrderState;
  /** Whether its credit was refused, whatever its state. */
  readonly isCreditRefused: boolean;
  /** The amount left to charge, commission included. */
  readonly owed: Clp;
  /** Whether money has moved or is moving. */
  readonly hasPayments: boolean;
  readonly isBusy: boolean;
}

/** The data that is kept after a request for erasure, and why (ADR `0039-a-patients-data`). */
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

/** Whether name and address must be kept for now. */
export function mustWait(kept: readonly KeptData[]): boolean {
  return kept.some(({ what }) => what === "contact");
}

/** Whether the order may still be paid, or a payment or refund of it is under way. */
function isOpen({ state, isBusy }: OrderFacts): boolean {
  return isBusy || state === "awaiting_payment" || state === "paying" || state === "first_captured";
}

export function owedOf(orders: readonly Pick<OrderFacts, "owed">[]): Clp {
  return orders.reduce((sum, { owed }) => addClp(sum, owed), ZERO);
}

/** Whether consents for this purpose belong to one order. All others belong to the sign-up and hold for all orders. */
export function isOfOrder(purpose: ConsentPurpose): boolean {
  return purpose === "terms_and_credit" || purpose === "later_charge";
}

/** The facts that decide what a withdrawal does. */
export interface Withdrawable {
  readonly owed: Clp;
  /** Whether a charge or a refund is under way that may still fail. */
  readonly isBusy: boolean;
  readonly hasAccess: boolean;
  readonly hasSavedCards: boolean;
  readonly openClaims: number;
}

/** The effects of a withdrawal. `null`: the consent cannot be withdrawn. */
export function effectsOf(
  purpose: ConsentPurpose,
  { owed, isBusy, hasAccess, hasSavedCards, openClaims }: Withdrawable,
): readonly WithdrawalEffect[] | null {
  const destroyed = hasAccess ? (["insurer_access_destroyed"] as const) : [];
  switch (purpose) {
    case "terms_and_credit":
      // The contract was concluded, and the law requires that it is kept.
      return null;
    case "later_charge":
      // If a refund fails, the amount that it was to cover is owed again.
      return owed > 0 || isBusy ? ["card_not_charged"] : [];
    case "insurer_access":
      return destroyed;
    case "claim_mandate":
    case "health_data":
      return [...destroyed, ...(openClaims > 0 ? (["open_claims_stopped"] as const) : []), "no_more_claims"];
    case "saved_card":
      return hasSavedCards ? ["saved_cards_removed"] : [];
    case "marketing":
      return ["no_more_offers"];
  }
}

/** The latest day on which a request must be answered. */
export function answerBy(askedAt: Date): Date {
  return new Date(askedAt.getTime() + RIGHTS_ANSWER_DAYS * DAY_MS);
}
