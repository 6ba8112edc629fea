import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CheckoutCall, PATIENT, payOneOrder } from "../../../lab/bench/checkout-calls.ts";
import { countingRuts } from "../../../lab/bench/counting-ruts.ts";
import { idleGateways } from "../../../lab/bench/orders-parties.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { ordersInSight } from "../../../src/self-service/my-data/patient-orders.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { CHECKOUT_MAX, MINUTE_MAX, ROUND_TRIPS_MAX, type RoundTrips, roundTripsDocument } from "./round-trips.ts";

let bff: TestBff;
let sent = 0;
const nextRut = countingRuts();

beforeAll(async () => {
  bff = await startBff({ parties: idleGateways });
  bff.database.watchStatements(() => {
    sent += 1;
  });
  // Counts the second checkout: by then the process has read everything that it reads once.
  await countCheckout();
  await countMinute();
});
afterAll(() => bff.close());

/** The round trips to the database during some work. */
async function count(work: () => Promise<unknown>): Promise<number> {
  const before = sent;
  await work();
  return sent - before;
}

async function send({ face, route, path, headers = {}, body, expected }: CheckoutCall): Promise<string> {
  const base = { order: bff.orderApi, spot: bff.spotApi, widget: bff.widgetHost }[face];
  const answer = await fetch(`${base}${path}`, {
    method: route.split(" ")[0] ?? "GET",
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  expect(answer.status, `${route}: ${text}`).toBe(expected);
  return text;
}

/** Pays an order and reads it again, like its clinic, and then the session, which has ended. */
async function countCheckout(): Promise<RoundTrips> {
  const counted: Record<string, number> = {};
  const sendCounted = async (call: CheckoutCall) => {
    let answer = "";
    counted[call.route] = await count(async () => {
      answer = await send(call);
    });
    return answer;
  };
  const { client_secret: clientSecret, client_id: clientId, public_key: publicKey } = bff.clinic.credentials;
  const paid = await payOneOrder({ clientSecret, clientId, publicKey }, nextRut(), sendCounted);
  const ofOrder = { face: "order", path: `/orders/${paid.hash}`, headers: { authorization: `Bearer ${clientSecret}` } };
  await sendCounted({ ...ofOrder, face: "order", route: "GET /orders/:hash", expected: 200 });
  await sendCounted({ ...ofOrder, face: "order", route: "GET /orders", path: "/orders", expected: 200 });
  const used = { face: "spot", path: `/api/spot/widget/${paid.widgetToken}`, expected: 410 } as const;
  await sendCounted({ ...used, route: "GET /api/spot/widget/:widget_token, token used" });
  return counted;
}

/** The worker's statements in a minute, with one poll for due work per second. */
async function countMinute(): Promise<number> {
  let total = 0;
  for (let second = 0; second < 60; second += 1) {
    bff.clock.advance(1_000);
    total += await count(() => bff.runDue());
  }
  return total;
}

/** Calls of the clinic about its orders. */
const orders = (of: Pick<CheckoutCall, "route" | "path" | "body" | "expected">) =>
  send({ ...of, face: "order", headers: { authorization: `Bearer ${bff.clinic.credentials.client_secret}` } });

/** The calls from the order to its payment. The others follow. */
const CALLS_OF_CHECKOUT = 8;

describe("round trips to the database", () => {
  it("stay within the budget of each call of a checkout, and the reference lists them", async () => {
    const idle = await countMinute();
    const calls = await countCheckout();
    const minute = (await countMinute()) - idle;
    const dearer = Object.entries(calls).filter(([route, trips]) => trips > (ROUND_TRIPS_MAX[route] ?? 0));
    expect(Object.fromEntries(dearer)).toEqual({});
    const checkout = Object.values(calls)
      .slice(0, CALLS_OF_CHECKOUT)
      .reduce((sum, trips) => sum + trips, 0);
    expect(checkout).toBeLessThanOrEqual(CHECKOUT_MAX);
    expect(minute).toBeLessThanOrEqual(MINUTE_MAX);
    await expect(roundTripsDocument(calls, checkout, minute)).toMatchFileSnapshot(
      "../../../docs/reference/round-trips.md",
    );
  });

  it("are as many for a list of orders as for a single order", async () => {
    const rut = parseRut(nextRut());
    const patient = { tenant: bff.clinic.provider.id, rut, email: null };
    const listed = async (limit: number) => {
      const page = await orders({ route: "GET /orders", path: `/orders?limit=${limit}`, expected: 200 });
      return JSON.parse(page).orders.length;
    };
    for (const number of [1, 2, 3]) {
      const body = { reference: `visit-${number}`, total_amount: 45_952, customer: { ...PATIENT, rut } };
      await orders({ route: "POST /orders", path: "/orders", body, expected: 201 });
      let found = 0;
      const trips = await count(async () => {
        found = (await ordersInSight(bff.database.db, patient, "identity")).length;
      });
      expect({ found, trips }).toEqual({ found: number, trips: 3 });
    }
    const trips: number[] = [];
    for (const limit of [1, 3])
      trips.push(
        await count(async () => {
          expect(await listed(limit)).toBe(limit);
        }),
      );
    expect(trips).toEqual([ROUND_TRIPS_MAX["GET /orders"], ROUND_TRIPS_MAX["GET /orders"]]);
  });
});
