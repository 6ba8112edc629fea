import { addClp, type Clp, subtractClp, ZERO } from "../contract/vocabulary/clp.ts";
import { isPayable, wasPaid } from "./order.ts";
import {
  collectableRest,
  type Movement,
  type OrderCard,
  type OrderRecord,
  type PaidOtherwise,
  type PaymentRecord,
  type RefundRecord,
} from "./order-record.ts";
import { commissionOn } from "./quote.ts";

/** An amount that includes its commission. */
export interface MovedAmount {
  readonly amount: Clp;
  readonly commission: Clp;
}

/** Where the amounts of a refund went. */
export interface MovedByRefund {
  /** The refunded price, without commission. */
  readonly price: Clp;
  /** The amount that will no longer be charged: none if the rest had been written off, because nothing was due. */
  readonly offLaterCharge: MovedAmount;
  /** The amounts returned to cards, latest charge first. */
  readonly toCards: readonly (MovedAmount & { readonly paymentId: string; readonly card: OrderCard })[];
  /** The amount that the patient's bank had already given back. */
  readonly byBank: MovedAmount;
  /** The amounts owed to the patient by bank transfer, and why no card gets them. */
  readonly byTransfer: MovedAmount;
  readonly transferredBecause: readonly TransferReason[];
}

/** The card accepts no partial return of its charge, or the money did not come from a card. */
export type TransferReason = "card_takes_no_part" | "paid_without_card";

/** The only source of a refund's amounts for answers, orders, events, mails and messages. */
export function movedBy(
  { payments, deferredWrittenOffAt: writtenOffAt }: Pick<OrderRecord, "payments" | "deferredWrittenOffAt">,
  { movements, createdAt }: Pick<RefundRecord, "movements" | "createdAt">,
): MovedByRefund {
  const done = movements.filter(({ status }) => status === "done");
  const sumOf = (kind: Movement["kind"]) => sum(done.filter((movement) => movement.kind === kind));
  return {
    price: addClp(...done.map(({ amount }) => amount)),
    offLaterCharge: writtenOffAt !== null && createdAt >= writtenOffAt ? NOTHING : sumOf("loan_reduction"),
    toCards: payments
      .flatMap(({ id, card }) => {
        const returns = done.filter((movement) => movement.kind === "card_return" && movement.paymentId === id);
        return returns.length === 0 ? [] : [{ ...sum(returns), paymentId: id, card }];
      })
      .toReversed(),
    byBank: sumOf("loss_recovery"),
    byTransfer: sumOf("bank_transfer"),
    transferredBecause: reasonsOf(done.filter(({ kind }) => kind === "bank_transfer")),
  };
}

const NOTHING: MovedAmount = { amount: ZERO, commission: ZERO };

/** The amount that the patient has paid and has not got back: to a card, by transfer, or by their bank. */
export function paidAndKept(
  order: Pick<OrderRecord, "payments" | "deferredWrittenOffAt" | "paidOtherwise" | "refunds">,
): Clp {
  const byCard = order.payments
    .filter(({ status }) => status === "captured")
    .map(({ amount, returned, disputed }) => subtractClp(amount, addClp(returned, disputed)));
  const transferred = addClp(...order.refunds.map((refund) => movedBy(order, refund).byTransfer.amount));
  return subtractClp(addClp(order.paidOtherwise?.amount ?? ZERO, ...byCard), transferred);
}

function reasonsOf(transfers: readonly Movement[]): readonly TransferReason[] {
  const reasons = transfers.map(({ paymentId }) => (paymentId === null ? "paid_without_card" : "card_takes_no_part"));
  return [...new Set<TransferReason>(reasons)];
}

function sum(movements: readonly Movement[]): MovedAmount {
  const commission = addClp(...movements.map((movement) => movement.commission));
  return { amount: addClp(commission, ...movements.map(({ amount }) => amount)), commission };
}

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
