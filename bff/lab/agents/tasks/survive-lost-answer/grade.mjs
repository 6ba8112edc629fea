import assert from "node:assert/strict";

export async function grade({ createOrder }, { env, client, sale, proxyThatLosesFirstAnswer }) {
  const mine = sale();
  const { url, requests } = await proxyThatLosesFirstAnswer(env.ORDER_API);
  const hash = await createOrder({ ...env, ORDER_API: url }, mine);
  assert.ok(requests() >= 2, "the request was not repeated");
  const { orders } = await client.listOrders({ reference: mine.reference });
  assert.deepEqual(
    orders.map((order) => order.hash),
    [hash],
  );
}
