import assert from "node:assert/strict";

export async function grade({ createReceiver }, { deliver, serve, env }) {
  const done = [];
  let finish = () => undefined;
  const answered = new Promise((resolve) => {
    finish = resolve;
  });
  const url = await serve(
    createReceiver(env.WEBHOOK_SECRET, (event) => answered.then(() => done.push(event.event_id))),
  );
  const status = await deliver(url, { event_id: "e1", event: "order.paid" }, env.WEBHOOK_SECRET).catch(() => null);
  finish();
  assert.notEqual(status, null, "there is no answer while the work runs");
  assert.ok(status >= 200 && status < 300, `it answers ${status}`);
  await answered;
  await new Promise(setImmediate);
  assert.deepEqual(done, ["e1"], "the work is not done once");
}
