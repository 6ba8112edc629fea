import assert from "node:assert/strict";

export async function grade({ replaceLink }, { env, pendingOrder }) {
  const { hash, rut, widgetToken } = await pendingOrder();
  const url = new URL(await replaceLink(env, { hash, rut, widgetToken }));
  const read = (token) => fetch(`${env.SPOT_API}/api/spot/widget/${token}`);
  assert.equal((await read(widgetToken)).status, 410, "the old link still works");
  const session = await read(url.searchParams.get("widget_token")).then((answer) => answer.json());
  assert.equal(session.order?.hash, hash, "the new link is not for the order");
}
