import type { PayoutResponse, PayoutsResponse } from "../contract/payouts.ts";
import type { ReconciliationResponse } from "../contract/reconciliation.ts";
import type { StatementResponse } from "../contract/statement.ts";
import { clp } from "../contract/vocabulary/clp.ts";
import { orderHashSchema } from "../contract/vocabulary/identifiers.ts";
import { orderHashExample } from "./order-example.ts";

const payout = {
  id: "5d0b1f0e-93f4-4c1e-8d0f-6a1b7a0e2c11",
  payee: { kind: "provider", id: "0c8f3f0a-5d6b-4a55-9f0e-2b6f1d3c4e5a" },
  day: "2026-11-21",
  amount: clp(38_600),
  status: "paid",
  refusal: null,
  transfer_id: "TRF-20261121-0001",
  settled_at: "2026-11-21T13:00:02.000Z",
} as const;

export const payoutsExample: PayoutsResponse = { from: "2026-10-22", to: "2026-11-21", payouts: [payout] };

/** An order of 40,000 pesos with a fee of 3.5 %, VAT included. */
export const payoutExample: PayoutResponse = {
  ...payout,
  items: [
    {
      order_hash: orderHashSchema.parse(orderHashExample),
      reference: "consulta-2026-000123",
      net: clp(38_600),
      fee: clp(1_400),
      fee_vat: clp(224),
    },
  ],
};

const sold = {
  order_hash: orderHashSchema.parse(orderHashExample),
  reference: "consulta-2026-000123",
  refund_reference: null,
  payout_id: null,
} as const;
const paidOut = { ...sold, payout_id: payout.id, at: "2026-11-21T13:00:02.000Z" } as const;

/** The order of that payout, paid on the day before. */
export const statementExample: StatementResponse = {
  month: "2026-11",
  accounts: [
    {
      payee: payout.payee,
      name: "Clínica Los Aromos del Sur SpA",
      opening: clp(0),
      movements: [
        { ...sold, at: "2026-11-20T15:08:41.000Z", kind: "sale", amount: clp(40_000), balance: clp(40_000) },
        { ...paidOut, kind: "payout", amount: clp(-38_600), balance: clp(1_400) },
        { ...paidOut, kind: "fee_vat", amount: clp(-224), balance: clp(1_176) },
        { ...paidOut, kind: "fee", amount: clp(-1_176), balance: clp(0) },
      ],
      closing: clp(0),
    },
  ],
};

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
