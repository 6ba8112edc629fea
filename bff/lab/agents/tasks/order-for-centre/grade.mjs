import assert from "node:assert/strict";

export async function grade({ createOrderForCentre }, { metaProvider, sale }) {
  const { env, client } = await metaProvider();
  const centre = { rut: "76000001-9", name: "Centro Ñuñoa", email: "pagos@example.com" };
  const order = await client.getOrder(await createOrderForCentre(env, centre, sale()));
  assert.equal(order.center?.rut, centre.rut);
  await createOrderForCentre(env, { ...centre, name: "Centro Providencia" }, sale());
  const { centers } = await client.listCenters();
  assert.deepEqual(
    centers.map(({ rut, name }) => [rut, name]),
    [[centre.rut, "Centro Providencia"]],
  );
}
