import assert from "node:assert/strict";

export function grade({ isGenuine }, { sign, env }) {
  const body = Buffer.from('{"reference":"niñez-1"}');
  const { signature } = sign(body, env.WEBHOOK_SECRET);
  assert.equal(isGenuine(body, signature, env.WEBHOOK_SECRET), true, "refuses a genuine webhook");
  const forged = [`${signature}00`, signature.slice(0, -2), signature.replace("sha256", "sha1"), "", undefined];
  for (const other of forged)
    assert.equal(isGenuine(body, other, env.WEBHOOK_SECRET), false, `accepts the signature ${other}`);
  assert.equal(isGenuine(Buffer.from(`${body} `), signature, env.WEBHOOK_SECRET), false, "accepts another body");
  assert.equal(isGenuine(body, signature, `${env.WEBHOOK_SECRET}x`), false, "accepts another secret");
}
