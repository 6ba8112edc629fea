import assert from "node:assert/strict";

export async function grade({ referencesWithoutReceipt }, { env, client, paidOrder, pendingOrder, receipt }) {
  const without = [await paidOrder(), await paidOrder()];
  const complete = await paidOrder();
  await client.submitExpense({ rut: complete.rut, orderHash: complete.hash, files: [receipt] });
  const pending = await pendingOrder();
  const found = await referencesWithoutReceipt(env, 1);
  for (const { reference } of without)
    assert.ok(found.includes(reference), "a paid order without a receipt is left out");
  assert.ok(!found.includes(complete.reference), "an order with its receipt is reported");
  assert.ok(!found.includes(pending.reference), "an order that is not paid is reported");
}
