import assert from "node:assert/strict";

export async function grade({ startCheckout }, { env, client, sale }) {
  const mine = sale();
  const url = new URL(await startCheckout(env, mine));
  const { orders } = await client.listOrders({ reference: mine.reference });
  assert.equal(url.origin, new URL(env.WIDGET_HOST).origin, "the address is not on the widget host");
  const token = url.searchParams.get("widget_token");
  const session = await fetch(`${env.SPOT_API}/api/spot/widget/${token}`).then((answer) => answer.json());
  assert.equal(session.order?.hash, orders[0]?.hash, "the checkout is not for the order");
  assert.deepEqual(session.parent_origins, ["http://localhost:5173"], "another page may frame it, or yours may not");
}
