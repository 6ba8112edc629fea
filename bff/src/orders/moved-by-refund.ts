import { addClp, type Clp } from "../contract/vocabulary/clp.ts";
import type { Movement, OrderCard, OrderRecord, RefundRecord } from "./order-record.ts";

/** An amount with the commission in it. */
export interface MovedAmount {
  readonly amount: Clp;
  readonly commission: Clp;
}

/** What a refund has really moved. */
export interface MovedByRefund {
  /** The refunded price, without commission. */
  readonly price: Clp;
  /** What is not charged any more. */
  readonly offLaterCharge: MovedAmount;
  /** What went back to cards, latest charge first. */
  readonly toCards: readonly (MovedAmount & { readonly paymentId: string; readonly card: OrderCard })[];
  /** What the patient's bank had given back before. */
  readonly byBank: MovedAmount;
  /** What the patient is owed by bank transfer, and why it goes back to no card. */
  readonly byTransfer: MovedAmount;
  readonly transferredBecause: readonly TransferReason[];
}

/** The card takes no part of its charge back, or the money had not come from a card. */
export type TransferReason = "card_takes_no_part" | "paid_without_card";

/** All that is told of a refund's amounts comes from here: answer, order, event, mail and message. */
export function movedBy(
  { payments }: Pick<OrderRecord, "payments">,
  { movements }: Pick<RefundRecord, "movements">,
): MovedByRefund {
  const done = movements.filter(({ status }) => status === "done");
  const sumOf = (kind: Movement["kind"]) => sum(done.filter((movement) => movement.kind === kind));
  return {
    price: addClp(...done.map(({ amount }) => amount)),
    offLaterCharge: sumOf("loan_reduction"),
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

function reasonsOf(transfers: readonly Movement[]): readonly TransferReason[] {
  const reasons = transfers.map(({ paymentId }) => (paymentId === null ? "paid_without_card" : "card_takes_no_part"));
  return [...new Set<TransferReason>(reasons)];
}

function sum(movements: readonly Movement[]): MovedAmount {
  const commission = addClp(...movements.map((movement) => movement.commission));
  return { amount: addClp(commission, ...movements.map(({ amount }) => amount)), commission };
}
