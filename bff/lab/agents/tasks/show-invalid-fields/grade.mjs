import assert from "node:assert/strict";

export async function grade({ invalidFields }, { env, client, sale }) {
  const good = sale();
  assert.deepEqual(await invalidFields(env, good), []);
  assert.equal((await client.listOrders({ reference: good.reference })).orders.length, 1, "no order was created");
  const bad = sale();
  const patient = { ...bad.patient, rut: "40.100.000-4", phone_number: "1" };
  const found = await invalidFields(env, { ...bad, patient });
  assert.deepEqual([...found].sort(), ["customer.phone_number", "customer.rut"]);
}
