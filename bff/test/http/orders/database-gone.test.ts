import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandboxGateways } from "../../../sandbox/sandbox-gateways.ts";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { movableClock } from "../../../src/platform/clock.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { type Checkout, checkoutOf } from "./checkout.ts";
import { type CutMoment, type CuttableDatabase, openCuttableDatabase } from "./cuttable-database.ts";
import { acceptedConsents, orderBody, PATIENTS } from "./orders-world.ts";

/**
 * Loses the database at each message in turn, before the message or before its answer arrives. The caller gets 503.
 * Once the database is back, nothing is half done, and the same request gets its proper answer.
 */

const MESSAGES_MAX = 120;
const MINUTE_MS = 60_000;

let line: CuttableDatabase;
let bff: TestBff;
let checkout: Checkout;

beforeAll(async () => {
  line = await openCuttableDatabase();
  const now = new Date("2026-11-21T12:00:00Z");
  // The gateways have separate databases, which stay connected.
  const sandbox = createSandboxGateways({
    db: line.sound,
    ids: systemIds,
    clock: movableClock(now),
    challengeOrigin: "http://127.0.0.1",
    kill: () => undefined,
  });
  bff = await startBff({ now, database: line.database, parties: { ...sandbox, close: async () => undefined } });
  checkout = checkoutOf(bff);
});
afterAll(async () => {
  await bff.close();
  await line.close();
});

/** Cuts at each message of the request in turn, until there are no more. Returns the number of messages. */
async function atEachMessage(live: (message: number) => Promise<{ wasCut: boolean }>): Promise<number> {
  for (let message = 1; message <= MESSAGES_MAX; message += 1) {
    const { wasCut } = await live(message);
    if (!wasCut) return message - 1;
  }
  throw new Error("There are more messages than this test expects.");
}

describe.each<CutMoment>(["before", "after"])("the database is lost %s a message arrives", (moment) => {
  it("during POST /orders: 503, and the retry returns the first answer, with one order", async () => {
    let lost = 0;
    const messages = await atEachMessage(async (message) => {
      const reference = systemIds.uuid();
      const options = {
        as: bff.clinic,
        body: orderBody({ total: 40_000, rut: PATIENTS.good, reference }),
        headers: { "Idempotency-Key": systemIds.uuid() },
      };
      line.cut(message, moment);
      const first = await bff.callOrderApi(orderEndpoints.createOrder, options);
      const wasCut = line.mend();
      const isMade = (await madeUnder(reference)).length > 0;
      expect([first.status, first.body.code]).toEqual(wasCut ? [503, "service_unavailable"] : [201, undefined]);
      const again = await bff.callOrderApi(orderEndpoints.createOrder, options);
      expect(again.status).toBe(201);
      if (!wasCut) expect(again.body).toEqual(first.body);
      // Work whose answer was lost is recognised as done, not refused as a duplicate.
      expect(again.headers.get("idempotency-replayed")).toBe(isMade ? "true" : null);
      expect(await madeUnder(reference)).toEqual([{ id: again.body.hash }]);
      if (wasCut && moment === "before") expect(isMade).toBe(false);
      lost += wasCut && isMade ? 1 : 0;
      return { wasCut };
    });
    // One message admits the request, and one stores order and answer.
    expect([messages >= 2, lost]).toEqual([true, moment === "after" ? 1 : 0]);
  });

  it("during a payment: no half-done state, and one charge after recovery", async () => {
    const messages = await atEachMessage(async (message) => {
      const hash = await checkout.readyOrder();
      const options = { body: { consents: acceptedConsents }, headers: { "Idempotency-Key": systemIds.uuid() } };
      line.cut(message, moment);
      const first = await checkout.call("payOrder", hash, options);
      const wasCut = line.mend();
      if (first.status !== 200)
        expect([wasCut, first.status, first.body.code]).toEqual([true, 503, "service_unavailable"]);
      await bff.advance(2 * MINUTE_MS);
      const again = await checkout.call("payOrder", hash, options);
      expect([again.status, again.body.payment]).toEqual([200, { status: "succeeded" }]);
      await expectPaidOnce(hash);
      return { wasCut };
    });
    // Messages for the admission, the attempt, a step between each two of the four calls, and the end with the answer.
    expect(messages).toBeGreaterThanOrEqual(6);
  });
});

function madeUnder(reference: string) {
  return line.sound.selectFrom("orders").select("id").where("reference", "=", reference).execute();
}

async function expectPaidOnce(hash: string): Promise<void> {
  const order = await checkout.read(hash);
  expect([order.status, order.captured_amount]).toEqual(["paid", 12_000]);
  const provider = bff.clinic.provider.id;
  const movements = await checkout.sandbox.cardProcessor.listMovements(provider, new Date(0), new Date("2100-01-01"));
  const own = movements.filter(({ orderHash: orderId }) => orderId === hash);
  expect(own.map(({ kind, amount }) => [kind, amount])).toEqual([["charge", 12_000]]);
  const events = await line.sound.selectFrom("events").select("kind").where("order_id", "=", hash).execute();
  expect(events.filter(({ kind }) => kind === "order.paid")).toHaveLength(1);
}
