import { afterAll, beforeAll, expect, it } from "vitest";
import { startBff, type TestBff } from "../../start-bff.ts";
import { orderBody, PATIENTS } from "../orders/orders-world.ts";

/* Calls that a stranger can make without any credential, and alternative spellings of requests. */

const ORIGIN = "https://losaromos.example.com";

it.each([
  ["the page", (bff: TestBff) => fetch(`${bff.widgetHost}/?widget_token=x`)],
  [
    "a preflight",
    ({ spotApi, clinic }: TestBff) =>
      fetch(`${spotApi}/api/profile?public_key=${clinic.credentials.public_key}`, {
        method: "OPTIONS",
        headers: { origin: ORIGIN, "access-control-request-method": "GET" },
      }),
  ],
])("%s is limited by address, because each call reads the database", async (_what, ask) => {
  const bff = await startBff({ addressLimits: { guessesPerMinute: 100, publicCallsPerMinute: 2 } });
  const statuses = [await ask(bff), await ask(bff), await ask(bff)].map(({ status }) => status);
  expect([statuses.slice(0, 2).every((status) => status < 300), statuses[2]]).toEqual([true, 429]);
  await bff.close();
});

let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

async function hashIn(answer: Response): Promise<string> {
  return /"hash":"([^"]+)"/.exec(await answer.text())?.[1] ?? "";
}

it("one Idempotency-Key makes one order, however the path is spelled", async () => {
  const { client_secret } = bff.clinic.credentials;
  const body = JSON.stringify(orderBody({ total: 40_000, rut: PATIENTS.good, reference: "one-or-four" }));
  const headers = {
    authorization: `Bearer ${client_secret}`,
    "content-type": "application/json",
    "idempotency-key": "k-1",
  };
  const hashes = new Set<string>();
  for (const path of ["/orders", "/orders/", "/ORDERS", "/Orders/"]) {
    const answer = await fetch(`${bff.orderApi}${path}`, { method: "POST", headers, body });
    hashes.add(`${answer.status} ${await hashIn(answer)}`);
  }
  expect(hashes.size).toBe(1);
  expect([...hashes][0]).toMatch(/^201 /);
});

it("negative control: the same key is free for another order's step", async () => {
  const { client_secret } = bff.clinic.credentials;
  const headers = { authorization: `Bearer ${client_secret}`, "content-type": "application/json" };
  const make = async (reference: string) => {
    const body = JSON.stringify(orderBody({ total: 40_000, rut: PATIENTS.good, reference }));
    return hashIn(await fetch(`${bff.orderApi}/orders`, { method: "POST", headers, body }));
  };
  const cancel = async (hash: string) => {
    const answer = await fetch(`${bff.orderApi}/orders/${hash}/cancel`, {
      method: "POST",
      headers: { ...headers, "idempotency-key": "k-2" },
    });
    return [await hashIn(answer), answer.headers.get("idempotency-replayed")];
  };
  const [one, other] = [await make("slot-1"), await make("slot-2")];
  expect(await cancel(one)).toEqual([one, null]);
  expect(await cancel(other)).toEqual([other, null]);
  expect(await cancel(one)).toEqual([one, "true"]);
});
