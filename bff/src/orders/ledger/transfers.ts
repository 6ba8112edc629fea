import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { LedgerAccount } from "./accounts.ts";

/** One movement of money. It takes from nobody what it does not give to somebody: one row, two accounts. */
export interface Transfer {
  readonly providerId: string;
  readonly orderId: OrderId;
  readonly debit: LedgerAccount;
  readonly credit: LedgerAccount;
  readonly amount: Clp;
  /** What made it happen, once per provider: `capture:<payment>`. */
  readonly cause: string;
  /** In the provider's time. */
  readonly at: Date;
}

interface Movement {
  readonly providerId: string;
  readonly orderId: OrderId;
  /** The payment, attempt or refund movement that made it. */
  readonly sourceId: string;
  readonly amount: Clp;
  readonly at: Date;
}

/** The card has paid for the order. */
export function captureTransfer(movement: Movement): Transfer {
  return transfer(movement, "card_processor", "order", "capture");
}

/** Captured money has gone back to the card. */
export function returnTransfer(movement: Movement): Transfer {
  return transfer(movement, "order", "card_processor", "return");
}

/** The financing provider has paid the deferred part. */
export function loanTransfer(movement: Movement): Transfer {
  return transfer(movement, "financing_provider", "order", "loan");
}

/** The financing provider has taken a part of the loan back. */
export function reductionTransfer(movement: Movement): Transfer {
  return transfer(movement, "order", "financing_provider", "reduction");
}

/** The card has paid the deferred part, which belongs to the financing provider. */
export function collectionTransfer(movement: Movement): Transfer {
  return transfer(movement, "card_processor", "financing_provider", "collection");
}

/** The card has paid the commission with the deferred part. */
export function commissionTransfer(movement: Movement): Transfer {
  return transfer(movement, "card_processor", "commission", "commission");
}

/** Commission has gone back to the card with what it was charged on. */
export function commissionReturnTransfer(movement: Movement): Transfer {
  return transfer(movement, "commission", "card_processor", "commission-return");
}

function transfer(
  { sourceId, ...rest }: Movement,
  debit: LedgerAccount,
  credit: LedgerAccount,
  cause: string,
): Transfer {
  return { ...rest, debit, credit, cause: `${cause}:${sourceId}` };
}
