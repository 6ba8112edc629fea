import assert from "node:assert/strict";

export function grade({ isFresh }, { sign, env }) {
  const body = Buffer.from('{"event":"order.paid"}');
  const now = 1_800_000_000;
  const { headers } = sign(body, env.WEBHOOK_SECRET, now);
  const at = (seconds, given = headers) => isFresh(body, given, env.WEBHOOK_SECRET, now + seconds);
  assert.equal(at(0), true, "refuses a webhook that was just sent");
  assert.equal(at(240), true, "refuses a webhook of four minutes ago");
  assert.equal(at(360), false, "accepts a webhook of six minutes ago");
  assert.equal(at(-360), false, "accepts a webhook of the future");
  assert.equal(at(360, { ...headers, "webhook-timestamp": String(now + 360) }), false, "accepts a changed time");
  assert.equal(at(0, {}), false, "accepts a webhook without headers");
}
