import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { startBff, type TestBff, type TestProvider } from "../../start-bff.ts";
import type { TestAnswer } from "../../test-client.ts";
import { type Checkout, checkoutOf, NO_HASH } from "./checkout.ts";
import { PATIENTS } from "./orders-world.ts";

const DAY_MS = 86_400_000;

let bff: TestBff;
let checkout: Checkout;
let clinic: TestProvider;
beforeAll(async () => {
  bff = await startBff({ now: new Date("2026-11-21T12:00:00Z") });
  checkout = checkoutOf(bff);
  clinic = bff.clinic;
});
afterAll(() => bff.close());

function list(query: Record<string, string> = {}, as = clinic): Promise<TestAnswer> {
  return bff.callOrderApi(orderEndpoints.listOrders, { as, query });
}
const hashesOf = ({ body }: TestAnswer) => body.orders.map(({ hash }: { readonly hash: string }) => hash);

/** Creates orders of another clinic, a day apart. Returns their hashes, oldest first. */
async function newClinicWithOrders(count: number): Promise<{ as: TestProvider; hashes: string[] }> {
  const as = await bff.createProvider({ rut: "76.900.002-K" });
  const hashes: string[] = [];
  for (let number = 0; number < count; number += 1) {
    hashes.push((await checkout.create({ as, reference: `visit-${number}` })).body.hash);
    bff.clock.advance(DAY_MS);
  }
  return { as, hashes };
}

describe("GET /orders", () => {
  it("lists the clinic's own orders, newest first, as GET /orders/{hash} returns them but without their page", async () => {
    const first = await checkout.paidOrder();
    bff.clock.advance(1_000);
    const second = await checkout.newOrder();
    const { as: other } = await newClinicWithOrders(1);
    const { status, body } = await list();
    expect(status).toBe(200);
    // Only the answer about a single order has the address of its payment page.
    const { payment_page_url: _page, ...paid } = await checkout.read(first);
    expect(body).toEqual({ orders: [await checkout.read(second), paid], next: null });
    expect((await list({}, other)).body.orders).toHaveLength(1);
  });

  it("returns pages without gaps or repeats until next is null", async () => {
    const { as, hashes } = await newClinicWithOrders(5);
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page: TestAnswer = await list({ limit: "2", ...(after !== null && { after }) }, as);
      seen.push(...hashesOf(page));
      after = page.body.next;
    } while (after !== null);
    expect(seen).toEqual(hashes.toReversed());
  });

  it("filters by reference, RUT, status and days of creation in Santiago, also combined", async () => {
    bff.clock.set(new Date("2027-02-01T02:59:00Z"));
    const lastOfJanuary = (await checkout.create({ reference: "enero" })).body.hash;
    bff.clock.set(new Date("2027-02-01T03:00:00Z"));
    const firstOfFebruary = (await checkout.create({ reference: "febrero", rut: PATIENTS.creditRefused })).body.hash;
    const cancelled = await checkout.newOrder();
    await checkout.call("cancelOrder", cancelled, { body: {} });
    const found = async (query: Record<string, string>) => hashesOf(await list(query));
    expect(await found({ reference: "enero" })).toEqual([lastOfJanuary]);
    expect(await found({ rut: PATIENTS.creditRefused })).toEqual([firstOfFebruary]);
    expect(await found({ created_from: "2027-01-31", created_to: "2027-01-31" })).toEqual([lastOfJanuary]);
    expect(await found({ created_from: "2027-02-01", status: "cancelled" })).toEqual([cancelled]);
    expect(await found({ created_from: "2027-02-01", rut: PATIENTS.creditRefused, status: "paid" })).toEqual([]);
    expect(await found({ reference: "none of ours" })).toEqual([]);
  });

  /** More orders than are scanned for one page. */
  const MORE_THAN_SCANNED = 2_005;

  it("scans a bounded number of orders for each page, and returns where the next page starts", async () => {
    const { as, hashes } = await newClinicWithOrders(1);
    const { db } = bff.database;
    const [oldest = ""] = hashes;
    await checkout.call("cancelOrder", oldest, { as, body: {} });
    await sql`
      insert into orders select (jsonb_populate_record(oldest, jsonb_build_object(
        'id', gen_random_uuid(), 'reference', 'copy-' || n, 'state', 'awaiting_payment',
        'created_at', oldest.created_at + n * interval '1 second'))).*
      from orders as oldest, generate_series(1, ${MORE_THAN_SCANNED}) as n where oldest.id = ${oldest}::uuid`.execute(
      db,
    );
    const first = await list({ status: "cancelled" }, as);
    expect(first.body.orders).toEqual([]);
    const second = await list({ status: "cancelled", after: first.body.next }, as);
    expect(hashesOf(second)).toEqual([oldest]);
    expect(second.body.next).toBeNull();
  });

  it.each<{ query: Record<string, string>; path: string }>([
    { query: { status: "payed" }, path: "status" },
    { query: { limit: "101" }, path: "limit" },
    { query: { created_from: "2027-02-30" }, path: "created_from" },
    { query: { created_from: "0001-01-01" }, path: "created_from" },
    { query: { created_to: "9999-12-31" }, path: "created_to" },
    { query: { created_from: "2027-02-02", created_to: "2027-02-01" }, path: "created_to" },
    { query: { after: NO_HASH }, path: "after" },
    { query: { after: "first" }, path: "after" },
    { query: { rut: "1-1" }, path: "rut" },
  ])("rejects the query $query with 422 that names $path", async ({ query, path }) => {
    const { status, body } = await list(query);
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: "validation_error", errors: [{ path }] });
  });

  it("rejects another clinic's order as the start of a page", async () => {
    const { hashes } = await newClinicWithOrders(1);
    expect((await list({ after: hashes[0] ?? "" })).status).toBe(422);
  });

  it("does not accept the public client_id", async () => {
    const { status } = await bff.callOrderApi(orderEndpoints.listOrders, { as: clinic, using: "client_id" });
    expect(status).toBe(401);
  });
});
