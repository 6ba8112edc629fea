import { addClp, type Clp, minClp, subtractClp, ZERO } from "../../contract/vocabulary/clp.ts";
import { commissionTakenOff } from "../order-amounts.ts";
import {
  collectableRest,
  type Movement,
  type OrderRecord,
  type PaidOtherwise,
  type PaymentRecord,
} from "../order-record.ts";
import { commissionOn } from "../quote.ts";

export type Allocation =
  | { readonly outcome: "allocated"; readonly movements: readonly Movement[] }
  /** A charge is unresolved, so it is not known yet what can be returned. */
  | { readonly outcome: "wait" }
  | { readonly outcome: "partial_refund_not_supported" }
  /** The patient's bank disputes a charge that the refund would need. */
  | { readonly outcome: "charge_disputed" };

type Refundable = Pick<
  OrderRecord,
  | "total"
  | "deferred"
  | "deferredCancelled"
  | "deferredCollected"
  | "commissionBasisPoints"
  | "payments"
  | "paidOtherwise"
>;

export interface RefundToAllocate {
  readonly amount: Clp;
  /** The sum of all accepted refunds, including this one. */
  readonly acceptedAfter: Clp;
  /** True for a refund that was accepted before its charge was resolved: it can no longer be refused. */
  readonly isPromised: boolean;
}

/** The allocation of a refund of this order if it were accepted now. */
export function planRefund(order: Refundable & Pick<OrderRecord, "refundAccepted">, amount: Clp): Allocation {
  return allocateRefund(order, { amount, acceptedAfter: addClp(order.refundAccepted, amount), isPromised: false });
}

/**
 * The sources of a refund, in this sequence:
 * - the uncollected rest of the deferred part
 * - the amount that the bank took back for good
 * - a payment by another method, which is owed by bank transfer
 * - undisputed captured charges, latest first
 *
 * The commission due is a share of the total less `acceptedAfter`. The excess goes the way of its charge.
 * A debit or prepaid charge is returned in full or not at all. A promised refund owes a partial return of such a
 * charge, and all that follows it, by bank transfer.
 */
export function allocateRefund(order: Refundable, requested: RefundToAllocate): Allocation {
  if (order.payments.some(({ status }) => status === "processing")) return { outcome: "wait" };
  const { amount, acceptedAfter, isPromised } = requested;
  const reduction = minClp(amount, collectableRest(order));
  const recovered = recoverLoss(order, subtractClp(amount, reduction), acceptedAfter);
  const rest = subtractClp(amount, addClp(reduction, priceOf(recovered)));
  const otherwise = returnOtherwise(order, rest, acceptedAfter);
  const returned = returnCharges(order, subtractClp(rest, priceOf(otherwise)), acceptedAfter);
  const isRefusable = ({ id, returnAccepted }: PaymentRecord) =>
    returnAccepted === 0 && returned.some(({ kind, paymentId }) => kind === "bank_transfer" && paymentId === id);
  if (!isPromised && order.payments.some(isRefusable)) return { outcome: "partial_refund_not_supported" };
  if (addClp(priceOf(otherwise), priceOf(returned)) < rest) {
    if (order.payments.some(({ disputed }) => disputed > 0)) return { outcome: "charge_disputed" };
    throw new RefundUncovered("the order's charges do not cover a refund within its total");
  }
  const reduced = reduceLaterCharge(order, { amount, acceptedAfter, reduction });
  const movements = [...recovered, ...otherwise, ...returned, ...reduced];
  return { outcome: "allocated", movements };
}

/**
 * The sources of a refund of only the amount that the bank took back for good. Its commission is returned too, or is no
 * longer charged. The price is 0 if nothing of the loss is left.
 */
export function allocateLoss(
  order: Refundable,
  { rest, accepted }: { readonly rest: Clp; readonly accepted: Clp },
): { readonly price: Clp; readonly movements: readonly Movement[] } {
  const price = priceOf(recoverLoss(order, rest, accepted));
  const acceptedAfter = addClp(accepted, price);
  const commissions = [
    returnOtherwise(order, ZERO, acceptedAfter),
    returnCharges(order, ZERO, acceptedAfter),
    reduceLaterCharge(order, { amount: price, acceptedAfter, reduction: ZERO }),
  ];
  return { price, movements: [...recoverLoss(order, price, acceptedAfter), ...commissions.flat()] };
}

function priceOf(movements: readonly Movement[]): Clp {
  return addClp(...movements.map(({ amount }) => amount));
}

/** At most `requested` of what the bank took back for good and no refund has claimed, latest charge first. */
function recoverLoss(order: Refundable, requested: Clp, acceptedAfter: Clp): readonly Movement[] {
  let rest = requested;
  return latestFirst(order.payments).flatMap((charge): Movement[] => {
    const lost = subtractClp(charge.lost, charge.recoveryAccepted);
    const price = minClp(rest, minClp(priceLeft(charge), lost));
    const commission = minClp(commissionBack(order, charge, acceptedAfter), subtractClp(lost, price));
    rest = subtractClp(rest, price);
    if (price + commission === 0) return [];
    return [{ kind: "loss_recovery", paymentId: charge.id, amount: price, commission }];
  });
}

/**
 * The amount by which a refund reduces the later charge: `reduction` of its price, and the commission no longer due
 * with it.
 */
function reduceLaterCharge(
  order: Refundable,
  taken: { readonly amount: Clp; readonly acceptedAfter: Clp; readonly reduction: Clp },
): readonly Movement[] {
  const commission = commissionTakenOff(order, taken);
  if (taken.reduction + commission === 0) return [];
  return [{ kind: "loan_reduction", paymentId: null, amount: taken.reduction, commission }];
}

/** At most `requested` of the payment by another method than card. */
function returnOtherwise(order: Refundable, requested: Clp, acceptedAfter: Clp): readonly Movement[] {
  const paid = order.paidOtherwise;
  if (paid === null) return [];
  const price = minClp(requested, priceLeft(paid));
  const commission = commissionBack(order, paid, acceptedAfter);
  return price + commission === 0 ? [] : [{ kind: "bank_transfer", paymentId: null, amount: price, commission }];
}

/** At most `requested` of the captured charges without a dispute, latest first. */
function returnCharges(order: Refundable, requested: Clp, acceptedAfter: Clp): readonly Movement[] {
  let rest = requested;
  return latestFirst(order.payments.filter(({ disputed }) => disputed === 0)).flatMap((charge): Movement[] => {
    const price = minClp(rest, priceLeft(charge));
    const commission = commissionBack(order, charge, acceptedAfter);
    rest = subtractClp(rest, price);
    if (price + commission === 0) return [];
    const kind = mayReturn(charge, addClp(price, commission)) ? "card_return" : "bank_transfer";
    return [{ kind, paymentId: charge.id, amount: price, commission }];
  });
}

/** Thrown when charges and deferred part do not sum to the total: a defect. */
class RefundUncovered extends Error {
  override readonly name = "RefundUncovered";
  readonly code = "refund_uncovered";
}

function latestFirst(payments: readonly PaymentRecord[]): readonly PaymentRecord[] {
  const captured = payments.filter(({ status }) => status === "captured");
  // The deferred charge is always made after the first.
  return captured.sort((a, b) => Number(a.kind === "first") - Number(b.kind === "first"));
}

type Claimable = Pick<PaidOtherwise, "amount" | "commission" | "returnAccepted" | "commissionReturnAccepted">;

/** The price of a charge that no refund has claimed. */
function priceLeft(charge: Claimable): Clp {
  const price = subtractClp(charge.amount, charge.commission);
  const returned = subtractClp(charge.returnAccepted, charge.commissionReturnAccepted);
  return subtractClp(price, returned);
}

function commissionBack(order: Refundable, charge: Claimable, acceptedAfter: Clp): Clp {
  const kept = subtractClp(charge.commission, charge.commissionReturnAccepted);
  const due = commissionOn(order.total, acceptedAfter, order.commissionBasisPoints);
  return kept > due ? subtractClp(kept, due) : ZERO;
}

function mayReturn(charge: PaymentRecord, amount: Clp): boolean {
  return charge.card.kind === "credit" || (charge.returnAccepted === 0 && amount === charge.amount);
}
