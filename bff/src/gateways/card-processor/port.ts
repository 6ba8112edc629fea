import type { DeclineReason } from "../../contract/errors.ts";
import type { CardBrand, CardKind } from "../../contract/orders.ts";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { SealingKey } from "../../contract/widget-tokens.ts";
import type { GatewayCall, NotFound, Unknown } from "../gateway-call.ts";

/** A card as the processor keeps it for us. `id` is the processor's, and stands for the mandate for later charges too. */
export interface RegisteredCard {
  readonly id: string;
  readonly brand: CardBrand;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly holderName: string;
  readonly kind: CardKind;
}

export type RegisterCardOutcome =
  | { readonly outcome: "registered"; readonly card: RegisteredCard }
  | { readonly outcome: "declined"; readonly reason: DeclineReason }
  /** Cannot be opened, was sealed for another order, or more than 15 minutes ago. */
  | { readonly outcome: "sealed_card_refused" }
  | Unknown;

export type AuthenticationOutcome =
  | { readonly outcome: "not_needed" }
  | { readonly outcome: "authenticated"; readonly authenticationId: string }
  | { readonly outcome: "challenge"; readonly authenticationId: string; readonly url: string; readonly expiresAt: Date }
  | { readonly outcome: "declined"; readonly reason: DeclineReason }
  | Unknown;

export type ChargeOutcome =
  | { readonly outcome: "captured"; readonly chargeId: string; readonly amount: Clp }
  /** `hard`: the card will never work again (stolen, closed), so that no retry is allowed. */
  | { readonly outcome: "declined"; readonly reason: DeclineReason; readonly hard: boolean }
  | Unknown;

export type ReturnOutcome =
  | { readonly outcome: "returned"; readonly returnId: string; readonly amount: Clp }
  | { readonly outcome: "refused" }
  | Unknown;

/** One line of the processor's own list, for reconciliation. */
export interface ProcessorMovement {
  readonly id: string;
  readonly kind: "charge" | "return" | "chargeback";
  readonly chargeId: string;
  readonly idempotencyKey: string;
  readonly orderId: OrderId;
  readonly amount: Clp;
  readonly at: Date;
}

/**
 * The card processor in our words. Every call is idempotent by its key; an inquiry by the same key tells what became
 * of it: `not_found` means that the call never arrived, and only then may it be made again as if new. From that answer on a
 * call under the key whose `at` is before the inquiry's has no effect, should it come late after all.
 */
export interface CardProcessor {
  /** Public key with which a browser seals a card; the newest one. */
  sealingKey(): Promise<SealingKey>;
  /** Where the challenge of strong authentication is framed from, for the widget's `frame-src`. */
  readonly challengeOrigin: string;
  registerCard(
    call: GatewayCall,
    input: { readonly sealedCard: string; readonly orderId: OrderId },
  ): Promise<RegisterCardOutcome>;
  /** Asks whether the issuer wants strong authentication of this payment. `returnUrl` is where the challenge ends. */
  authenticate(
    call: GatewayCall,
    input: { readonly cardId: string; readonly amount: Clp; readonly orderId: OrderId; readonly returnUrl: string },
  ): Promise<AuthenticationOutcome>;
  inquireAuthentication(call: GatewayCall): Promise<AuthenticationOutcome | NotFound>;
  /** `patient`: now, on the page; `merchant`: later, by the mandate. */
  charge(
    call: GatewayCall,
    input: {
      readonly cardId: string;
      readonly amount: Clp;
      readonly orderId: OrderId;
      readonly initiator: "patient" | "merchant";
      readonly authenticationId: string | null;
    },
  ): Promise<ChargeOutcome>;
  inquireCharge(call: GatewayCall): Promise<ChargeOutcome | NotFound>;
  /** Gives captured money back to the card it came from. */
  returnCharge(
    call: GatewayCall,
    input: { readonly chargeId: string; readonly amount: Clp; readonly orderId: OrderId },
  ): Promise<ReturnOutcome>;
  inquireReturn(call: GatewayCall): Promise<ReturnOutcome | NotFound>;
  /** All movements of one provider in [from, to), oldest first. */
  listMovements(providerId: string, from: Date, to: Date): Promise<readonly ProcessorMovement[]>;
}
