import assert from "node:assert/strict";

export async function grade({ paidReferences }, { env, client, paidOrder, pendingOrder }) {
  const paid = [await paidOrder(), await paidOrder()];
  const pending = await pendingOrder();
  await client.refundOrder(paid[0].hash);
  const found = await paidReferences(env, 1);
  for (const { reference } of paid)
    assert.equal(found.filter((one) => one === reference).length, 1, "a paid order is missing, or is there twice");
  assert.ok(!found.includes(pending.reference), "an order that is not paid is there");
}
