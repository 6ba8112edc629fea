import { randomUUID } from "node:crypto";
import { orderEndpoints } from "../src/contract/order-endpoints.ts";
import type { TestBff, TestProvider } from "./start-bff.ts";

// Not only ASCII, because signatures cover bytes.
const customer = {
  rut: "40.100.000-3",
  first_name: "Ñusta",
  last_name: "Quispe Mamani",
  email: "nusta@example.com",
  phone_number: "+56 9 1234 5678",
};

/** Creates an order and cancels it: the shortest way to an event that waits to be dispatched. */
export async function cancelledOrder(
  { callOrderApi }: Pick<TestBff, "callOrderApi">,
  clinic: TestProvider,
): Promise<{ hash: string; reference: string }> {
  const reference = randomUUID();
  const body = { reference, total_amount: 45_952, customer };
  const created = await callOrderApi(orderEndpoints.createOrder, { as: clinic, body });
  const hash: string = created.body.hash;
  await callOrderApi(orderEndpoints.cancelOrder, { as: clinic, params: { hash }, body: {} });
  return { hash, reference };
}
