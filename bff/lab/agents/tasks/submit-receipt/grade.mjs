import assert from "node:assert/strict";

export async function grade({ submitReceipt }, { env, client, paidOrder, receipt }) {
  const { hash, rut } = await paidOrder();
  for (const _time of ["first", "again"]) await submitReceipt(env, { hash, rut, receipt: Buffer.from(receipt.bytes) });
  const { expenses } = await client.listExpenses({ skip_pay_order_id: hash });
  assert.equal(expenses.length, 1, "the order has no receipt");
  assert.notEqual((await client.getOrder(hash)).expense, null, "the order does not know its receipt");
}
