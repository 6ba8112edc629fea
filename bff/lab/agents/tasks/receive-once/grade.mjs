import assert from "node:assert/strict";

export async function grade({ createReceiver }, { deliver, serve, env }) {
  const paid = [];
  const url = await serve(createReceiver(env.WEBHOOK_SECRET, (reference) => paid.push(reference)));
  const event = { event_id: "e1", event: "order.paid", reference: "niñez-1", sequence: 1 };
  assert.equal(await deliver(url, event, "whsec_forged"), 401, "a forged webhook is not answered 401");
  assert.deepEqual(paid, [], "a forged webhook has an effect");
  for (const time of ["first", "second"])
    assert.ok(isSuccess(await deliver(url, event, env.WEBHOOK_SECRET)), `the ${time} delivery is not answered 2xx`);
  const unknown = { event_id: "e2", event: "order.painted", reference: "niñez-1" };
  assert.ok(isSuccess(await deliver(url, unknown, env.WEBHOOK_SECRET)), "an unknown kind is not answered 2xx");
  assert.deepEqual(paid, ["niñez-1"], "an event that came twice must have one effect");
}

const isSuccess = (status) => status >= 200 && status < 300;
