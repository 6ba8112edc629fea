import type { DeclineCause, DeclineLimit, DeclineReason } from "../../src/contract/errors.ts";
import type { CardBrand, CardKind, CardToSeal } from "../../src/contract/orders.ts";
import { SEALED_CARD_MINUTES_MAX } from "../../src/contract/terms.ts";
import { type Clp, clp } from "../../src/contract/vocabulary/clp.ts";
import { MINUTE_MS } from "../../src/contract/vocabulary/durations.ts";
import type { OrderId } from "../../src/contract/vocabulary/identifiers.ts";

/** The answer of a sandbox card's issuer. */
export type CardBehaviour =
  | "approved"
  | "declined"
  | "insufficient_funds"
  | "expired"
  | "security_code_wrong"
  | "stolen"
  | "blocked"
  | "challenge"
  | "challenge_failed"
  | "challenge_later"
  | "confirmed_on_page"
  | "enrolled_in_window"
  | "later_declined"
  | "later_declined_twice"
  | "later_stolen"
  | "answer_lost"
  | "call_lost"
  | "return_pending"
  | "return_pending_refused"
  | "return_too_old"
  | "amount_limited"
  | "uses_limited";

/** A test card number and its behaviour. */
export interface MagicCard {
  readonly number: string;
  readonly brand: CardBrand;
  readonly kind: CardKind;
  readonly behaviour: CardBehaviour;
}

/** Whether an opened card was sealed for this order, and recently enough. */
export function isSealedFor(card: CardToSeal, orderHash: OrderId, at: Date): boolean {
  const ageMs = at.getTime() - card.iat * 1000;
  return card.order_token === orderHash && Math.abs(ageMs) <= SEALED_CARD_MINUTES_MAX * MINUTE_MS;
}

/**
 * Whether a card's issuer requires confirmation: at a payment on the page, or when the card is registered for a later
 * charge.
 */
export function asksPatient(
  { behaviour, chargesCaptured }: { readonly behaviour: CardBehaviour; readonly chargesCaptured: number },
  purpose: "payment" | "mandate",
): boolean {
  if (behaviour === "challenge_later") return purpose === "mandate" || chargesCaptured > 0;
  return behaviour === "challenge" || behaviour === "challenge_failed";
}

/** Whether a card has expired: it is valid until the end of its month, UTC. */
export function isExpired({ expMonth, expYear }: { expMonth: number; expYear: number }, at: Date): boolean {
  return at.getTime() >= Date.UTC(expYear, expMonth, 1);
}

/** Why a card is declined when it is added; `null` if it is registered. */
export function registrationDecline(
  card: { behaviour: CardBehaviour; passesLuhn: boolean; known: boolean; expMonth: number; expYear: number },
  at: Date,
): DeclineReason | null {
  if (card.behaviour === "expired" || isExpired(card, at)) return "card_expired";
  if (card.behaviour === "security_code_wrong") return "security_code_wrong";
  return card.known || card.passesLuhn ? null : "declined";
}

/** The maximum amount that the sandbox's processor charges at once, for any card. */
export const CHARGE_MAX = clp(100_000_000);

/** The maximum amount that a card with the behaviour `amount_limited` pays at once. */
export const LIMIT_OF_A_CHARGE = clp(25_000);

export interface ChargeFacts {
  readonly amount: Clp;
  readonly behaviour: CardBehaviour;
  readonly expired: boolean;
  readonly initiator: "patient" | "merchant";
  /** Whether the call names a mandate that the patient has given for it. */
  readonly isUnderMandate: boolean;
  readonly authenticated: boolean;
  readonly chargesCaptured: number;
  readonly chargesDeclined: number;
  readonly callsLost: number;
}

export type ChargeDecision =
  | { readonly kind: "captured"; readonly answerLost: boolean }
  | ({ readonly kind: "declined"; readonly hard: boolean } & DeclineCause)
  | { readonly kind: "call_lost" };

const captured: ChargeDecision = { kind: "captured", answerLost: false };

/** The decision of the sandbox's issuer about a charge. */
export function decideCharge(facts: ChargeFacts): ChargeDecision {
  if (facts.expired) return declined("card_expired", "hard");
  const isLater = facts.chargesCaptured > 0;
  switch (facts.behaviour) {
    case "approved":
    case "expired":
    case "security_code_wrong":
    case "confirmed_on_page":
    case "enrolled_in_window":
    case "return_pending":
    case "return_pending_refused":
    case "return_too_old":
      return captured;
    case "declined":
      return declined("declined", "soft");
    case "insufficient_funds":
      return declined("insufficient_funds", "soft");
    case "stolen":
      return declined("card_lost_or_stolen", "hard");
    case "blocked":
      return declined("card_blocked", "hard");
    case "challenge_later":
      return facts.initiator === "patient" && !isLater ? captured : afterAsking(facts);
    case "challenge":
    case "challenge_failed":
      return afterAsking(facts);
    case "amount_limited":
      return facts.amount > LIMIT_OF_A_CHARGE ? beyondLimit("amount") : captured;
    case "uses_limited":
      return isLater ? beyondLimit("uses") : captured;
    case "later_declined":
      return isLater ? declined("declined", "soft") : captured;
    case "later_declined_twice":
      return isLater && facts.chargesDeclined < 2 ? declined("insufficient_funds", "soft") : captured;
    case "later_stolen":
      return isLater ? declined("card_lost_or_stolen", "hard") : captured;
    case "answer_lost":
      return { kind: "captured", answerLost: true };
    case "call_lost":
      return facts.callsLost === 0 ? { kind: "call_lost" } : captured;
  }
}

/** A later charge needs no separate authentication: the patient gave a mandate for it, which the call must name. */
function afterAsking({ initiator, isUnderMandate, authenticated }: ChargeFacts): ChargeDecision {
  const isConfirmed = initiator === "merchant" ? isUnderMandate : authenticated;
  return isConfirmed ? captured : declined("authentication_failed", "soft");
}

function declined(reason: DeclineReason, kind: "hard" | "soft"): ChargeDecision {
  return { kind: "declined", reason, hard: kind === "hard" };
}

function beyondLimit(limit: DeclineLimit): ChargeDecision {
  return { kind: "declined", reason: "declined", limit, hard: false };
}
