import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";

/**
 * The accounts of the ledger (bff/docs/reference/ledger.md). Each transfer moves an amount between two accounts, the
 * debit and the credit. A balance is debits less credits: positive for what we own or are owed, negative for what we
 * owe or have earned. The balances of all accounts always sum to zero.
 */
export const LEDGER_ACCOUNTS = {
  order: "Owed to clinics: price paid, less refunds and payouts.",
  card_processor: "Captured by the card processor and not returned.",
  financing_provider: "Lent, less reductions and amounts collected.",
  commission: "Commission paid by patients, without VAT.",
  vat: "VAT of that commission, owed to the treasury.",
  bank: "Left our bank account for clinics and the lender.",
  chargeback_loss: "Taken back for good by patients' banks, less refunds of it by clinics.",
  paid_otherwise: "Deferred parts paid into our bank account instead of by card.",
  paid_by_hand: "Repaid to patients by operators, because no card accepted it.",
  transfers_owed: "Owed to patients by bank transfer, because no card accepts it.",
  written_off: "Lent and no longer collected, less later refunds of it.",
  payout_fee: "Fee kept of the amounts owed to clinics, without VAT.",
  payout_fee_vat: "VAT of that fee, owed to the treasury.",
  card_settled: "Captures and returns settled by the card processor: paid in, or kept as its fee.",
  deposits: "Reported by the card processor as paid into our bank account.",
  card_fee: "Fees kept by the card processor, without VAT.",
  card_fee_vat: "VAT of those fees.",
  remitted: "Paid to the lender of the collected deferred parts.",
  stamp_tax: "Stamp tax on loans whose commission includes it: a cost of that commission.",
  stamp_tax_owed: "That tax, owed to the lender, who pays it to the treasury.",
} as const;
export type LedgerAccount = keyof typeof LEDGER_ACCOUNTS;

/** One movement of money: one row that names both accounts, so that no amount can appear or vanish. */
export interface Transfer {
  readonly providerId: string;
  /** Null if the transfer moves money of many orders at once. */
  readonly orderId: OrderId | null;
  readonly debit: LedgerAccount;
  readonly credit: LedgerAccount;
  readonly amount: Clp;
  /** The reason for the transfer, such as `capture:<payment>`; it is unique per provider. */
  readonly cause: string;
  /** In the provider's time. */
  readonly at: Date;
}

interface Movement {
  readonly providerId: string;
  readonly orderId: OrderId;
  /** The id of the payment, attempt or refund movement that caused it. */
  readonly sourceId: string;
  readonly amount: Clp;
  readonly at: Date;
}

/** The card has paid the order's first instalment. */
export function captureTransfer(movement: Movement): Transfer {
  return transfer(movement, "card_processor", "order", "capture");
}

/** Captured money was returned to the card. */
export function returnTransfer(movement: Movement): Transfer {
  return transfer(movement, "order", "card_processor", "return");
}

/** The financing provider has paid the deferred part. */
export function loanTransfer(movement: Movement): Transfer {
  return transfer(movement, "financing_provider", "order", "loan");
}

/** The loan owes stamp tax, which its commission includes. It is owed for good, also if the loan is later reduced. */
export function stampTaxTransfer(movement: Movement): Transfer {
  return transfer(movement, "stamp_tax", "stamp_tax_owed", "stamp-tax");
}

/** The financing provider has taken back a part of the loan. */
export function reductionTransfer(movement: Movement): Transfer {
  return transfer(movement, "order", "financing_provider", "reduction");
}

/** The card has paid the deferred part, which is owed to the financing provider. */
export function collectionTransfer(movement: Movement): Transfer {
  return transfer(movement, "card_processor", "financing_provider", "collection");
}

/** The patient has paid the deferred part by another method than card; it is owed to the financing provider. */
export function otherwiseTransfer(movement: Movement): Transfer {
  return transfer(movement, "paid_otherwise", "financing_provider", "otherwise");
}

/** The clinic bears what the patient's bank took back, because it has refunded that amount. */
export function recoveryTransfer(movement: Movement): Transfer {
  return transfer(movement, "order", "chargeback_loss", "recovery");
}

/** A refund that no card accepts is owed to the patient by bank transfer. */
export function owedTransfer(movement: Movement): Transfer {
  return transfer(movement, "order", "transfers_owed", "owed");
}

/** The account that a commission comes from and returns to. */
export interface CommissionSide {
  readonly paidFrom: "card_processor" | "paid_otherwise";
  readonly backTo: "card_processor" | "chargeback_loss" | "transfers_owed";
}

/** A commission: its net price, and the VAT on it. */
interface CommissionMovement extends Omit<Movement, "amount"> {
  readonly net: Clp;
  readonly vat: Clp;
}

/** The suffix of the causes of a commission's rows, by the account that it comes from or returns to. */
const COMMISSION_CAUSES = {
  card_processor: { paid: "", back: "-return" },
  paid_otherwise: { paid: "-otherwise" },
  chargeback_loss: { back: "-recovery" },
  transfers_owed: { back: "-owed" },
} as const;

/** The patient has paid the commission together with the deferred part. */
export function commissionTransfers(
  { net, vat, ...movement }: CommissionMovement,
  from: CommissionSide["paidFrom"],
): readonly Transfer[] {
  const { paid } = COMMISSION_CAUSES[from];
  return [
    transfer({ ...movement, amount: net }, from, "commission", `commission${paid}`),
    transfer({ ...movement, amount: vat }, from, "vat", `vat${paid}`),
  ];
}

/** Commission is returned, or waived, together with the price on which it was charged. */
export function commissionBackTransfers(
  { net, vat, ...movement }: CommissionMovement,
  to: CommissionSide["backTo"],
): readonly Transfer[] {
  const { back } = COMMISSION_CAUSES[to];
  return [
    transfer({ ...movement, amount: net }, "commission", to, `commission${back}`),
    transfer({ ...movement, amount: vat }, "vat", to, `vat${back}`),
  ];
}

/** An operator has made the bank transfer that was owed. */
export function transferMade(movement: Movement): Transfer {
  return transfer(movement, "transfers_owed", "paid_by_hand", "transfer");
}

function transfer(
  { providerId, orderId, sourceId, amount, at }: Movement,
  debit: LedgerAccount,
  credit: LedgerAccount,
  cause: string,
): Transfer {
  return { providerId, orderId, debit, credit, amount, cause: `${cause}:${sourceId}`, at };
}
