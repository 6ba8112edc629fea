import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { LedgerAccount } from "./accounts.ts";

/** One movement of money: one row that names both accounts, so that no amount can appear or vanish. */
export interface Transfer {
  readonly providerId: string;
  /** Null where money of many orders moves at once. */
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

/** The financing provider has taken back a part of the loan. */
export function reductionTransfer(movement: Movement): Transfer {
  return transfer(movement, "order", "financing_provider", "reduction");
}

/** The card has paid the deferred part, which is owed to the financing provider. */
export function collectionTransfer(movement: Movement): Transfer {
  return transfer(movement, "card_processor", "financing_provider", "collection");
}

/** The patient has paid the deferred part in another way than by card; it is owed to the financing provider. */
export function otherwiseTransfer(movement: Movement): Transfer {
  return transfer(movement, "paid_otherwise", "financing_provider", "otherwise");
}

/** The clinic bears what the patient's bank has taken back, because it has refunded it. */
export function recoveryTransfer(movement: Movement): Transfer {
  return transfer(movement, "order", "chargeback_loss", "recovery");
}

/** A refund that no card takes is owed to the patient by bank transfer. */
export function owedTransfer(movement: Movement): Transfer {
  return transfer(movement, "order", "transfers_owed", "owed");
}

/** Where a commission comes from, and where it goes back to. */
export interface CommissionSide {
  readonly paidFrom: "card_processor" | "paid_otherwise";
  readonly backTo: "card_processor" | "chargeback_loss" | "transfers_owed";
}

/** A commission: its net price, and the VAT on it. */
interface CommissionMovement extends Omit<Movement, "amount"> {
  readonly net: Clp;
  readonly vat: Clp;
}

/** How the causes of a commission's rows end, by the account that it comes from or goes back to. */
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

/** Commission goes back, or is given up, together with the price on which it was charged. */
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
