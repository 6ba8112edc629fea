import assert from "node:assert/strict";

export async function grade({ sendMissingDocument }, { env, client, paidOrder, receipt }) {
  const { hash, rut } = await paidOrder();
  const missing = await client.submitExpense({ rut, orderHash: hash, files: [receipt], subtypes: ["exam"] });
  assert.deepEqual(missing.missing_document_types, ["medical_order"]);
  await sendMissingDocument(env, { hash, rut, document: Buffer.from("%PDF-1.4\n% orden\n%%EOF\n") });
  const { expenses } = await client.listExpenses({ skip_pay_order_id: hash });
  assert.equal(expenses.length, 1, "the order has another expense");
  const again = await client.submitExpense({ rut, orderHash: hash, files: [receipt] });
  assert.deepEqual(again.missing_document_types, [], "the document is still missing");
}
