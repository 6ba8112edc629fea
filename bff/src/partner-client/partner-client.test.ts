import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { AapdError, AapdUnreachable } from "./errors.ts";
import { createPartnerClient, type PartnerClient } from "./partner-client.ts";
import type { RetryPolicy } from "./send-request.ts";

interface Seen {
  readonly key: string | undefined;
  readonly url: string;
  readonly method: string | undefined;
  readonly authorization: string | undefined;
  readonly secretKey: string | undefined;
  readonly body: string;
}

const running: { close(): void; closeAllConnections(): void }[] = [];
afterEach(() => {
  for (const server of running.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A real server that gives the scripted answers in turn, and the client that talks to it without waiting. */
const clientOf = (...answers: readonly Answer[]) => clientWith({}, ...answers);

async function clientWith(retry: Partial<RetryPolicy>, ...answers: readonly Answer[]) {
  const seen: Seen[] = [];
  const waits: number[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const key = request.headers["idempotency-key"];
      seen.push({
        key: Array.isArray(key) ? key[0] : key,
        url: request.url ?? "",
        method: request.method,
        authorization: request.headers.authorization,
        secretKey: request.headers["x-secret-key"]?.toString(),
        body: Buffer.concat(chunks).toString(),
      });
      (answers[seen.length - 1] ?? answers.at(-1))?.(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  running.push(server);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createPartnerClient({
    orderApiUrl: url,
    spotApiUrl: url,
    clientSecret: "cs_test",
    publicKey: "PK_test",
    secretKey: "ak_test",
    retry,
    surroundings: {
      random: () => 0,
      wait: (ms) => {
        waits.push(ms);
        return Promise.resolve();
      },
    },
  });
  return { client, seen, waits };
}

const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
const hangUp: Answer = (_response, request) => {
  request.socket.destroy();
};
const neverAnswer: Answer = () => undefined;
const minted = {
  widget_token: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
  url: "https://widget.example/?widget_token=x",
  expires_at: "2026-11-21T08:00:00.000Z",
};

describe("the partner client", () => {
  it("repeats an unanswered call under the same Idempotency-Key, so that it takes effect once", async () => {
    const { client, seen, waits } = await clientOf(
      hangUp,
      answer(503, { detail: "down", code: "service_unavailable" }),
      answer(404, { detail: { error_code: "order_not_found", message: "No such order." }, code: "order_not_found" }),
    );
    await expect(client.refundOrder("h", { amount: 1 })).rejects.toMatchObject({
      status: 404,
      code: "order_not_found",
    });
    expect(seen).toHaveLength(3);
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
    expect(seen[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(waits).toEqual([500, 1000]);
  });

  it("uses the idempotency key that the caller passes", async () => {
    const { client, seen } = await clientOf(answer(409, { detail: "no", code: "order_not_cancellable" }));
    await expect(client.cancelOrder("h", { idempotencyKey: "mine" })).rejects.toBeInstanceOf(AapdError);
    expect(seen.map(({ key }) => key)).toEqual(["mine"]);
  });

  it("never repeats a call that the service refused", async () => {
    const { client, seen } = await clientOf(answer(422, { detail: "bad", code: "validation_error", errors: [] }));
    await expect(client.mintWidgetToken({ rut: "x" })).rejects.toMatchObject({
      code: "validation_error",
      message: "bad",
    });
    expect(seen).toHaveLength(1);
  });

  it("mints with the client_secret, and revokes a token by its path", async () => {
    const { client, seen } = await clientOf(answer(201, minted), answer(200, { status: "revoked" }));
    await client.mintWidgetToken();
    await expect(client.revokeWidgetToken(minted.widget_token)).resolves.toBeUndefined();
    expect(seen.map(({ authorization }) => authorization)).toEqual(["Bearer cs_test", "Bearer cs_test"]);
    expect(seen[1]).toMatchObject({ method: "DELETE", url: `/api/spot/widget/${minted.widget_token}` });
  });

  it("waits as long as Retry-After asks", async () => {
    const { client, waits } = await clientOf(
      answer(429, { detail: "slow", code: "rate_limited" }, { "retry-after": "3" }),
      answer(201, minted),
    );
    await expect(client.mintWidgetToken()).resolves.toMatchObject({ widget_token: minted.widget_token });
    expect(waits).toEqual([3_000]);
  });

  it.each([429, 503])("reports a wait that exceeds the longest one at once, for status %d", async (status) => {
    const body = { detail: "slow", code: "rate_limited", retry_after_seconds: 31 };
    const { client, waits } = await clientOf(answer(status, body, { "retry-after": "31" }));
    await expect(client.mintWidgetToken()).rejects.toMatchObject({ status, body: { retry_after_seconds: 31 } });
    expect(waits).toEqual([]);
  });

  it("waits as long as Retry-After says, even if its own delay would be shorter", async () => {
    const { client, waits } = await clientOf(
      answer(429, { detail: "slow", code: "rate_limited" }, { "retry-after": "30" }),
      answer(201, minted),
    );
    await client.mintWidgetToken();
    expect(waits).toEqual([30_000]);
  });

  const inFlight = answer(409, { detail: "running", code: "idempotency_in_flight" });

  it("waits for its own earlier try under the same key instead of reporting a refusal", async () => {
    const { client, seen, waits } = await clientOf(
      hangUp,
      ...Array.from({ length: 6 }, () => inFlight),
      answer(409, { detail: "no", code: "order_not_refundable" }),
    );
    await expect(client.refundOrder("h", { amount: 1 })).rejects.toMatchObject({ code: "order_not_refundable" });
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
    expect(waits).toEqual([500, ...Array.from({ length: 6 }, () => 5_000)]);
  });

  it("reports a missing answer when its earlier try does not end", async () => {
    const { client } = await clientOf(inFlight);
    await expect(client.refundOrder("h", { amount: 1 })).rejects.toBeInstanceOf(AapdUnreachable);
  });

  const down = answer(503, { detail: "down", code: "service_unavailable" });

  it.each<[string, Answer, string]>([
    ["lost answers", hangUp, "AapdUnreachable"],
    ["503s", down, "AapdError"],
    ["an earlier try that does not end", inFlight, "AapdUnreachable"],
    ["a refusal", answer(409, { detail: "no", code: "order_not_refundable" }), "AapdError"],
  ])("throws an error with the key that it made, after %s", async (_what, each, name) => {
    const { client, seen } = await clientOf(each);
    const error: unknown = await client.refundOrder("h", { amount: 1 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name, idempotencyKey: seen[0]?.key });
    expect(seen[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
    if (name === "AapdUnreachable") expect(String(error)).toContain(`idempotency key ${seen[0]?.key}`);
  });

  it.each<[string, Answer, unknown]>([
    ["a lost answer", hangUp, AapdUnreachable],
    ["a 503", down, AapdError],
  ])("does not resend a mint with deliver after %s, because it would mail another link", async (_what, each, error) => {
    const { client, seen } = await clientOf(each);
    const delivered = client.mintWidgetToken({ deliver: { email: "camila@example.com" } });
    await expect(delivered).rejects.toBeInstanceOf(error);
    await expect(delivered).rejects.toMatchObject({ idempotencyKey: null });
    expect(seen).toHaveLength(1);
  });

  const slow = (headers: Record<string, string> = {}) => answer(429, { detail: "slow", code: "rate_limited" }, headers);

  it.each<[string, readonly Answer[], number]>([
    ["a 429 that asks for too long a wait", [hangUp, slow({ "retry-after": "31" })], 429],
    ["429s to the last try", [hangUp, slow()], 429],
    ["a 401", [hangUp, answer(401, { detail: "no", code: "unauthorized" })], 401],
    ["a 403", [hangUp, answer(403, { detail: "no", code: "scope_missing" })], 403],
    ["a 429 after a 5xx", [down, slow({ "retry-after": "31" })], 429],
    ["a 429 after a success that cannot be read", [answer(200, null), slow({ "retry-after": "31" })], 429],
    ["a 429 after an earlier try that was being worked on", [inFlight, slow({ "retry-after": "31" })], 429],
  ])(
    "does not report a later try's refusal as final, since the first try may have taken effect: %s",
    async (_what, all, status) => {
      const { client } = await clientOf(...all);
      const refunded = client.refundOrder("h", { amount: 1 });
      await expect(refunded).rejects.toBeInstanceOf(AapdUnreachable);
      await expect(refunded).rejects.toMatchObject({ cause: { name: "AapdError", status } });
    },
  );

  it("passes on a refusal unchanged if no earlier try can have taken effect", async () => {
    const { client } = await clientOf(slow(), answer(401, { detail: "no", code: "unauthorized" }));
    await expect(client.refundOrder("h", { amount: 1 })).rejects.toMatchObject({ name: "AapdError", status: 401 });
  });

  it("reports a missing answer when every try was lost", async () => {
    const { client, seen } = await clientOf(hangUp);
    await expect(client.getOrder("h")).rejects.toBeInstanceOf(AapdUnreachable);
    expect(seen).toHaveLength(4);
  });

  it("rejects an answer without an order's hash, so that no order is created twice", async () => {
    const { client, seen } = await clientOf(answer(200, { ok: true }));
    const created = client.createOrder({} as never);
    await expect(created).rejects.toBeInstanceOf(AapdUnreachable);
    await expect(created).rejects.toMatchObject({
      cause: { message: expect.stringContaining("Check that http://127.0.0.1:") },
    });
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
  });

  it("gives up one try after its timeout", async () => {
    const subscribed = answer(200, { is_subscribed: true, is_free_trial: false });
    const { client, seen } = await clientWith({ timeoutMs: 500, attemptsMax: 100 }, neverAnswer, subscribed);
    await expect(client.isUserSubscribed("40.100.000-3")).resolves.toEqual({
      is_subscribed: true,
      is_free_trial: false,
    });
    // On a busy machine a later try can exceed the timeout as well.
    expect(seen.length).toBeGreaterThan(1);
  });

  it("sets a plan, upserts centres and reads the profile with the right credentials, none of them in a URL", async () => {
    const at = "2026-11-21T08:00:00.000Z";
    const plan = { plan: "familiar", status: "active", valid_until: null, paid_by: "patient" } as const;
    const { client, seen } = await clientOf(
      answer(200, { rut: "40100000-3", ...plan, updated_at: at }),
      answer(200, { centers: [{ rut: "76902223-6", id: "9a4c3c52-0d0a-4d34-9a39-6f0f2a1f4e21", created: true }] }),
      answer(200, {
        provider: { id: "8d1f6c1e-3a0b-4a53-9a4e-6f2f0c9a7b10", name: "Red", rut: "96900001-6" },
        environment: "staging",
        scopes: [],
      }),
      answer(202, { status: "accepted" }),
    );
    expect((await client.setSubscription("40.100.000-3", plan)).plan).toBe("familiar");
    const center = { rut: "76.902.223-6", name: "Quillay Ñuñoa", email: "nunoa@example.com" };
    expect((await client.upsertCenters({ centers: [center] })).centers).toHaveLength(1);
    expect((await client.readProfile()).environment).toBe("staging");
    await client.sendDataLink("40.100.000-3");
    expect(seen.map(({ url }) => url)).toEqual([
      "/api/spot/subscriptions/40.100.000-3",
      "/api/spot/sacmed/centers?public_key=PK_test",
      "/api/profile?public_key=PK_test",
      "/api/spot/patient/data_link?public_key=PK_test",
    ]);
    expect(seen.map(({ secretKey }) => secretKey)).toEqual(["ak_test", "ak_test", undefined, undefined]);
  });

  it("sends an expense by URL with the same fields", async () => {
    const { client, seen } = await clientOf(answer(404, { detail: "x", code: "beneficiary_not_found" }));
    const urls = ["https://files.example/boleta.pdf"];
    const sent = client.submitExpenseByUrl({
      rut: "40.100.000-3",
      urls,
      orderHash: "h",
      totalClp: 42_000,
      subtypes: ["exam"],
    });
    await expect(sent).rejects.toMatchObject({ code: "beneficiary_not_found" });
    expect(JSON.parse(seen[0]?.body ?? "null")).toEqual({
      urls,
      skip_pay_order_id: "h",
      total: 42_000,
      expense_subtypes: ["exam"],
    });
  });

  const plain = { rut: "40.100.000-3", urls: ["https://files.example/boleta.pdf"] };
  const receipt = { name: "boleta.pdf", type: "application/pdf", bytes: new Uint8Array() } as const;

  const noBeneficiary = answer(404, { detail: "x", code: "beneficiary_not_found" });

  it.each<[string, Answer]>([
    ["a lost answer", hangUp],
    ["a 503", answer(503, { detail: "down", code: "service_unavailable" })],
    ["a 429", answer(429, { detail: "slow", code: "rate_limited" })],
  ])(
    "resends an expense after %s under the same Idempotency-Key, so that it is submitted once",
    async (_what, first) => {
      for (const orderHash of [{}, { orderHash: "h" }]) {
        const { client, seen } = await clientOf(first, noBeneficiary, first, noBeneficiary);
        await expect(client.submitExpenseByUrl({ ...plain, ...orderHash })).rejects.toBeInstanceOf(AapdError);
        const sent = client.submitExpense(
          { rut: plain.rut, files: [receipt], ...orderHash },
          { idempotencyKey: "mine" },
        );
        await expect(sent).rejects.toMatchObject({ code: "beneficiary_not_found", idempotencyKey: "mine" });
        const keys = seen.map(({ key }) => key);
        expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0], "mine", "mine"]);
      }
    },
  );

  it("resends an expense if no connection was made", async () => {
    const { client, waits } = await clientOf(noBeneficiary);
    for (const server of running.splice(0)) server.close();
    await expect(client.submitExpenseByUrl(plain)).rejects.toBeInstanceOf(AapdUnreachable);
    expect(waits).toHaveLength(3);
  });

  it("gives an expense a longer timeout than other calls", async () => {
    const slowly: Answer = (response, request) => setTimeout(() => noBeneficiary(response, request), 200);
    const { client, seen } = await clientWith({ timeoutMs: 100 }, slowly);
    await expect(client.submitExpenseByUrl(plain)).rejects.toMatchObject({ code: "beneficiary_not_found" });
    expect(seen).toHaveLength(1);
  });

  it("sends an expense as multipart with its files, complete on each try", async () => {
    const { client, seen } = await clientOf(hangUp, answer(404, { detail: "no", code: "beneficiary_not_found" }));
    const files = [
      { name: "boleta.pdf", type: "application/pdf" as const, bytes: new TextEncoder().encode("%PDF-1.4 x") },
    ];
    await expect(client.submitExpense({ rut: "40.100.000-3", orderHash: "abc", files })).rejects.toMatchObject({
      code: "beneficiary_not_found",
    });
    for (const { body, url } of seen) {
      expect(body).toContain('name="uploaded_files"; filename="boleta.pdf"');
      expect(body).toContain("%PDF-1.4 x");
      expect(url).toContain("public_key=PK_test");
    }
    expect(seen).toHaveLength(2);
  });
});

describe("an argument that the client does not know", () => {
  const options = {
    orderApiUrl: "https://orders.example",
    spotApiUrl: "https://spot.example",
    clientSecret: "cs_test",
    publicKey: "PK_test",
  };

  it.each([
    ["clientSecret", { ...options, clientSecret: undefined }, "createPartnerClient: clientSecret must be a text"],
    ["publicKey", { ...options, publicKey: "" }, "createPartnerClient: publicKey must be a text, but is empty"],
    ["orderApiUrl", { ...options, orderApiUrl: "orders.example" }, "orderApiUrl must be an address"],
  ])("refuses an option before anything is sent: %s", (_option, given, words) => {
    expect(() => createPartnerClient(given as never)).toThrow(words);
  });

  it("accepts a wider object than its options, such as a program's whole configuration", () => {
    const config = { ...options, port: 4000 };
    expect(() => createPartnerClient(config)).not.toThrow();
  });

  const order = { reference: "r", total_amount: 1_000, customer: { rut: "40.100.000-3" } };
  const files = [{ name: "boleta.pdf", type: "application/pdf", bytes: new Uint8Array() }];

  it.each<[string, (client: PartnerClient) => Promise<unknown>, string]>([
    [
      "a checkout without its order",
      (client) => client.mintWidgetToken({ orderToken: "h" } as never),
      'mintWidgetToken: there is no field "orderToken". Did you mean "order_token"?',
    ],
    [
      "a checkout of an undefined order",
      (client) => client.mintWidgetToken({ order_token: undefined } as never),
      'mintWidgetToken: "order_token" is undefined',
    ],
    [
      "a receipt without its order",
      (client) => client.submitExpense({ rut: "40.100.000-3", files, order_hash: "h" } as never),
      'submitExpense: there is no field "order_hash". Did you mean "orderHash"?',
    ],
    [
      "a receipt of an undefined order",
      (client) => client.submitExpenseByUrl({ rut: "40.100.000-3", urls: [], orderHash: undefined } as never),
      'submitExpenseByUrl: "orderHash" is undefined',
    ],
    [
      "a receipt without a file",
      (client) => client.submitExpense({ rut: "40.100.000-3", orderHash: "h", files: [] }),
      "submitExpense: files must be a list with the receipt: [{name, type, bytes}].",
    ],
    [
      "a receipt whose file was read as text",
      (client) =>
        client.submitExpense({ rut: "40.100.000-3", orderHash: "h", files: [{ ...files[0], bytes: "%PDF" }] } as never),
      "submitExpense: the bytes of boleta.pdf must be a Uint8Array, such as await readFile(path).",
    ],
    [
      "a patient whose telephone is lost",
      (client) => client.createOrder({ ...order, customer: { ...order.customer, phoneNumber: "1" } } as never),
      'createOrder: there is no field "customer.phoneNumber". Did you mean "phone_number"?',
    ],
    [
      "a bill whose quantity is lost",
      (client) => client.createOrder({ ...order, items: [{ description: "x", amount: 1, qty: 2 }] } as never),
      'createOrder: there is no field "items.qty". Known fields: description, quantity, amount.',
    ],
    [
      "a repeat under no key",
      (client) => client.cancelOrder("h", { idempotency_key: "k" } as never),
      'there is no field "idempotency_key". Did you mean "idempotencyKey"?',
    ],
    ["a full refund in the place of a part", (client) => client.refundOrder("h", { ammount: 1 } as never), "ammount"],
    ["no order", (client) => client.getOrder(undefined as never), "An order's hash must be a text, but is undefined"],
    ["no patient", (client) => client.isUserSubscribed(undefined as never), "rut must be a text"],
  ])("refuses an unknown argument before anything is sent: %s", async (_what, call, words) => {
    const { client, seen } = await clientOf(hangUp);
    const called = call(client);
    await expect(called).rejects.toBeInstanceOf(TypeError);
    await expect(called).rejects.toThrow(words);
    expect(seen).toEqual([]);
  });
});

describe("an error's message", () => {
  it("names each refused field", async () => {
    const errors = [
      { path: "customer.rut", message: "the check digit is wrong" },
      { path: "", message: "Unrecognized key" },
    ];
    const { client } = await clientOf(answer(422, { detail: "Bad shape.", code: "validation_error", errors }));
    await expect(client.mintWidgetToken({ rut: "x" })).rejects.toMatchObject({
      message: "Bad shape. (customer.rut: the check digit is wrong; Unrecognized key)",
    });
  });

  it.each<[string, number, object, (client: PartnerClient) => Promise<unknown>, RegExp]>([
    [
      "the client_secret",
      401,
      { code: "invalid_credential" },
      (client) => client.getOrder("h"),
      /Check clientSecret: it begins with cs_/,
    ],
    [
      "the public_key",
      401,
      { code: "invalid_public_key" },
      (client) => client.readProfile(),
      /Check publicKey: it begins with PK_/,
    ],
    [
      "the secret_key",
      401,
      { code: "invalid_credential" },
      (client) => client.listCenters(),
      /Check secretKey: it begins with ak_/,
    ],
    [
      "one of two keys",
      401,
      { code: "invalid_credential" },
      (client) => client.mintWidgetToken(),
      /Check publicKey and clientSecret: both/,
    ],
    [
      "a reference",
      409,
      { code: "duplicate_reference" },
      (client) => client.cancelOrder("h"),
      /Use one reference for each attempt/,
    ],
    ["the address", 404, {}, (client) => client.getOrder("h"), /Check that http:.* is the address of the service/],
  ])("says what to do about %s", async (_what, status, body, call, words) => {
    const { client } = await clientOf(answer(status, { detail: "No.", ...body }));
    await expect(call(client)).rejects.toThrow(words);
  });

  it("leaves out a widget token whose revocation is not answered", async () => {
    const { client } = await clientOf(hangUp);
    const error: unknown = await client.revokeWidgetToken("wt-1").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringContaining("DELETE /api/spot/widget/{token}") });
    expect(String(error)).not.toContain("wt-1");
  });
});
