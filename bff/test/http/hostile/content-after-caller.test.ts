import { once } from "node:events";
import { type ClientRequest, request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { orderHashExample } from "../../../src/partner-docs/order-example.ts";
import { startBff, type TestBff } from "../../start-bff.ts";

/* A stranger sends bodies that are expensive to read. */

let bff: TestBff;
beforeAll(async () => {
  bff = await startBff({ addressLimits: { guessesPerMinute: 3, publicCallsPerMinute: 1_000 } });
});
afterAll(() => bff.close());
afterEach(() => vi.restoreAllMocks());

/** Sends the head of a request and one byte of its body. The rest follows only if the server reads it. */
function begin(url: string, method: string, headers: Readonly<Record<string, string>>): ClientRequest {
  const sent = request(url, {
    method,
    headers: { "content-type": "application/json", "content-length": "1000", ...headers },
  });
  sent.on("error", () => undefined);
  sent.write("{");
  return sent;
}

async function answerOf(sent: ClientRequest): Promise<{ status: number | undefined; code: string }> {
  const [response] = await once(sent, "response");
  const { code } = JSON.parse(await text(response));
  sent.destroy();
  return { status: response.statusCode, code };
}

describe("the body of a caller whose credential is unknown", () => {
  const unknown = "x".repeat(43);
  it.each([
    ["a client_secret", "POST", () => `${bff.orderApi}/orders`, { authorization: `Bearer cs_${unknown}` }],
    [
      "a client_id",
      "POST",
      () => `${bff.orderApi}/orders/${orderHashExample}/payment`,
      { authorization: `Bearer ci_${unknown}` },
    ],
    ["a public_key", "POST", () => `${bff.spotApi}/api/spot/widget?public_key=PK_${unknown}`, {}],
    [
      "a secret_key",
      "PUT",
      () => `${bff.spotApi}/api/spot/subscriptions/12345678-5`,
      { "x-secret-key": `ak_${unknown}` },
    ],
  ])("is not read: %s is answered while the body is still coming", async (_what, method, url, headers) => {
    const { status } = await answerOf(begin(url(), method, headers));
    expect([401, 429]).toContain(status);
  });

  it("is not read once the address has guessed too often, while the clinic's own body still is", async () => {
    const guess = () => answerOf(begin(`${bff.orderApi}/orders`, "POST", { authorization: `Bearer cs_${unknown}` }));
    for (let tries = 0; tries < 4; tries += 1) await guess();
    expect(await guess()).toEqual({ status: 429, code: "rate_limited" });
    const { status } = await bff.callOrderApi(orderEndpoints.createOrder, { as: bff.clinic, body: {} });
    expect(status).toBe(422);
  });
});

describe("an expensive body", () => {
  const hash = orderHashExample;
  /** The bodies that the service parsed during a call. */
  async function parsedDuring(call: () => Promise<{ status: number; body: { code: string } }>) {
    const parse = vi.spyOn(JSON, "parse");
    const { status, body } = await call();
    return { status, code: body.code, parsed: parse.mock.calls.filter(([json]) => String(json).includes("planted")) };
  }

  it.each([
    ["too many values", 413, "body_too_large", `["planted"${",1".repeat(600)}]`],
    ["too many empty lists", 413, "body_too_large", `["planted"${",[]".repeat(300)}]`],
    ["too many fields", 413, "body_too_large", `{"planted":1${',"a":1'.repeat(600)}}`],
    ["too deep lists", 400, "malformed_json", `["planted",${"[".repeat(40)}${"]".repeat(40)}]`],
    ["too many bytes", 413, "body_too_large", JSON.stringify({ planted: "x".repeat(16_384) })],
  ])("is refused before it is parsed: %s, with a public credential", async (_what, status, code, rawBody) => {
    const headers = { "content-type": "application/json" };
    const call = () =>
      bff.callOrderApi(orderEndpoints.payOrder, { as: bff.clinic, params: { hash }, rawBody, headers });
    expect(await parsedDuring(call)).toEqual({ status, code, parsed: [] });
  });

  it("is read with a secret, up to limits four and eight times as large", async () => {
    const post = (rawBody: string) =>
      bff.callOrderApi(orderEndpoints.createOrder, {
        as: bff.clinic,
        rawBody,
        headers: { "content-type": "application/json" },
      });
    expect((await post(JSON.stringify({ reference: "x".repeat(65_000) }))).status).toBe(422);
    expect((await post(`[1${",1".repeat(4_000)}]`)).status).toBe(422);
    expect((await post(`[1${",1".repeat(4_200)}]`)).status).toBe(413);
  });

  it("counts no bracket or comma inside a string, also after an escaped quote", async () => {
    const rawBody = JSON.stringify({ document_serial: `${'"[{,'.repeat(1_000)}` });
    const answer = await bff.callOrderApi(orderEndpoints.validateIdentity, {
      as: bff.clinic,
      params: { hash },
      rawBody,
      headers: { "content-type": "application/json" },
    });
    expect(answer.status).toBe(404);
  });
});
