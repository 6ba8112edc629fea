import { addClp, type Clp, subtractClp, ZERO } from "../contract/vocabulary/clp.ts";
import { commissionOn } from "./instalment-plan.ts";
import { isPayable, wasPaid } from "./order.ts";
import { collectableRest, type OrderRecord, type PaidOtherwise, type PaymentRecord } from "./order-record.ts";

type Rated = Pick<OrderRecord, "total" | "commissionBasisPoints">;
type Collectable = Pick<OrderRecord, "deferred" | "deferredCancelled" | "deferredCollected">;

type Chargeable = Pick<OrderRecord, "state" | "refundAccepted" | "deferredWrittenOffAt">;

/** The amount that a deferred charge would take now, price and commission separately; 0 after a write-off. */
export function deferredDue(order: Rated & Collectable & Chargeable): {
  readonly price: Clp;
  readonly commission: Clp;
} {
  const isOwed = wasPaid(order.state) && order.deferredWrittenOffAt === null;
  const price = isOwed ? collectableRest(order) : ZERO;
  return { price, commission: commissionWith(order, price, order.refundAccepted) };
}

/**
 * The commission that a refund takes off the later charge. `amount` is the latest accepted refund; `reduction` is its
 * cut of that charge's price.
 */
export function commissionTakenOff(
  order: Rated & Collectable,
  { amount, acceptedAfter, reduction }: { readonly amount: Clp; readonly acceptedAfter: Clp; readonly reduction: Clp },
): Clp {
  const price = collectableRest(order);
  const before = commissionWith(order, price, subtractClp(acceptedAfter, amount));
  return subtractClp(before, commissionWith(order, subtractClp(price, reduction), acceptedAfter));
}

/** No commission is charged without a price. */
function commissionWith(order: Rated, price: Clp, refunded: Clp): Clp {
  return price === 0 ? ZERO : commissionOn(order.total, refunded, order.commissionBasisPoints);
}

type Charged = Pick<PaidOtherwise, "commission" | "commissionReturnAccepted">;

/** An order with the paid amounts of its later charge. */
interface Shown extends Rated, Collectable, Chargeable {
  readonly payments: readonly (Pick<PaymentRecord, "kind" | "status"> & Charged)[];
  readonly paidOtherwise: Charged | null;
}

/** The commission as the order shows it: still to be charged, or charged and not returned. */
export function commissionOf(order: Shown): Clp {
  if (isPayable(order.state) || order.state === "first_captured")
    return commissionOn(order.total, ZERO, order.commissionBasisPoints);
  const charged = order.payments.filter(
    ({ kind, status }) => kind === "deferred" && (status === "captured" || status === "processing"),
  );
  const otherwise = order.paidOtherwise === null ? [] : [order.paidOtherwise];
  const kept = [...charged, ...otherwise].map(({ commission, commissionReturnAccepted }) =>
    subtractClp(commission, commissionReturnAccepted),
  );
  return addClp(deferredDue(order).commission, ...kept);
}
