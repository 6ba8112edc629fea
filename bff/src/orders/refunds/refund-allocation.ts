import { addClp, type Clp, minClp, subtractClp, ZERO } from "../../contract/vocabulary/clp.ts";
import { commissionOn } from "../orders/instalment-plan.ts";
import { collectableRest, type OrderRecord, type PaymentRecord } from "../orders/order-record.ts";

/** Source of a part of a refund. A card gets back `amount` (price) plus `commission`. */
export type Movement =
  | { readonly kind: "loan_reduction"; readonly paymentId: null; readonly amount: Clp; readonly commission: Clp }
  | { readonly kind: "card_return"; readonly paymentId: string; readonly amount: Clp; readonly commission: Clp };

export type Allocation =
  | { readonly outcome: "allocated"; readonly movements: readonly Movement[] }
  /** A charge is unresolved, so it is not known yet what can be returned. */
  | { readonly outcome: "wait" }
  | { readonly outcome: "partial_refund_not_supported" };

type Refundable = Pick<
  OrderRecord,
  "total" | "deferred" | "deferredCancelled" | "deferredCollected" | "commissionBasisPoints" | "payments"
>;

/**
 * The sources of a refund: first the uncollected rest of the deferred part, then captured charges, latest first.
 * `acceptedAfter` is the sum of all claims including this one. The commission due is a share of the total less that
 * sum; commission charged beyond it is returned with the deferred charge. A debit or prepaid charge is returned in full
 * or not at all.
 */
export function allocateRefund(order: Refundable, amount: Clp, acceptedAfter: Clp): Allocation {
  if (order.payments.some(({ status }) => status === "processing")) return { outcome: "wait" };
  const reduction = minClp(amount, collectableRest(order));
  const movements: Movement[] = [];
  let rest = subtractClp(amount, reduction);
  for (const charge of latestFirst(order.payments)) {
    const price = minClp(rest, priceLeft(charge));
    const commission = commissionBack(order, charge, acceptedAfter);
    rest = subtractClp(rest, price);
    if (price + commission === 0) continue;
    if (!mayReturn(charge, addClp(price, commission))) return { outcome: "partial_refund_not_supported" };
    movements.push({ kind: "card_return", paymentId: charge.id, amount: price, commission });
  }
  if (reduction > 0) movements.push({ kind: "loan_reduction", paymentId: null, amount: reduction, commission: ZERO });
  if (rest > 0) throw new RefundUncovered("the order's charges do not cover a refund within its total");
  return { outcome: "allocated", movements };
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

function priceLeft(charge: PaymentRecord): Clp {
  const price = subtractClp(charge.amount, charge.commission);
  const returned = subtractClp(charge.returnAccepted, charge.commissionReturnAccepted);
  return subtractClp(price, returned);
}

function commissionBack(order: Refundable, charge: PaymentRecord, acceptedAfter: Clp): Clp {
  const kept = subtractClp(charge.commission, charge.commissionReturnAccepted);
  const due = commissionOn(order.total, acceptedAfter, order.commissionBasisPoints);
  return kept > due ? subtractClp(kept, due) : ZERO;
}

function mayReturn(charge: PaymentRecord, amount: Clp): boolean {
  return charge.card.kind === "credit" || (charge.returnAccepted === 0 && amount === charge.amount);
}
