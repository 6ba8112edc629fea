import assert from "node:assert/strict";

export async function grade({ createOrder }, { env, client, sale }) {
  const mine = sale();
  const hash = await createOrder(env, mine);
  const order = await client.getOrder(hash);
  assert.equal(order.reference, mine.reference);
  assert.equal(order.total_amount, mine.totalClp);
  assert.equal(order.customer.email, mine.patient.email);
  assert.equal(await createOrder(env, mine), hash, "the same sale made another order");
}
