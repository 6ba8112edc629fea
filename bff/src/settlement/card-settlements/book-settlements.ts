import type { CardProcessor } from "../../gateways/card-processor/port.ts";
import { bookSettlement } from "../../orders/ledger/book-settlement.ts";
import type { Period } from "../../orders/ledger/books.ts";
import { type Database, inTransaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import { addsUp, bookedLine, bookedSettlement } from "./settlement.ts";
import { insertSettlement } from "./settlement-store.ts";

export interface BookSettlementsDependencies {
  readonly db: Database;
  readonly ids: Ids;
  readonly cardProcessor: Pick<CardProcessor, "listSettlements">;
}

/**
 * Books the settlements that were paid in a period and are not booked yet. One whose lines do not sum to its amount is left
 * out: the reconciliation names it. `now` is the provider's time. Throws `GatewayUnavailable` if there is no list.
 */
export async function bookSettlements(
  { db, ids, cardProcessor }: BookSettlementsDependencies,
  { providerId, from, to }: Period,
  now: Date,
): Promise<void> {
  const settlements = await cardProcessor.listSettlements(providerId, from, to);
  for (const settlement of settlements.filter(addsUp)) {
    const booked = bookedSettlement(settlement);
    await inTransaction(db, async (tx) => {
      const isNew = await insertSettlement(tx, { providerId, bookedAt: now }, booked, settlement.lines.map(bookedLine));
      if (isNew) await bookSettlement(tx, ids, { ...booked, providerId, settlementId: booked.id, at: now });
    });
  }
}
