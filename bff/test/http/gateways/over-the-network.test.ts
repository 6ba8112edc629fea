import { afterAll, beforeAll, expect, it } from "vitest";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import { readNotifications } from "../../../sandbox/read-notifications.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { checkoutOf } from "../orders/checkout.ts";

/* The service as in staging: the sandbox's parties are called only in the connector protocol. */
let bff: TestBff;
beforeAll(async () => {
  bff = await startBff({ callsOverNetwork: true });
});
afterAll(() => bff.close());

it("an order is paid, its receipt mailed and its money refunded with all parties over HTTP", async () => {
  const checkout = checkoutOf(bff);
  const hash = await checkout.paidOrder();
  expect(await checkout.read(hash)).toMatchObject({ status: "paid" });
  await bff.runDue();
  const wanted = { providerId: bff.clinic.provider.id, to: null, limit: 10 };
  expect(await readNotifications({ db: bff.database.db }, wanted)).not.toEqual([]);
  expect((await checkout.refund(hash)).status).toBe(200);
});

it("calls for other tenants succeed while one tenant's calls fail, and lost calls are settled", async () => {
  const checkout = checkoutOf(bff);
  const providerId = bff.clinic.provider.id;
  const faults = [{ party: "card-processor", method: "registerCard", kind: "fail_before", calls: 8 }] as const;
  await inTransaction(bff.database.db, (tx) => replaceFaults(tx, providerId, faults));
  const hash = await checkout.newOrder();
  await checkout.identify(hash);
  for (let call = 0; call < 8; call += 1) expect((await checkout.addCard(hash)).status).toBeGreaterThanOrEqual(500);
  expect((await checkout.addCard(hash)).status).toBe(200);
  expect((await checkout.pay(hash)).status).toBe(200);
});
