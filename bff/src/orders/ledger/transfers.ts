import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { LedgerAccount } from "./accounts.ts";

/** One movement of money: one row that names both accounts, so that no amount can appear or vanish. */
export interface Transfer {
  readonly providerId: string;
  readonly orderId: OrderId;
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

/** The card has paid the commission together with the deferred part. */
export function commissionTransfer(movement: Movement): Transfer {
  return transfer(movement, "card_processor", "commission", "commission");
}

/** The patient has paid the deferred part in another way than by card; it is owed to the financing provider. */
export function otherwiseTransfer(movement: Movement): Transfer {
  return transfer(movement, "paid_otherwise", "financing_provider", "otherwise");
}

/** The patient has paid the commission in that way too. */
export function otherwiseCommissionTransfer(movement: Movement): Transfer {
  return transfer(movement, "paid_otherwise", "commission", "commission-otherwise");
}

/** Commission was returned to the card together with the price on which it was charged. */
export function commissionReturnTransfer(movement: Movement): Transfer {
  return transfer(movement, "commission", "card_processor", "commission-return");
}

/** The clinic bears what the patient's bank has taken back, because it has refunded it. */
export function recoveryTransfer(movement: Movement): Transfer {
  return transfer(movement, "order", "chargeback_loss", "recovery");
}

/** Commission in what the bank has taken back is not kept, once its price is refunded. */
export function commissionRecoveryTransfer(movement: Movement): Transfer {
  return transfer(movement, "commission", "chargeback_loss", "commission-recovery");
}

/** A refund that no card takes is owed to the patient by bank transfer. */
export function owedTransfer(movement: Movement): Transfer {
  return transfer(movement, "order", "transfers_owed", "owed");
}

/** Commission is owed to the patient by bank transfer, together with the price on which it was charged. */
export function commissionOwedTransfer(movement: Movement): Transfer {
  return transfer(movement, "commission", "transfers_owed", "commission-owed");
}

/** An operator has made the bank transfer that was owed. */
export function transferMade(movement: Movement): Transfer {
  return transfer(movement, "transfers_owed", "paid_by_hand", "transfer");
}

function transfer(
  { sourceId, ...rest }: Movement,
  debit: LedgerAccount,
  credit: LedgerAccount,
  cause: string,
): Transfer {
  return { ...rest, debit, credit, cause: `${cause}:${sourceId}` };
}
