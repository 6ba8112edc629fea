import type { DeclineReason } from "../../contract/errors.ts";
import type { CardBrand, CardKind } from "../../contract/orders.ts";
import { addClp, type Clp, subtractClp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Rut } from "../../contract/vocabulary/rut.ts";
import type { OrderState } from "./order.ts";

/** What the card processor lets us keep of a card. `id` is the processor's, and stands for the mandate too. */
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

/** One time that a card was asked for money. */
export interface PaymentRecord {
  readonly id: string;
  readonly kind: "first" | "deferred";
  readonly status: PaymentStatus;
  readonly amount: Clp;
  /** What of the amount is commission; the rest is price. */
  readonly commission: Clp;
  /** What refunds have claimed of it, and what of that is commission. */
  readonly returnAccepted: Clp;
  readonly commissionReturnAccepted: Clp;
  /** What has gone back to the card. */
  readonly returned: Clp;
  readonly card: OrderCard;
  /** The processor's id of the charge, once captured. */
  readonly chargeId: string | null;
  readonly declineReason: DeclineReason | null;
  readonly createdAt: Date;
}

export interface RefundRecord {
  readonly id: string;
  readonly amount: Clp;
  /** Was the amount left out, so that it is all that was left? */
  readonly wholeRest: boolean;
  readonly status: "processing" | "succeeded" | "failed";
  /** False while a charge of the order is unresolved. */
  readonly allocated: boolean;
  readonly reason: string | null;
  readonly refundReference: string | null;
  /** Of the request's `Idempotency-Key`. */
  readonly keyHash: string | null;
  readonly createdAt: Date;
}

/** An order with its payments and refunds, oldest first. `id` is the hash that partners know. */
export interface OrderRecord {
  readonly providerId: string;
  readonly orderId: OrderId;
  readonly reference: string;
  readonly state: OrderState;
  readonly total: Clp;
  readonly first: Clp;
  readonly deferred: Clp;
  readonly commissionBasisPoints: number;
  /** The sub-clinic of a meta-provider. */
  readonly center: { readonly id: string; readonly rut: Rut } | null;
  readonly customer: Customer;
  readonly identityValidatedAt: Date | null;
  readonly card: OrderCard | null;
  readonly loanId: string | null;
  readonly paidAt: Date | null;
  /** What refunds have claimed, and what of it has been given back. */
  readonly refundAccepted: Clp;
  readonly refunded: Clp;
  /** What of the deferred part can no longer be collected, and what has been or is being collected. */
  readonly deferredCancelled: Clp;
  readonly deferredCollected: Clp;
  /** When its collection was given up. */
  readonly deferredFailedAt: Date | null;
  readonly eventSequence: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly payments: readonly PaymentRecord[];
  readonly refunds: readonly RefundRecord[];
}

/** What may still be refunded. */
export function refundableRest(order: Pick<OrderRecord, "total" | "refundAccepted">): Clp {
  return subtractClp(order.total, order.refundAccepted);
}

/** What of the deferred part may still be collected. */
export function collectableRest(order: Pick<OrderRecord, "deferred" | "deferredCancelled" | "deferredCollected">): Clp {
  return subtractClp(order.deferred, addClp(order.deferredCancelled, order.deferredCollected));
}
