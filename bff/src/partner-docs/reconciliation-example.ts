import type { ReconciliationResponse } from "../contract/reconciliation.ts";
import { clp } from "../contract/vocabulary/clp.ts";
import { orderHashSchema } from "../contract/vocabulary/identifiers.ts";
import { orderHashExample } from "./order-example.ts";

/** Two days on which the processor has a charge that is not booked. */
export const reconciliationExample: ReconciliationResponse = {
  from: "2026-11-20",
  to: "2026-11-21",
  checked_at: "2026-11-21T15:04:05.000Z",
  agrees: false,
  unavailable: [],
  compared: { orders: 214, card_movements: 226, loans: 214, bank_transfers: 1, ledger_transfers: 871 },
  balances: [
    { account: "order", balance: clp(-8_560_000) },
    { account: "card_processor", balance: clp(2_568_000) },
    { account: "financing_provider", balance: clp(5_992_000) },
  ],
  differences: [
    {
      kind: "charge_not_booked",
      party: "card_processor",
      order_hash: orderHashSchema.parse(orderHashExample),
      reference: "b81f0d3e-27c4-4c7b-9f51-5a6d2e8c4017",
      expected: null,
      found: clp(12_000),
      at: "2026-11-20T15:08:41.000Z",
    },
  ],
};
