import { afterAll, beforeAll, expect, it } from "vitest";
import { orderReferences, searchOrders } from "../../../src/orders/order-reads.ts";
import { selectFoundOrders } from "../../../src/orders/search/order-search-store.ts";
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
  const search = { reference: "none", orderId: null, shortHash: null, rut: PATIENTS.good, email: null };
  const one = await selectFoundOrders(db, { search, providerIds: [asked.id], limit: 1 });
  expect(idsOf(one)).toEqual([newer.orderId]);
});

it("orderReferences reads only the requested references of a clinic", async () => {
  const provider = world.newProvider();
  const { orderId, reference } = await world.createOrder(provider);
  await world.createOrder(provider);
  const asked = { providerId: provider.id, orderIds: [orderId] };
  expect([...(await orderReferences(world.database.db, asked))]).toEqual([[orderId, reference]]);
});
