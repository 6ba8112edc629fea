import type { DeclineCause, DeclineReason, RefundRefusal } from "../contract/errors.ts";
import type { CardBrand, CardKind } from "../contract/orders.ts";
import type { CardExpiry, ChargeLimits, ExternalPage } from "../contract/vocabulary/card.ts";
import type { Clp } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { ChargeVoucher, NetworkNamed, Voucher } from "../contract/vocabulary/voucher.ts";
import type { SealingKey } from "../contract/widget-tokens.ts";
import type { GatewayCall, NotFound, Unknown } from "./gateway-call.ts";

/** A card stored by the processor. `id` is the processor's id, and also identifies the mandate for later charges. */
export interface RegisteredCard extends CardExpiry {
  readonly id: string;
  readonly brand: CardBrand;
  readonly last4: string;
  /** Absent if the processor does not report it. */
  readonly holderName?: string | undefined;
  readonly kind: CardKind;
  /** When the issuer authenticated the holder for this registration; absent if it did not. */
  readonly authenticatedAt?: Date | undefined;
}

/** The processor's own page on which a patient enters or confirms a card. */
export type CardPage = ExternalPage;

/** `only`: the processor accepts no sealed cards. `also`: it accepts both. `none`: it has no page. */
export type CardPageOffer = "none" | "also" | "only";

export type RegisterCardOutcome =
  | { readonly outcome: "registered"; readonly card: RegisteredCard }
  /** The patient must open the page. The inquiry about the call reports the outcome. */
  | ({ readonly outcome: "page" } & CardPage)
  /** The patient left the page without entering a card, or the page expired. */
  | { readonly outcome: "page_abandoned" }
  | { readonly outcome: "declined"; readonly reason: DeclineReason }
  /** The sealed card cannot be opened, was sealed for another order, or was sealed more than 15 minutes ago. */
  | { readonly outcome: "sealed_card_refused" }
  | Unknown;

export interface RegisterCardInput {
  /** Null if the patient enters the card on the processor's own page. */
  readonly sealedCard: string | null;
  readonly orderHash: OrderId;
  /** The address to which an unframed page without an opener returns. If omitted, the card must be sealed. */
  readonly returnUrl?: string | undefined;
  /** What the card is for, to be shown on the page. */
  readonly about?: { readonly clinic: string; readonly total: Clp } | undefined;
}

export type AuthenticationOutcome =
  | ({ readonly outcome: "not_needed" } & NetworkNamed)
  | ({ readonly outcome: "authenticated"; readonly authenticationId: string } & NetworkNamed)
  | ({ readonly outcome: "challenge"; readonly authenticationId: string } & ExternalPage)
  | { readonly outcome: "declined"; readonly reason: DeclineReason }
  | Unknown;

export interface AuthenticationInput {
  readonly cardId: string;
  /** With `mandate`: the amount still to be charged, which may decrease and may be 0 for a while. */
  readonly amount: Clp;
  readonly orderHash: OrderId;
  /** `payment`: the amount is charged now. `mandate`: nothing is charged; the card is registered for a later charge. */
  readonly purpose: "payment" | "mandate";
  readonly returnUrl: string;
}

export type ChargeOutcome =
  | ({ readonly outcome: "captured"; readonly chargeId: string; readonly amount: Clp } & ChargeVoucher)
  /** `hard`: the card will never work again (stolen, closed), so a retry is not allowed. */
  | ({ readonly outcome: "declined"; readonly hard: boolean } & DeclineCause)
  | Unknown;

/** The processor has accepted a return, and reports its end by inquiry. `endsBy`: the latest time of that report. */
export interface PendingReturn {
  readonly outcome: "pending";
  /** The id of the future return. */
  readonly returnId: string;
  readonly endsBy: Date;
}

export type ReturnOutcome =
  | ({ readonly outcome: "returned"; readonly returnId: string; readonly amount: Clp } & Voucher)
  | PendingReturn
  /** `reason`: present if the next step depends on it. */
  | { readonly outcome: "refused"; readonly reason?: RefundRefusal | undefined }
  | Unknown;

/** A card that the processor keeps for a customer beyond the order that it was added to. */
export interface KeptCard extends CardExpiry, Pick<RegisteredCard, "brand" | "last4"> {
  readonly storedCardId: string;
}

export type KeepCardOutcome =
  | { readonly outcome: "kept"; readonly storedCardId: string }
  | { readonly outcome: "refused" }
  | Unknown;

export type ForgetCardOutcome = { readonly outcome: "forgotten" } | Unknown;

export type RemoveCardOutcome = { readonly outcome: "removed" } | Unknown;

export type RegisterStoredCardOutcome =
  | Extract<RegisterCardOutcome, { readonly outcome: "registered" | "declined" | "unknown" }>
  /** The processor keeps no such card for this customer. */
  | { readonly outcome: "not_kept" };

/** One line of the processor's list of movements, for reconciliation. */
export interface ProcessorMovement extends Voucher {
  readonly id: string;
  readonly kind: "charge" | "return" | "chargeback";
  readonly chargeId: string;
  readonly idempotencyKey: string;
  readonly orderHash: OrderId;
  readonly amount: Clp;
  readonly at: Date;
}

/** What one movement adds to a settlement. */
export interface SettlementLine {
  /**
   * The processor's id of the movement. For a `fee`, which belongs to no movement, any id that is unique in the
   * settlement.
   */
  readonly id: string;
  /** `chargeback_reversal`: the processor gives the amount of a chargeback back, because it was won. */
  readonly kind: "charge" | "return" | "chargeback" | "chargeback_reversal" | "fee";
  /** The key of the call that caused the movement; null if the service did not request it. */
  readonly idempotencyKey: string | null;
  readonly orderHash: OrderId | null;
  /** The captured or returned amount, never negative; 0 for a `fee`. */
  readonly amount: Clp;
  /** The fee that the processor keeps, without VAT; negative if it returns a fee. */
  readonly fee: Clp;
  readonly feeVat: Clp;
}

/** One payment of the processor into the service's bank account, for the movements of its lines. */
export interface Settlement {
  readonly id: string;
  /** The amount paid in: charges and reversals less returns, chargebacks, fees and their VAT; may be negative. */
  readonly amount: Clp;
  readonly lines: readonly SettlementLine[];
  /** When it was paid. */
  readonly at: Date;
}

/**
 * The card processor, in the service's own terms. Every call is idempotent by its key, and an inquiry with the same key
 * returns its outcome. `not_found` means that the call never arrived; only then may it be made again as if new. After
 * that answer, the processor ignores any late call with this key whose `at` is before the inquiry's.
 */
export interface CardProcessor {
  /**
   * The newest public key with which a browser seals a card. Throws `GatewayUnavailable` if it accepts no sealed cards.
   */
  sealingKey(): Promise<SealingKey>;
  /** Whether it has its own page on which patients enter their cards. */
  cardPage(): Promise<CardPageOffer>;
  /** `window` if that page cannot be framed, so that the patient's press must open a window for it. */
  cardPageDisplay(): Promise<"window" | undefined>;
  /** Whether it removes an order's card on request. */
  removesCards(): Promise<boolean>;
  /** The limits agreed with it. */
  chargeLimits(): Promise<ChargeLimits>;
  /** The origin from which the challenge of strong authentication is framed, for the widget's `frame-src`. */
  readonly challengeOrigin: string;
  registerCard(call: GatewayCall, input: RegisterCardInput): Promise<RegisterCardOutcome>;
  inquireRegistration(call: GatewayCall): Promise<RegisterCardOutcome | NotFound>;
  /**
   * Removes an order's card, which can then no longer be charged. Its charges can still be refunded, and a copy kept
   * for the customer stays. An unknown card counts as removed.
   */
  removeCard(
    call: GatewayCall,
    input: { readonly cardId: string; readonly orderHash: OrderId },
  ): Promise<RemoveCardOutcome>;
  inquireRemoval(call: GatewayCall): Promise<RemoveCardOutcome | NotFound>;
  /**
   * Keeps an order's card for a customer's later orders. `customer` is the service's own id of the patient's record.
   */
  keepCard(call: GatewayCall, input: { readonly cardId: string; readonly customer: string }): Promise<KeepCardOutcome>;
  inquireKeptCard(call: GatewayCall): Promise<KeepCardOutcome | NotFound>;
  /**
   * Registers a kept card for one order, as a card with a separate id and mandate. Registering it twice is harmless.
   */
  registerStoredCard(
    call: GatewayCall,
    input: { readonly storedCardId: string; readonly customer: string; readonly orderHash: OrderId },
  ): Promise<RegisterStoredCardOutcome>;
  /** Forgets a kept card. Cards registered from it for orders stay. An unknown card counts as forgotten. */
  forgetCard(
    call: GatewayCall,
    input: { readonly storedCardId: string; readonly customer: string },
  ): Promise<ForgetCardOutcome>;
  inquireForgotten(call: GatewayCall): Promise<ForgetCardOutcome | NotFound>;
  /** The cards that the processor keeps for a customer, with their current data. */
  listKeptCards(of: { readonly providerId: string; readonly customer: string }): Promise<readonly KeptCard[]>;
  /**
   * Asks whether the issuer requires strong authentication, of a patient who pays now or registers a card for a later
   * charge. The challenge ends by redirecting to `returnUrl`.
   */
  authenticate(call: GatewayCall, input: AuthenticationInput): Promise<AuthenticationOutcome>;
  inquireAuthentication(call: GatewayCall): Promise<AuthenticationOutcome | NotFound>;
  /** `patient`: the patient pays now, on the page; `merchant`: a later charge under the mandate. */
  charge(
    call: GatewayCall,
    input: {
      readonly cardId: string;
      readonly amount: Clp;
      readonly orderHash: OrderId;
      readonly initiator: "patient" | "merchant";
      /**
       * With `patient`: the authentication of this payment, whose amount may have decreased. With `merchant`: the
       * authentication of the mandate, if the card replaced another. `null`: the issuer required none.
       */
      readonly authenticationId: string | null;
      /**
       * With `merchant`: the patient's own charge of this card with which they gave the mandate, which the schemes
       * require. `null` for a card registered later, whose mandate `authenticationId` names.
       */
      readonly initialChargeId: string | null;
      /**
       * With `merchant`: the network's id of the patient's own charge of the card or, for a card that replaced another,
       * of its mandate's authentication. Omitted if the processor reported none.
       */
      readonly initialNetworkTransactionId?: string | undefined;
    },
  ): Promise<ChargeOutcome>;
  inquireCharge(call: GatewayCall): Promise<ChargeOutcome | NotFound>;
  /** Returns captured money to its card, at once or within days. */
  returnCharge(
    call: GatewayCall,
    input: { readonly chargeId: string; readonly amount: Clp; readonly orderHash: OrderId },
  ): Promise<ReturnOutcome>;
  inquireReturn(call: GatewayCall): Promise<ReturnOutcome | NotFound>;
  /** All movements of one provider in [from, to), where `to` is excluded, oldest first. */
  listMovements(providerId: string, from: Date, to: Date): Promise<readonly ProcessorMovement[]>;
  /** All settlements of one provider paid in [from, to), oldest first; empty if the processor reports none. */
  listSettlements(providerId: string, from: Date, to: Date): Promise<readonly Settlement[]>;
}
