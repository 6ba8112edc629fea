import assert from "node:assert/strict";

export async function grade({ send }) {
  async function play(...answers) {
    const pauses = [];
    let calls = 0;
    const request = async () => {
      const answer = answers[Math.min(calls, answers.length - 1)];
      calls += 1;
      if (answer === "lost") throw new TypeError("fetch failed");
      return new Response("{}", answer);
    };
    const end = await send(request, async (milliseconds) => void pauses.push(milliseconds)).catch(() => null);
    return { status: end?.status ?? null, calls, pauses };
  }
  for (const status of [200, 400, 404, 409, 422])
    assert.deepEqual(await play({ status }), { status, calls: 1, pauses: [] }, `${status} is not returned at once`);
  const grown = await play("lost", { status: 500 }, { status: 503 }, { status: 200 });
  assert.deepEqual([grown.status, grown.calls], [200, 4], "a lost answer or a 5xx is not repeated");
  assert.ok(
    grown.pauses.every((pause, index) => index === 0 || pause > grown.pauses[index - 1]),
    "pauses do not grow",
  );
  const asked = await play({ status: 429, headers: { "Retry-After": "7" } }, { status: 201 });
  assert.ok(asked.status === 201 && asked.pauses[0] >= 7_000, "Retry-After is not respected");
  assert.deepEqual([(await play({ status: 503 })).calls, (await play("lost")).status], [6, null], "it does not end");
}
