import { addClp, type Clp, subtractClp, ZERO } from "../../contract/vocabulary/clp.ts";
import { vatIn } from "../../contract/vocabulary/commission-tax.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import { selectOrderBalance } from "../ledger/book-store.ts";
import { recordTransfers } from "../ledger/transfer-store.ts";
import { type CommissionSide, commissionBackTransfers, commissionTransfers } from "../ledger/transfers.ts";
import type { OrderRecord } from "../order-record.ts";
import { oweDocument } from "../owe-document.ts";

/*
 * Books commissions, paid and returned: net price and VAT separately, together with the tax document that is then due.
 * A commission that is interest has no VAT, and exempt documents if it has an issuer.
 */

type Dependencies = Pick<OrdersDependencies, "ids" | "clock">;

interface Booked {
  /** The payment that took it, or the refund movement that returned it. */
  readonly sourceId: string;
  readonly amount: Clp;
  /** In the provider's time. */
  readonly at: Date;
}

/** Books a commission that the patient has paid, and records that its boleta is due. */
export async function bookCommission(
  tx: Transaction,
  dependencies: Dependencies,
  order: OrderRecord,
  { from, ...booked }: Booked & { readonly from: CommissionSide["paidFrom"] },
): Promise<void> {
  const { amount } = booked;
  if (amount === 0) return;
  const vat = vatIn(order.commissionTax, amount);
  const parts = { net: subtractClp(amount, vat), vat };
  await recordTransfers(tx, dependencies.ids, commissionTransfers({ ...order, ...booked, ...parts }, from));
  await oweDocument(tx, dependencies, order, { ...booked, ...parts, corrects: null });
}

/**
 * Books a commission that is returned to the patient, and records the nota de crédito that corrects the boleta of the
 * payment `of`. The returned VAT is the VAT no longer due on the remaining commission, so that both reach zero
 * together. The caller has locked the order.
 */
export async function bookCommissionBack(
  tx: Transaction,
  dependencies: Dependencies,
  order: OrderRecord,
  { to, of, ...booked }: Booked & { readonly to: CommissionSide["backTo"]; readonly of: string | null },
): Promise<void> {
  const { amount } = booked;
  if (amount === 0) return;
  const vat = await vatBack(tx, order, amount);
  const parts = { net: subtractClp(amount, vat), vat };
  await recordTransfers(tx, dependencies.ids, commissionBackTransfers({ ...order, ...booked, ...parts }, to));
  const corrects = of ?? order.paidOtherwise?.id;
  if (corrects === undefined) throw new CommissionUnpaid("A commission is returned that no payment took.");
  await oweDocument(tx, dependencies, order, { ...booked, ...parts, corrects });
}

async function vatBack(tx: Transaction, order: OrderRecord, amount: Clp): Promise<Clp> {
  if (order.commissionTax.regime === "interest") return ZERO;
  const net = subtractClp(ZERO, await selectOrderBalance(tx, order, "commission"));
  const vat = subtractClp(ZERO, await selectOrderBalance(tx, order, "vat"));
  const stays = subtractClp(addClp(net, vat), amount);
  return subtractClp(vat, vatIn(order.commissionTax, stays));
}

/** Thrown when a refund returns a commission without a known payment: a defect. */
class CommissionUnpaid extends Error {
  override readonly name = "CommissionUnpaid";
  readonly code = "commission_unpaid";
}
