import { expect, it, onTestFinished } from "vitest";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { sandboxEndpoints } from "../../../src/contract/sandbox-endpoints.ts";
import { startBff } from "../../start-bff.ts";
import { orderBody, PATIENTS } from "../orders/orders-world.ts";

const { readSandboxRequests } = sandboxEndpoints;

it("GET /sandbox/requests: 200 with only the tenant's own calls, and the reason of a refusal", async () => {
  const bff = await startBff();
  onTestFinished(() => bff.close());
  const other = await bff.createProvider({ rut: "76.900.002-K" });
  const good = orderBody({ total: 40_000, rut: PATIENTS.good, reference: "one" });
  await bff.callOrderApi(orderEndpoints.createOrder, {
    as: bff.clinic,
    body: { ...good, total_amount: "planted-4711" },
  });
  await bff.callOrderApi(orderEndpoints.createOrder, { as: other, body: good });
  const { status, body } = await bff.callOrderApi(readSandboxRequests, { as: bff.clinic });
  expect(status).toBe(200);
  expect(body.requests).toMatchObject([
    { method: "POST", route: "/orders", status: 422, code: "validation_error", invalid_fields: ["total_amount"] },
  ]);
  expect(JSON.stringify(body)).not.toContain("planted-4711");
});

it("GET /sandbox/requests: no field is named if the caller named it, because it may be a secret", async () => {
  const bff = await startBff();
  onTestFinished(() => bff.close());
  const as = bff.clinic;
  const body = orderBody({ total: 40_000, rut: PATIENTS.good, reference: "one" });
  const order = await bff.callOrderApi(orderEndpoints.createOrder, { as, body });
  const params = { hash: order.body.hash };
  await bff.callOrderApi(orderEndpoints.refundOrder, { as, params, body: { hunter: 1 } });
  const { requests } = (await bff.callOrderApi(readSandboxRequests, { as })).body;
  const [refund] = requests.filter(({ status }: { status: number }) => status === 422);
  expect(refund).toMatchObject({ code: "validation_error", invalid_fields: [] });
});
