import type { PatientOrder } from "./orders.ts";
import { addClp, type Clp, subtractClp, ZERO } from "./vocabulary/clp.ts";

type ChargedAmounts = Pick<
  PatientOrder,
  "total_amount" | "plan" | "captured_amount" | "paid_otherwise" | "deferred_cancelled" | "returned_amount"
>;

/** The amounts of an order on its receipt: `first`, `deferred` and `commission` add up to `total`. */
export interface ReceiptAmounts {
  /** The price of the service, and the part that refunds deducted before it was charged. */
  readonly price: Clp;
  readonly cancelled: Clp;
  readonly first: Clp;
  readonly deferred: Clp;
  readonly commission: Clp;
  /** Everything that the patient pays: charges, other payments, and the outstanding charge. */
  readonly total: Clp;
  /** The amount returned to cards, which is not part of the others. */
  readonly returned: Clp;
}

export function receiptAmounts(order: ChargedAmounts): ReceiptAmounts {
  const { installments, commission } = order.plan.data;
  const [{ amount: first }, later] = installments;
  const deferred = deferredRest(order);
  const isOpen = later.status === "pending" || later.status === "scheduled" || later.status === "failed";
  const total = isOpen
    ? addClp(first, deferred, commission.amount)
    : addClp(order.captured_amount, order.paid_otherwise ?? ZERO);
  return {
    price: order.total_amount,
    cancelled: order.deferred_cancelled,
    first,
    deferred,
    commission: subtractClp(total, addClp(first, deferred)),
    total,
    returned: order.returned_amount,
  };
}

/** The second instalment, without the part that refunds deducted before it was charged. */
export function deferredRest({ plan, deferred_cancelled }: Pick<ChargedAmounts, "plan" | "deferred_cancelled">): Clp {
  return subtractClp(plan.data.installments[1].amount, deferred_cancelled);
}

/** The amount of a later charge that is still to come, commission included. */
export function laterCharge(order: Pick<ChargedAmounts, "plan" | "deferred_cancelled">): Clp {
  return addClp(deferredRest(order), order.plan.data.commission.amount);
}
