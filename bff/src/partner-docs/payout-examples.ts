import type { PayoutResponse, PayoutsResponse } from "../contract/payouts.ts";
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

/** An order of 40.000 pesos, of which 3,5 % are kept. */
export const payoutExample: PayoutResponse = {
  ...payout,
  items: [
    {
      order_hash: orderHashSchema.parse(orderHashExample),
      reference: "consulta-2026-000123",
      net: clp(38_600),
      fee: clp(1_400),
    },
  ],
};
