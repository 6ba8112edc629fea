import { describe, expect, it } from "vitest";
import { answers } from "./answers.ts";
import { request, type Transport } from "./request.ts";

function transportOf(fetch: Transport["fetch"], overrides: Partial<Transport> = {}): Transport {
  return { fetch, isOnline: () => true, reported: () => Promise.resolve(), timeoutMs: 1_000, ...overrides };
}

function answering(status: number, body: string): Transport["fetch"] {
  return () => Promise.resolve(new Response(body, { status, headers: { "X-Request-Id": "req_7" } }));
}

const ORDER = { method: "GET", path: "/orders/1" } as const;

describe("answer of the service", () => {
  it.each([
    ["a page of a proxy", 502, "<html>Bad Gateway</html>"],
    ["an empty body", 502, ""],
    ["an unknown code", 400, '{"detail":"x","code":"made_up"}'],
    ["a success outside the contract", 200, '{"hash":1}'],
  ])("is unreadable if it is %s", async (_what, status, body) => {
    const answer = await request(transportOf(answering(status, body)), ORDER, answers.order);
    expect(answer).toMatchObject({ ok: false, problem: { kind: "no_answer", fault: "unreadable" } });
  });

  it("carries the code of a refusal, its data and the trace id", async () => {
    const body = JSON.stringify({ detail: "x", code: "identity_rejected", attempts_left: 3 });
    const answer = await request(transportOf(answering(422, body)), ORDER, answers.identity);
    expect(answer).toEqual({
      ok: false,
      problem: {
        kind: "refused",
        code: "identity_rejected",
        status: 422,
        additions: { attempts_left: 3 },
        traceId: "req_7",
      },
    });
  });

  it("is read in the order endpoints' own shape for an unknown order", async () => {
    const body = JSON.stringify({
      detail: { error_code: "order_not_found", message: "No such order." },
      code: "order_not_found",
      request_id: "req_8",
    });
    const answer = await request(transportOf(answering(404, body)), ORDER, answers.order);
    expect(answer).toMatchObject({ ok: false, problem: { code: "order_not_found", traceId: "req_8" } });
  });
});

describe("missing answer", () => {
  it("is a time-out when the response is late", async () => {
    const never: Transport["fetch"] = (_input, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
      });
    const answer = await request(transportOf(never, { timeoutMs: 1 }), ORDER, answers.order);
    expect(answer).toMatchObject({ ok: false, problem: { fault: "timeout" } });
  });

  it.each([
    ["unreachable", true],
    ["offline", false],
  ] as const)("is %s when the browser's online state is %s", async (fault, isOnline) => {
    const fails: Transport["fetch"] = () => Promise.reject(new TypeError("Failed to fetch"));
    const answer = await request(transportOf(fails, { isOnline: () => isOnline }), ORDER, answers.order);
    expect(answer).toMatchObject({ ok: false, problem: { fault } });
  });
});

it("a request has no cookie or referrer, follows no redirect, and has only public credentials in headers", async () => {
  let sent: RequestInit | undefined;
  const fetch: Transport["fetch"] = (_input, init) => {
    sent = init;
    return Promise.resolve(new Response("{}"));
  };
  const options = { ...ORDER, method: "POST", bearer: "ci_1", idempotencyKey: "k", body: { a: 1 } } as const;
  await request(transportOf(fetch), options, answers.order);
  expect(sent).toMatchObject({
    credentials: "omit",
    referrerPolicy: "no-referrer",
    redirect: "error",
    cache: "no-store",
  });
  const headers = [...new Headers(sent?.headers)].map(([name, value]) => [name.toLowerCase(), value]);
  expect(Object.fromEntries(headers)).toEqual({
    accept: "application/json",
    authorization: "Bearer ci_1",
    "content-type": "application/json",
    "idempotency-key": "k",
  });
});

describe("a call that brings consents", () => {
  it("waits until the report of the shown texts is sent, unlike other calls", async () => {
    const order: string[] = [];
    let report = (): void => undefined;
    const reported = () =>
      new Promise<void>((resolve) => {
        report = () => {
          order.push("reported");
          resolve();
        };
      });
    const fetch: Transport["fetch"] = (path) => {
      order.push(String(path));
      return Promise.resolve(new Response("{}"));
    };
    const transport = transportOf(fetch, { reported });
    const paying = request(transport, { method: "POST", path: "/pay", body: {}, afterReports: true }, answers.accepted);
    await request(transport, ORDER, answers.accepted);
    report();
    await paying;
    expect(order).toEqual(["/orders/1", "reported", "/pay"]);
  });
});
