import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ORDERS_FOUND_MAX, orderReferences, searchOrders } from "../../../src/orders/order-reads.ts";
import { type OrdersWorld, PATIENTS, startOrdersWorld } from "./orders-world.ts";

let world: OrdersWorld;
beforeAll(async () => {
  world = await startOrdersWorld();
});
afterAll(() => world.stop());

it("a search finds orders by hash, reference, RUT and e-mail, newest first, only of the given providers", async () => {
  const [asked, other] = [world.newProvider(), world.newProvider()];
  const { db } = world.database;
  const older = await world.createOrder(asked, { rut: PATIENTS.good });
  world.clock.advance(1_000);
  const newer = await world.createOrder(asked, { rut: PATIENTS.good });
  const { orderId: hers } = await world.createOrder(asked, { rut: PATIENTS.creditRefused });
  await db.updateTable("orders").set({ customer_email: "ana@example.org" }).where("id", "=", hers).execute();
  const idsOf = (orders: readonly { readonly orderId: string }[]) => orders.map(({ orderId }) => orderId);
  const found = async (text: string) => idsOf(await searchOrders(db, text, [asked]));
  expect(await found(older.orderId)).toEqual([older.orderId]);
  expect(await found(older.orderId.slice(0, 8))).toEqual([older.orderId]);
  expect(await found(older.reference)).toEqual([older.orderId]);
  expect(await found(PATIENTS.good)).toEqual([newer.orderId, older.orderId]);
  expect(await found("Camila@example.com")).toEqual([newer.orderId, older.orderId]);
  for (const text of [older.orderId, older.reference, PATIENTS.good, "camila@example.com"])
    expect(await searchOrders(db, text, [other])).toEqual([]);
  // The order of an erased patient has no e-mail, so no text finds it by one.
  await db.updateTable("orders").set({ customer_email: "" }).where("id", "=", hers).execute();
  expect(await found("")).toEqual([]);
  await sql`
    insert into orders select (jsonb_populate_record(newer, jsonb_build_object(
      'id', gen_random_uuid(), 'reference', 'copy-' || n, 'created_at', newer.created_at + n * interval '1 second'))).*
    from orders as newer, generate_series(1, ${ORDERS_FOUND_MAX - 1}) as n where newer.id = ${newer.orderId}::uuid`.execute(
    db,
  );
  const limited = await found(PATIENTS.good);
  expect(limited).toHaveLength(ORDERS_FOUND_MAX);
  expect([limited.at(-1), limited.includes(older.orderId)]).toEqual([newer.orderId, false]);
});

it("orderReferences reads only the requested references of a clinic", async () => {
  const provider = world.newProvider();
  const { orderId, reference } = await world.createOrder(provider);
  await world.createOrder(provider);
  const asked = { providerId: provider.id, orderIds: [orderId] };
  expect([...(await orderReferences(world.database.db, asked))]).toEqual([[orderId, reference]]);
});
