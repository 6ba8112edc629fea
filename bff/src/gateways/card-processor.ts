import type { DeclineCause, DeclineReason, RefundRefusal } from "../contract/errors.ts";
import type { CardBrand, CardKind } from "../contract/orders.ts";
import type { Clp } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { ChargeVoucher, NetworkNamed, Voucher } from "../contract/vocabulary/voucher.ts";
import type { SealingKey } from "../contract/widget-tokens.ts";
import type { GatewayCall, NotFound, Unknown } from "./gateway-call.ts";

/** A card stored by the processor. `id` is the processor's id, and also identifies the mandate for later charges. */
export interface RegisteredCard {
  readonly id: string;
  readonly brand: CardBrand;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly holderName: string;
  readonly kind: CardKind;
}

/** The processor's own page, at its origin, on which a patient gives a card or confirms one. */
export interface CardPage {
  readonly url: string;
  /** From then on the page registers no card. */
  readonly expiresAt: Date;
}

/** `only`: the processor takes no sealed cards. `also`: it takes them both ways. `none`: it has no page. */
export type CardPageOffer = "none" | "also" | "only";

export type RegisterCardOutcome =
  | { readonly outcome: "registered"; readonly card: RegisteredCard }
  /** The patient is to open the page; the inquiry about the call tells what became of it. */
  | ({ readonly outcome: "page" } & CardPage)
  /** The patient left the page without giving a card, or its time ran out. */
  | { readonly outcome: "page_abandoned" }
  | { readonly outcome: "declined"; readonly reason: DeclineReason }
  /** The sealed card cannot be opened, was sealed for another order, or was sealed more than 15 minutes ago. */
  | { readonly outcome: "sealed_card_refused" }
  | Unknown;

export interface RegisterCardInput {
  /** Null: the patient is to give the card on the processor's own page. */
  readonly sealedCard: string | null;
  readonly orderHash: OrderId;
  /**
   * Where a page goes back to that is neither framed nor opened by another. Left out: a sealed card is to have none.
   */
  readonly returnUrl?: string | undefined;
}

export type AuthenticationOutcome =
  | ({ readonly outcome: "not_needed" } & NetworkNamed)
  | ({ readonly outcome: "authenticated"; readonly authenticationId: string } & NetworkNamed)
  | { readonly outcome: "challenge"; readonly authenticationId: string; readonly url: string; readonly expiresAt: Date }
  | { readonly outcome: "declined"; readonly reason: DeclineReason }
  | Unknown;

export interface AuthenticationInput {
  readonly cardId: string;
  /** With `mandate`: what is still to be charged, which may become less and be 0 for a while. */
  readonly amount: Clp;
  readonly orderHash: OrderId;
  /** `payment`: the amount is charged now. `mandate`: nothing is; the card is given for a later charge. */
  readonly purpose: "payment" | "mandate";
  readonly returnUrl: string;
}

export type ChargeOutcome =
  | ({ readonly outcome: "captured"; readonly chargeId: string; readonly amount: Clp } & ChargeVoucher)
  /** `hard`: the card will never work again (stolen, closed), so a retry is not allowed. */
  | ({ readonly outcome: "declined"; readonly hard: boolean } & DeclineCause)
  | Unknown;

/** The processor has taken a return, and tells by inquiry how it ended. `endsBy`: until when it tells it. */
export interface PendingReturn {
  readonly outcome: "pending";
  /** The id under which it will be returned. */
  readonly returnId: string;
  readonly endsBy: Date;
}

export type ReturnOutcome =
  | ({ readonly outcome: "returned"; readonly returnId: string; readonly amount: Clp } & Voucher)
  | PendingReturn
  /** `reason`: where what is to be done depends on it. */
  | { readonly outcome: "refused"; readonly reason?: RefundRefusal | undefined }
  | Unknown;

/** A card that the processor keeps for a customer beyond the order that it was added to. */
export interface KeptCard extends Pick<RegisteredCard, "brand" | "last4" | "expMonth" | "expYear"> {
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
  /** The processor's id of the movement; of a `fee`, which belongs to none, any id that is unique in the settlement. */
  readonly id: string;
  /** `chargeback_reversal`: the processor gives back what a chargeback took, because it was won. */
  readonly kind: "charge" | "return" | "chargeback" | "chargeback_reversal" | "fee";
  /** The key under which the movement was asked for; null for what the service has not asked for. */
  readonly idempotencyKey: string | null;
  readonly orderHash: OrderId | null;
  /** What was captured or went back, never negative; 0 for a `fee`. */
  readonly amount: Clp;
  /** What the processor keeps for itself, without VAT; negative where it gives a fee back. */
  readonly fee: Clp;
  readonly feeVat: Clp;
}

/** What the processor has paid into the service's bank account at once, for the movements of its lines. */
export interface Settlement {
  readonly id: string;
  /**
   * What came into the account: charges and reversals less returns, chargebacks, fees and their VAT; may be negative.
   */
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
   * The newest public key with which a browser seals a card. Throws `GatewayUnavailable` if it takes no sealed cards.
   */
  sealingKey(): Promise<SealingKey>;
  /** Whether it has a page of its own on which patients give their cards. */
  cardPage(): Promise<CardPageOffer>;
  /** Whether it removes the cards of orders when it is asked to. */
  removesCards(): Promise<boolean>;
  /** The origin from which the challenge of strong authentication is framed, for the widget's `frame-src`. */
  readonly challengeOrigin: string;
  registerCard(call: GatewayCall, input: RegisterCardInput): Promise<RegisterCardOutcome>;
  inquireRegistration(call: GatewayCall): Promise<RegisterCardOutcome | NotFound>;
  /**
   * Removes an order's card: nothing is charged to it any more. Its charges are given back as before, and what is kept
   * of it for a customer stays. One that is not there is removed.
   */
  removeCard(
    call: GatewayCall,
    input: { readonly cardId: string; readonly orderHash: OrderId },
  ): Promise<RemoveCardOutcome>;
  inquireRemoval(call: GatewayCall): Promise<RemoveCardOutcome | NotFound>;
  /**
   * Keeps an order's card for a customer's later orders. `customer` is the service's own name of the patient's record.
   */
  keepCard(call: GatewayCall, input: { readonly cardId: string; readonly customer: string }): Promise<KeepCardOutcome>;
  inquireKeptCard(call: GatewayCall): Promise<KeepCardOutcome | NotFound>;
  /**
   * Registers a kept card for one order, as a card with an id and a mandate of its own. Registering twice does no harm.
   */
  registerStoredCard(
    call: GatewayCall,
    input: { readonly storedCardId: string; readonly customer: string; readonly orderHash: OrderId },
  ): Promise<RegisterStoredCardOutcome>;
  /** Forgets a kept card; cards that were registered from it for orders stay. One that is not kept is forgotten. */
  forgetCard(
    call: GatewayCall,
    input: { readonly storedCardId: string; readonly customer: string },
  ): Promise<ForgetCardOutcome>;
  inquireForgotten(call: GatewayCall): Promise<ForgetCardOutcome | NotFound>;
  /** The cards that the processor keeps for a customer now, as its issuers know them now. */
  listKeptCards(of: { readonly providerId: string; readonly customer: string }): Promise<readonly KeptCard[]>;
  /**
   * Asks whether the issuer requires strong authentication of who pays now, or who gives a card for a later charge. The
   * challenge ends by redirecting to `returnUrl`.
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
       * With `patient`: the authentication of this payment, of which the amount may have become less. With `merchant`:
       * the authentication with which the patient gave the mandate for a card that replaced another. `null`: the issuer
       * asked for none.
       */
      readonly authenticationId: string | null;
      /**
       * With `merchant`: the charge that the patient made with this card when they gave the mandate, which the schemes
       * want named. `null` for a card that the patient gave later, whose mandate `authenticationId` names.
       */
      readonly initialChargeId: string | null;
      /**
       * With `merchant`: the network's name of the patient's own charge of the card, or of the authentication with
       * which they gave the mandate for one that replaced it. Left out where the processor has told none.
       */
      readonly initialNetworkTransactionId?: string | undefined;
    },
  ): Promise<ChargeOutcome>;
  inquireCharge(call: GatewayCall): Promise<ChargeOutcome | NotFound>;
  /** Returns captured money to the card that it came from, at once or within days. */
  returnCharge(
    call: GatewayCall,
    input: { readonly chargeId: string; readonly amount: Clp; readonly orderHash: OrderId },
  ): Promise<ReturnOutcome>;
  inquireReturn(call: GatewayCall): Promise<ReturnOutcome | NotFound>;
  /** All movements of one provider in [from, to), where `to` is excluded, oldest first. */
  listMovements(providerId: string, from: Date, to: Date): Promise<readonly ProcessorMovement[]>;
  /**
   * All settlements of one provider that were paid in [from, to), oldest first; none where the processor tells none.
   */
  listSettlements(providerId: string, from: Date, to: Date): Promise<readonly Settlement[]>;
}
