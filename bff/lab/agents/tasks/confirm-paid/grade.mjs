import assert from "node:assert/strict";

export async function grade({ isPaid }, { env, client, paidOrder, pendingOrder }) {
  const paid = await paidOrder();
  const pending = await pendingOrder();
  assert.equal(await isPaid(env, paid.hash), true, "a paid order is not paid");
  assert.equal(await isPaid(env, pending.hash), false, "a pending order is paid");
  assert.equal(await isPaid(env, crypto.randomUUID()), false, "an unknown order is paid");
  await client.refundOrder(paid.hash, { amount: 1_000 });
  assert.equal(await isPaid(env, paid.hash), true, "an order refunded in part is not paid");
  await client.refundOrder(paid.hash);
  assert.equal(await isPaid(env, paid.hash), false, "an order refunded in full is paid");
}
