import { afterAll, beforeAll, expect, it } from "vitest";
import type { FaultKind } from "../../../connectors/kit/stand-in/faults.ts";
import { operationsEndpoints } from "../../../src/contract/operations-endpoints.ts";
import type { ReconciliationResponse } from "../../../src/contract/reconciliation.ts";
import { DAY_MS, MINUTE_MS } from "../../../src/contract/vocabulary/durations.ts";
import { movableClock } from "../../../src/platform/clock.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { type Checkout, checkoutOf } from "../orders/checkout.ts";
import { present } from "../orders/orders-world.ts";
import { enrolOn, REFUSED_VISA, startTransbank, type Transbank, VISA } from "./start-transbank.ts";

/* The service with the real adapter of Transbank, on one clock. Its books must equal the stand-in's list. */

/** Twenty times each of `LIVES`. */
const ORDERS = 200;
const START = new Date("2026-11-21T18:00:00Z");

let bff: TestBff;
let transbank: Transbank;
let checkout: Checkout;
beforeAll(async () => {
  const clock = movableClock(START);
  // The connector reads the service's clock, which exists only after the connector.
  transbank = await startTransbank({ clock: { ...clock, now: () => bff?.clock.now() ?? START } });
  bff = await startBff({ now: START, parties: { cardProcessor: transbank.processor } });
  checkout = checkoutOf(bff);
});
afterAll(async () => {
  await bff.close();
  await transbank.stop();
});

/** An order whose patient has enrolled a card and may pay. */
async function ready(number = VISA): Promise<string> {
  const hash = await checkout.newOrder();
  await checkout.identify(hash);
  const { body } = await checkout.call("openCardPage", hash, { body: { inquire: false } });
  await enrolOn(body.page.url, { number });
  const added = await checkout.call("openCardPage", hash, { body: { inquire: true } });
  expect(added.body.status).toBe("added");
  return hash;
}

/** Pays an order of $40.000; $12.000 of it today. Returns the payment's status, or the code of the error. */
async function pay(hash: string, fault?: FaultKind): Promise<string> {
  if (fault !== undefined) transbank.standIn.faults.add("authorize", fault);
  const { body } = await checkout.pay(hash);
  return body.payment?.status ?? body.code;
}

/** Refunds a paid order. Above $28.000, the rest returns to the card. */
async function refund(amount: number, fault?: FaultKind): Promise<string> {
  const hash = await ready();
  expect(await pay(hash)).toBe("succeeded");
  if (fault !== undefined) transbank.standIn.faults.add("refund", fault);
  const { body } = await checkout.refund(hash, { amount });
  return body.refund.status;
}

/** What happens to the orders in turn, and the status that the caller sees first. */
const LIVES: readonly { readonly status: string; readonly live: () => Promise<string> }[] = [
  { status: "succeeded", live: async () => pay(await ready()) },
  { status: "card_declined", live: async () => pay(await ready(REFUSED_VISA)) },
  { status: "processing", live: async () => pay(await ready(), "lost") },
  { status: "processing", live: async () => pay(await ready(), "dropped") },
  { status: "succeeded", live: () => refund(30_000) },
  { status: "succeeded", live: () => refund(40_000) },
  { status: "processing", live: () => refund(35_000, "lost") },
  { status: "processing", live: () => refund(40_000, "lost") },
  { status: "processing", live: () => refund(31_000, "dropped") },
  { status: "succeeded", live: () => refund(5_000) },
];

/** Sums of the stand-in's approved charges and their returns. */
function listOfTransbank() {
  const details = [...transbank.standIn.charges.values()].flatMap((charge) => charge.details);
  const approved = details.filter(({ response_code }) => response_code === 0);
  const charged = approved.reduce((sum, { amount }) => sum + amount, 0);
  const left = approved.reduce((sum, { amount, balance = amount }) => sum + balance, 0);
  return { charges: approved.length, charged, returned: charged - left };
}

async function reconciled(from: string, to: string): Promise<ReconciliationResponse> {
  const query = { from, to };
  return (await bff.callSpotApi(operationsEndpoints.readReconciliation, { as: bff.clinic, query })).body;
}

/** The later charges follow within two months. Each range that is compared has at most 31 days. */
const RANGES = [
  ["2026-11-21", "2026-12-20"],
  ["2026-12-21", "2027-01-20"],
] as const;

// In the short check: bff/test/http/gateways/transbank.test.ts:
// provide the settlements and chargebacks for reconciliation, each once.
it("the books equal Transbank's list after 200 orders: charged, refunded, refused, and with lost answers", {
  tags: ["long"],
}, async () => {
  for (let number = 0; number < ORDERS; number += 1) {
    const { status, live } = present(LIVES[number % LIVES.length]);
    expect(await live(), `order ${number}`).toBe(status);
    await bff.advance(MINUTE_MS);
  }
  await bff.advance(60 * DAY_MS);

  const list = listOfTransbank();
  const compared = await Promise.all(RANGES.map(([from, to]) => reconciled(from, to)));
  for (const answer of compared) expect(answer).toMatchObject({ agrees: true, unavailable: [], differences: [] });
  const movements = compared.reduce((sum, { compared: { card_movements } }) => sum + card_movements, 0);
  const balances = new Map(compared.at(-1)?.balances.map(({ account, balance }) => [account, balance]));
  expect(balances.get("card_processor")).toBe(list.charged - list.returned);
  expect([...balances.values()].reduce((sum, balance) => sum + balance, 0)).toBe(0);
  // Out of ten orders, nine are charged today and four later, and five refunds reach the card.
  expect(list).toMatchObject({ charges: 20 * 13, returned: 20 * (2_000 + 12_000 + 7_000 + 12_000 + 3_000) });
  expect(movements).toBe(20 * (13 + 5));
  expect(transbank.standIn.sentAgain).toEqual([]);
});
