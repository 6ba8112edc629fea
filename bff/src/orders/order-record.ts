import type { DeclineLimit, DeclineReason, RefundRefusal } from "../contract/errors.ts";
import type { CardBrand, CardKind, OrderItem } from "../contract/orders.ts";
import { addClp, type Clp, subtractClp } from "../contract/vocabulary/clp.ts";
import type { CommissionTax } from "../contract/vocabulary/commission-tax.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import type { ChargeVoucher } from "../contract/vocabulary/voucher.ts";
import type { OrderState } from "./order.ts";

/**
 * What the card processor allows us to store of a card. `id` is the processor's id and also stands for the mandate to
 * charge it.
 */
export interface OrderCard {
  readonly id: string;
  readonly brand: CardBrand;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly holderName: string;
  readonly kind: CardKind;
}

export interface Customer {
  readonly rut: Rut;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly phoneNumber: string;
}

export type PaymentStatus = "processing" | "captured" | "declined" | "failed" | "undone";

/** One charge of a card, made or attempted. */
export interface PaymentRecord {
  readonly id: string;
  readonly kind: "first" | "deferred";
  readonly status: PaymentStatus;
  readonly amount: Clp;
  /** The part of the amount that is commission; the rest is price. */
  readonly commission: Clp;
  /** The part of the amount that refunds have claimed, and the commission in that part. */
  readonly returnAccepted: Clp;
  readonly commissionReturnAccepted: Clp;
  /** What was returned to the card. */
  readonly returned: Clp;
  /** What the patient's bank has taken back and not given back, and the part of it that is lost for good. */
  readonly disputed: Clp;
  readonly lost: Clp;
  /** The part of `returnAccepted` that is not returned, because the patient has it from the bank. */
  readonly recoveryAccepted: Clp;
  readonly card: OrderCard;
  /** The processor's id of the charge; null until it is captured. */
  readonly chargeId: string | null;
  /** What the processor's records say of the charge. */
  readonly voucher: ChargeVoucher;
  readonly declineReason: DeclineReason | null;
  readonly declineLimit: DeclineLimit | null;
  readonly createdAt: Date;
}

/** What the patient has paid of the deferred part in another way than by card, all at once. */
export interface PaidOtherwise {
  readonly id: string;
  readonly amount: Clp;
  readonly commission: Clp;
  /** The part of the amount that refunds have claimed, and the commission in that part. */
  readonly returnAccepted: Clp;
  readonly commissionReturnAccepted: Clp;
  readonly createdAt: Date;
}

/**
 * A source of a part of a refund: `amount` is price, `commission` the commission with it. With `loan_reduction` neither
 * is charged any more; with `card_return` both go back to the card; with `loss_recovery` the patient has both from the
 * bank; with `bank_transfer` both are owed to the patient.
 */
export type Movement =
  | { readonly kind: "loan_reduction"; readonly paymentId: null; readonly amount: Clp; readonly commission: Clp }
  | {
      readonly kind: "card_return" | "loss_recovery";
      readonly paymentId: string;
      readonly amount: Clp;
      readonly commission: Clp;
    }
  | {
      readonly kind: "bank_transfer";
      /** `null`: it comes of what was paid in another way than by card. */
      readonly paymentId: string | null;
      readonly amount: Clp;
      readonly commission: Clp;
    };

export type MovementStatus = "pending" | "done" | "refused" | "dropped";

/** A stored movement of a refund. */
export type KeptMovement = Movement & {
  readonly id: string;
  readonly status: MovementStatus;
  /** Whether the card processor has taken the return, and tells or has told its end later. */
  readonly isTaken: boolean;
  /** Why the card processor refused the return; `null` if it did not refuse it or did not say why. */
  readonly refusal: RefundRefusal | null;
};

export interface RefundRecord {
  readonly id: string;
  readonly amount: Clp;
  /** True if the request named no amount, so that the refund is for everything that was left. */
  readonly wholeRest: boolean;
  readonly status: "processing" | "succeeded" | "failed";
  /**
   * False until it is known which charges the refund comes from, that is, while a charge of the order is unresolved.
   */
  readonly allocated: boolean;
  readonly reason: string | null;
  readonly refundReference: string | null;
  /** Hash of the request's `Idempotency-Key`. */
  readonly keyHash: string | null;
  readonly movements: readonly KeptMovement[];
  readonly createdAt: Date;
}

/** Why the card processor did not return what a refund asked for; `null` if it did, or did not say why. */
export function refusalOf({ movements }: Pick<RefundRecord, "movements">): RefundRefusal | null {
  return movements.find(({ refusal }) => refusal !== null)?.refusal ?? null;
}

/** `boleta`: of a commission that was paid. `credit_note`: corrects it by a commission that went back. */
export type TaxDocumentKind = "boleta" | "credit_note";

/** A tax document of the commission that is due, or issued. */
export interface TaxDocument {
  readonly kind: TaxDocumentKind;
  /** The payment that took the commission, or the movement of a refund that gave it back. */
  readonly sourceId: string;
  readonly net: Clp;
  readonly vat: Clp;
  readonly dueAt: Date;
  readonly issued: { readonly number: string; readonly url: string; readonly at: Date } | null;
}

/** An order with its payments and refunds, oldest first. `orderId` is the hash that partners know. */
export interface OrderRecord {
  readonly providerId: string;
  readonly orderId: OrderId;
  readonly reference: string;
  readonly state: OrderState;
  readonly total: Clp;
  readonly first: Clp;
  readonly deferred: Clp;
  readonly commissionBasisPoints: number;
  /** As it was when the order was created. */
  readonly commissionTax: CommissionTax;
  /** The lines of the bill; null if the partner gave none, or they were erased. */
  readonly items: readonly OrderItem[] | null;
  /** The sub-clinic, if the provider is a meta-provider. */
  readonly center: { readonly id: string; readonly rut: Rut } | null;
  readonly customer: Customer;
  readonly identityValidatedAt: Date | null;
  /** Whether that stands on a recognition: the registry was asked about another order. */
  readonly identityRecognised: boolean;
  readonly card: OrderCard | null;
  readonly loanId: string | null;
  readonly paidAt: Date | null;
  /** What refunds have claimed, and the part of it that has been returned. */
  readonly refundAccepted: Clp;
  readonly refunded: Clp;
  /**
   * The part of the deferred amount that can no longer be collected, and the part that has been or is being collected.
   */
  readonly deferredCancelled: Clp;
  readonly deferredCollected: Clp;
  /** When the collection was given up; null otherwise. */
  readonly deferredFailedAt: Date | null;
  /** When it was given up for good, so that nothing of it is charged any more; null otherwise. */
  readonly deferredWrittenOffAt: Date | null;
  readonly eventSequence: number;
  /** Of the request that created it: what happens to it without a trace of its own belongs to this one. */
  readonly traceparent: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly payments: readonly PaymentRecord[];
  readonly paidOtherwise: PaidOtherwise | null;
  readonly refunds: readonly RefundRecord[];
  readonly taxDocuments: readonly TaxDocument[];
}

/** The amount that can still be refunded. */
export function refundableRest(order: Pick<OrderRecord, "total" | "refundAccepted">): Clp {
  return subtractClp(order.total, order.refundAccepted);
}

/** The amount of the deferred part that can still be collected. */
export function collectableRest(order: Pick<OrderRecord, "deferred" | "deferredCancelled" | "deferredCollected">): Clp {
  return subtractClp(order.deferred, addClp(order.deferredCancelled, order.deferredCollected));
}
