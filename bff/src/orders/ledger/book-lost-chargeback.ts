import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import { recordTransfers } from "./transfer-store.ts";

export interface LostChargeback {
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
