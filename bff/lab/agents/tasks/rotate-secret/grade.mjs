import assert from "node:assert/strict";

export function grade({ isGenuine }, { sign }) {
  const body = Buffer.from('{"event":"order.paid"}');
  const [old, fresh, other] = ["old", "fresh", "other"].map((name) => `whsec_${Buffer.from(name).toString("base64")}`);
  const now = 1_800_000_000;
  const [byOld, byFresh] = [old, fresh].map((secret) => sign(body, secret, now).headers);
  const both = { ...byOld, "webhook-signature": `${byOld["webhook-signature"]} ${byFresh["webhook-signature"]}` };
  assert.equal(isGenuine(body, both, [fresh]), true, "refuses two signatures with the new secret alone");
  assert.equal(isGenuine(body, both, [old]), true, "refuses two signatures with the old secret alone");
  assert.equal(isGenuine(body, byFresh, [old, fresh]), true, "refuses the new signature with both secrets");
  assert.equal(isGenuine(body, both, [other]), false, "accepts another secret");
  assert.equal(isGenuine(body, both, []), false, "accepts without a secret");
}
