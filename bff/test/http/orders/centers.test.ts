import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOrderRequestSchema } from "../../../src/contract/orders.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { META_PROVIDER_SCOPE } from "../../../src/contract/vocabulary/scopes.ts";
import type { OrdersDependencies } from "../../../src/orders/dependencies.ts";
import { createOrder, createOrderWriter } from "../../../src/orders/lifecycle/create-order.ts";
import { findOrder } from "../../../src/orders/order-reads.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import type { Provider } from "../../../src/platform/provider.ts";
import { nowOf, type OrdersWorld, orderBody, PATIENTS, present, startOrdersWorld } from "./orders-world.ts";

const CENTRE = { id: systemIds.uuid(), rut: parseRut("76.902.223-6") };

let world: OrdersWorld;
beforeAll(async () => {
  world = await startOrdersWorld();
});
afterAll(() => world.stop());

/** Creates an order that names a centre. Only one provider has centres. */
function create(provider: Provider, owner: Provider, centreRut: string) {
  const findCenter: OrdersDependencies["findCenter"] = async (_db, providerId, rut) =>
    providerId === owner.id && rut === CENTRE.rut ? CENTRE : null;
  const sent = {
    ...orderBody({ total: 40_000, rut: PATIENTS.good, reference: systemIds.uuid() }),
    provider_rut: centreRut,
  };
  const body = createOrderRequestSchema.parse(sent);
  return createOrder(
    { ...world.dependencies, findCenter, write: createOrderWriter(world.database.db) },
    world.principal(provider),
    body,
    { now: nowOf(provider, world.clock), maximumRate: null, keep: () => null },
  );
}

describe("provider_rut", () => {
  it("is stored with the order if it is the meta-provider's own centre", async () => {
    const meta = world.newProvider({}, [META_PROVIDER_SCOPE]);
    const { hash, center } = await create(meta, meta, "76.902.223-6");
    expect(center).toEqual(CENTRE);
    const order = present(await findOrder(world.database.db, { providerId: meta.id, orderId: hash }));
    expect(order.center).toEqual(CENTRE);
  });

  it("counts as not found if it is another meta-provider's centre", async () => {
    const [meta, owner] = [world.newProvider({}, [META_PROVIDER_SCOPE]), world.newProvider({}, [META_PROVIDER_SCOPE])];
    await expect(create(meta, owner, "76.902.223-6")).rejects.toMatchObject({ code: "center_not_found" });
  });

  it("is rejected without a look-up for a provider that is not a meta-provider", async () => {
    const provider = world.newProvider();
    await expect(create(provider, provider, "76.902.223-6")).rejects.toMatchObject({
      code: "provider_rut_not_allowed",
    });
  });
});
