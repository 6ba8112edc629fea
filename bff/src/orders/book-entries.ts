import { type Clp, clp, minClp, subtractClp, ZERO } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { selectOrderBalance } from "./ledger/book-store.ts";
import { recordTransfers } from "./ledger/transfer-store.ts";
import type { Transfer } from "./ledger/transfers.ts";

interface LostChargeback {
  readonly providerId: string;
  readonly orderId: OrderId;
  /** The card processor's id of the chargeback. */
  readonly chargebackId: string;
  readonly amount: Clp;
  /** In the provider's time. */
  readonly at: Date;
}

/** Books that the service bears a lost chargeback. A second booking violates `ledger_transfers_cause_key`. */
export async function bookLostChargeback(
  tx: Transaction,
  ids: Ids,
  { chargebackId, ...lost }: LostChargeback,
): Promise<void> {
  const cause = `chargeback:${chargebackId}`;
  await recordTransfers(tx, ids, [{ ...lost, debit: "chargeback_loss", credit: "card_processor", cause }]);
}

interface PaidByHand {
  readonly providerId: string;
  readonly orderId: OrderId;
  /** The payment attempt whose captured charge could not be returned to its card. */
  readonly attemptId: string;
  readonly amount: Clp;
  /** In the provider's time. */
  readonly at: Date;
}

/**
 * Books that an operator repaid money that a card did not take back. A second booking violates
 * `ledger_transfers_cause_key`.
 */
export async function bookPaidByHand(tx: Transaction, ids: Ids, { attemptId, ...paid }: PaidByHand): Promise<void> {
  const cause = `paid-by-hand:${attemptId}`;
  await recordTransfers(tx, ids, [{ ...paid, debit: "order", credit: "paid_by_hand", cause }]);
}

interface WrittenOff {
  readonly providerId: string;
  readonly orderId: OrderId;
  /** In the provider's time. */
  readonly at: Date;
}

/**
 * Books the rest of an order's loan as uncollectable. Returns the amount. A second booking violates
 * `ledger_transfers_cause_key`.
 */
export async function bookWriteOff(tx: Transaction, ids: Ids, order: WrittenOff): Promise<Clp> {
  const amount = await selectOrderBalance(tx, order, "financing_provider");
  const cause = `write-off:${order.orderId}`;
  await recordTransfers(tx, ids, [{ ...order, debit: "written_off", credit: "financing_provider", amount, cause }]);
  return amount;
}

/** Reverses a write-off, less what later refunds took from it. A second one violates `ledger_transfers_cause_key`. */
export async function bookWriteOffReversal(tx: Transaction, ids: Ids, order: WrittenOff): Promise<void> {
  const amount = await selectOrderBalance(tx, order, "written_off");
  if (amount <= 0) return;
  const cause = `write-off-reversed:${order.orderId}`;
  await recordTransfers(tx, ids, [{ ...order, debit: "financing_provider", credit: "written_off", amount, cause }]);
}

/** Reduces a write-off by the amount that a later refund took from the loan. `refundEventId` identifies the refund. */
export async function reduceWriteOff(
  tx: Transaction,
  ids: Ids,
  order: WrittenOff,
  refundEventId: string,
): Promise<void> {
  const writtenOff = await selectOrderBalance(tx, order, "written_off");
  const overpaid = subtractClp(ZERO, await selectOrderBalance(tx, order, "financing_provider"));
  const amount = minClp(writtenOff, overpaid);
  if (amount <= 0) return;
  const cause = `write-off-reduced:${refundEventId}`;
  await recordTransfers(tx, ids, [{ ...order, debit: "financing_provider", credit: "written_off", amount, cause }]);
}

/** The part of a payout that belongs to one order. The fee holds its VAT. */
interface PaidItem {
  readonly orderId: OrderId;
  readonly net: Clp;
  readonly fee: Clp;
  readonly feeVat: Clp;
}

interface PaidOut {
  readonly providerId: string;
  readonly payoutId: string;
  /** The debt that is paid: to clinics for their orders, or to the lender for collections. */
  readonly of: "clinics" | "lender";
  /** In the provider's time. */
  readonly at: Date;
  readonly items: readonly PaidItem[];
}

/**
 * Books a payout that the bank has made, order by order: the amount paid, the fee kept, its VAT. An item that a later
 * refund made negative is booked in the opposite direction, so that the rows of a payout sum to its amount.
 */
export async function bookPayout(tx: Transaction, ids: Ids, paid: PaidOut): Promise<void> {
  await recordTransfers(tx, ids, payoutTransfers(paid));
}

/** Books that the bank sent a payout back: the reverse of each of its rows. */
export async function bookReturnedPayout(tx: Transaction, ids: Ids, returned: PaidOut): Promise<void> {
  await recordTransfers(tx, ids, returnedPayoutTransfers(returned));
}

/** The transfers of a returned payout. Exported for the test that sums them. */
export function returnedPayoutTransfers(returned: PaidOut): Transfer[] {
  return payoutTransfers(returned).map(({ debit, credit, cause, ...transfer }) => {
    const [kind = "", ...of] = cause.split(":");
    return { ...transfer, debit: credit, credit: debit, cause: [`${kind}-return`, ...of].join(":") };
  });
}

/** The transfers of a payout. Exported for the test that sums them. */
export function payoutTransfers({ providerId, payoutId, of, at, items }: PaidOut): Transfer[] {
  const [owed, cause] = of === "lender" ? (["remitted", "remittance"] as const) : (["order", "payout"] as const);
  return items.flatMap(({ orderId, net, fee, feeVat }) =>
    [
      { to: "bank" as const, cause: `${cause}:${payoutId}:${orderId}`, amount: net },
      { to: "payout_fee" as const, cause: `payout-fee:${payoutId}:${orderId}`, amount: subtractClp(fee, feeVat) },
      { to: "payout_fee_vat" as const, cause: `payout-fee-vat:${payoutId}:${orderId}`, amount: feeVat },
    ]
      .filter(({ amount }) => amount !== 0)
      .map(({ to, amount, ...booked }) => ({
        providerId,
        orderId,
        ...(amount > 0 ? { debit: owed, credit: to } : { debit: to, credit: owed }),
        amount: clp(Math.abs(amount)),
        cause: booked.cause,
        at,
      })),
  );
}

interface BookedSettlement {
  readonly providerId: string;
  /** The card processor's id of the settlement. */
  readonly settlementId: string;
  /** The amount that arrived in our bank account; negative if the processor took more than it paid. */
  readonly amount: Clp;
  readonly fee: Clp;
  readonly feeVat: Clp;
  /** In the provider's time. */
  readonly at: Date;
}

/**
 * Books a settlement of the card processor: what it paid in and what it kept. The three rows sum to the captured amount
 * less the returned amount. A second booking violates `ledger_transfers_cause_key`.
 */
export async function bookSettlement(tx: Transaction, ids: Ids, settlement: BookedSettlement): Promise<void> {
  await recordTransfers(tx, ids, settlementTransfers(settlement));
}

/** The transfers of a settlement. */
function settlementTransfers({ providerId, settlementId, amount, fee, feeVat, at }: BookedSettlement): Transfer[] {
  const parts = [
    { account: "deposits" as const, cause: `settled:${settlementId}`, part: amount },
    { account: "card_fee" as const, cause: `card-fee:${settlementId}`, part: fee },
    { account: "card_fee_vat" as const, cause: `card-fee-vat:${settlementId}`, part: feeVat },
  ];
  return parts
    .filter(({ part }) => part !== 0)
    .map(({ account, cause, part }) => ({
      providerId,
      orderId: null,
      ...(part > 0
        ? { debit: account, credit: "card_settled" as const }
        : { debit: "card_settled" as const, credit: account }),
      amount: clp(Math.abs(part)),
      cause,
      at,
    }));
}
