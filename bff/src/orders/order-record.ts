import type { DeclineLimit, DeclineReason, RefundRefusal } from "../contract/errors.ts";
import type { CardBrand, CardKind, createOrderRequestSchema } from "../contract/orders.ts";
import type { CardExpiry } from "../contract/vocabulary/card.ts";
import { addClp, type Clp, clp, subtractClp, ZERO } from "../contract/vocabulary/clp.ts";
import type { CommissionTax } from "../contract/vocabulary/commission-tax.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import type { ChargeVoucher } from "../contract/vocabulary/voucher.ts";
import type { ProviderSettings } from "../platform/provider.ts";
import type { OrderState } from "./order.ts";
import { splitTotal } from "./quote.ts";

/**
 * The card data that the processor allows us to store. `id` is the processor's id and also the mandate to charge the
 * card.
 */
export interface OrderCard extends CardExpiry {
  readonly id: string;
  readonly brand: CardBrand;
  readonly last4: string;
  readonly holderName?: string | undefined;
  /** When the issuer authenticated the holder at the registration, ISO 8601: evidence against a chargeback. */
  readonly authenticatedAt?: string | undefined;
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

/** One charge of a card, captured or not. */
export interface PaymentRecord {
  readonly id: string;
  readonly kind: "first" | "deferred";
  readonly status: PaymentStatus;
  readonly amount: Clp;
  /** The commission in the amount; the rest is price. */
  readonly commission: Clp;
  /** The part of the amount that refunds have claimed, and its commission. */
  readonly returnAccepted: Clp;
  readonly commissionReturnAccepted: Clp;
  /** The amount returned to the card. */
  readonly returned: Clp;
  /** The amount that the patient's bank took back and still holds, and the part of it that is lost for good. */
  readonly disputed: Clp;
  readonly lost: Clp;
  /** The part of `returnAccepted` that is not returned, because the patient already has it from the bank. */
  readonly recoveryAccepted: Clp;
  readonly card: OrderCard;
  /** The processor's id of the charge; null until it is captured. */
  readonly chargeId: string | null;
  /** The processor's records of the charge. */
  readonly voucher: ChargeVoucher;
  readonly declineReason: DeclineReason | null;
  readonly declineLimit: DeclineLimit | null;
  readonly createdAt: Date;
}

/** A payment of the whole deferred part by another method than card. */
export interface PaidOtherwise {
  readonly id: string;
  readonly amount: Clp;
  readonly commission: Clp;
  /** The part of the amount that refunds have claimed, and its commission. */
  readonly returnAccepted: Clp;
  readonly commissionReturnAccepted: Clp;
  readonly createdAt: Date;
}

/**
 * A source of part of a refund: `amount` is price, `commission` its commission. `loan_reduction`: neither is charged
 * any more. `card_return`: both go back to the card. `loss_recovery`: the patient has both from the bank.
 * `bank_transfer`: both are owed to the patient.
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
      /** Null if the money was not paid by card. */
      readonly paymentId: string | null;
      readonly amount: Clp;
      readonly commission: Clp;
    };

export type MovementStatus = "pending" | "done" | "refused" | "dropped";

/** A stored movement of a refund. */
export type KeptMovement = Movement & {
  readonly id: string;
  readonly status: MovementStatus;
  /** Whether the card processor has accepted the return. It reports the result later. */
  readonly isTaken: boolean;
  /** Why the card processor refused the return; null if it did not refuse or gave no reason. */
  readonly refusal: RefundRefusal | null;
  /** Whether the bank transfer that is owed was made. */
  readonly isTransferred: boolean;
};

export interface RefundRecord {
  readonly id: string;
  readonly amount: Clp;
  /** True if the request named no amount, so the refund covers everything that was left. */
  readonly wholeRest: boolean;
  readonly status: "processing" | "succeeded" | "failed";
  /** False while a charge of the order is unresolved: until then it is unknown which charges the refund comes from. */
  readonly allocated: boolean;
  readonly reason: string | null;
  readonly refundReference: string | null;
  /** Hash of the request's `Idempotency-Key`. */
  readonly keyHash: string | null;
  readonly movements: readonly KeptMovement[];
  readonly createdAt: Date;
}

/** Why the card processor did not return part of a refund; null if it did, or gave no reason. */
export function refusalOf({ movements }: Pick<RefundRecord, "movements">): RefundRefusal | null {
  return movements.find(({ refusal }) => refusal !== null)?.refusal ?? null;
}

/** `boleta`: for a commission that was paid. `credit_note`: corrects it for a commission that was returned. */
export type TaxDocumentKind = "boleta" | "credit_note";

/** A tax document of the commission, due or issued. */
export interface TaxDocument {
  readonly kind: TaxDocumentKind;
  /** The payment that took the commission, or the refund movement that returned it. */
  readonly sourceId: string;
  readonly net: Clp;
  readonly vat: Clp;
  readonly dueAt: Date;
  readonly issued: { readonly number: string; readonly url: string; readonly at: Date } | null;
}

/** The parsed body of `POST /orders`. */
type SentOrder = (typeof createOrderRequestSchema)["_zod"]["output"];

/**
 * The fields that partners send and every reader of the order gets back unchanged. No decision depends on them. Each is
 * absent if the partner sent none, or it was erased with the patient.
 */
export type OrderDetails = Readonly<Omit<SentOrder, "reference" | "total_amount" | "customer" | "provider_rut">>;

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
  /** The regime when the order was created. */
  readonly commissionTax: CommissionTax;
  readonly details: OrderDetails;
  /** The sub-clinic, if the provider is a meta-provider. */
  readonly center: { readonly id: string; readonly rut: Rut } | null;
  readonly customer: Customer;
  readonly identityValidatedAt: Date | null;
  /** True if a recognition validated the identity: the registry was asked for another order. */
  readonly identityRecognised: boolean;
  readonly card: OrderCard | null;
  readonly loanId: string | null;
  readonly paidAt: Date | null;
  /** The amount that refunds have claimed, and the part of it that has been returned. */
  readonly refundAccepted: Clp;
  readonly refunded: Clp;
  /** The part of the deferred amount that is cancelled, and the part that has been or is being collected. */
  readonly deferredCancelled: Clp;
  readonly deferredCollected: Clp;
  /** When the collection was given up; null otherwise. */
  readonly deferredFailedAt: Date | null;
  /** When it was written off, so that nothing more is charged; null otherwise. */
  readonly deferredWrittenOffAt: Date | null;
  readonly eventSequence: number;
  /** Trace context of the request that created the order. Its later events join this trace unless they have one. */
  readonly traceparent: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly payments: readonly PaymentRecord[];
  readonly paidOtherwise: PaidOtherwise | null;
  readonly refunds: readonly RefundRecord[];
  readonly taxDocuments: readonly TaxDocument[];
}

/** Initial values of the fields of an order that may change. */
export const AS_MADE = {
  state: "awaiting_payment",
  identityValidatedAt: null,
  identityRecognised: false,
  card: null,
  loanId: null,
  paidAt: null,
  refundAccepted: ZERO,
  refunded: ZERO,
  deferredCancelled: ZERO,
  deferredCollected: ZERO,
  deferredFailedAt: null,
  deferredWrittenOffAt: null,
  eventSequence: 0,
  payments: [],
  paidOtherwise: null,
  refunds: [],
  taxDocuments: [],
} as const satisfies Partial<OrderRecord>;

/** What the service adds to a request to make it an order. */
interface OrderOrigin extends Pick<OrderRecord, "providerId" | "orderId" | "center" | "traceparent"> {
  readonly settings: Pick<ProviderSettings, "commissionBasisPoints" | "commissionTax">;
  /** The customer's e-mail, which the schema of the request allows to be absent. */
  readonly email: string;
  readonly now: Date;
}

/** The order that a request creates. */
export function newOrder(
  { reference, total_amount, customer, provider_rut: _center, ...details }: SentOrder,
  { settings, email, now, ...given }: OrderOrigin,
): OrderRecord {
  const { rut, first_name: firstName, last_name: lastName, phone_number: phoneNumber } = customer;
  const { commissionBasisPoints, commissionTax } = settings;
  const total = clp(total_amount);
  return {
    ...AS_MADE,
    ...given,
    ...splitTotal(total),
    reference,
    total,
    commissionBasisPoints,
    commissionTax,
    details,
    customer: { rut, firstName, lastName, email, phoneNumber },
    createdAt: now,
    updatedAt: now,
  };
}

/** The amount that can still be refunded. */
export function refundableRest(order: Pick<OrderRecord, "total" | "refundAccepted">): Clp {
  return subtractClp(order.total, order.refundAccepted);
}

/** The amount of the deferred part that can still be collected. */
export function collectableRest(order: Pick<OrderRecord, "deferred" | "deferredCancelled" | "deferredCollected">): Clp {
  return subtractClp(order.deferred, addClp(order.deferredCancelled, order.deferredCollected));
}
