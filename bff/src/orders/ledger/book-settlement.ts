import { type Clp, clp } from "../../contract/vocabulary/clp.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import { recordTransfers } from "./transfer-store.ts";
import type { Transfer } from "./transfers.ts";

export interface BookedSettlement {
  readonly providerId: string;
  /** The card processor's id of the settlement. */
  readonly settlementId: string;
  /** What came into our bank account; negative if the processor took more than it gave. */
  readonly amount: Clp;
  readonly fee: Clp;
  readonly feeVat: Clp;
  /** In the provider's time. */
  readonly at: Date;
}

/**
 * Books what the card processor has settled: what it paid in, and what it kept. The three rows sum to what was captured
 * less what went back. A second booking violates `ledger_transfers_cause_key`.
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
