import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { payAsPatient } from "../../../packages/server/src/dev/pay-as-patient.ts";
import { patientOrderSchema } from "../../../src/contract/orders.ts";
import { signatureHeaders } from "../../../src/webhooks/signature.ts";
import { startBff, type TestBff } from "../../start-bff.ts";

/*
 * The clients for Python and PHP, as partners download them: each call runs against the real service. A language that
 * is not installed is skipped; the check fails if every run skips it.
 */

const around = fileURLToPath(new URL("../../partner-clients/", import.meta.url));
const clients = fileURLToPath(new URL("../../../docs/site/clients/", import.meta.url));
const LANGUAGES = [
  { name: "Python", program: "python3", file: "main.py", refusedArgument: "ValueError" },
  { name: "PHP", program: "php", file: "main.php", refusedArgument: "InvalidArgumentException" },
];

type Call = readonly [name: string, args: Readonly<Record<string, unknown>>];
interface Outcome {
  readonly answer?: Readonly<Record<string, unknown>> | null;
  readonly error?: {
    readonly type: string;
    readonly message: string;
    readonly code: string | null;
    readonly idempotency_key: string | null;
  };
}

let bff: TestBff;
beforeAll(async () => {
  bff = await startBff({ now: new Date() });
});
afterAll(() => bff.close());

const optionsOf = () => ({
  order_api: bff.orderApi,
  spot_api: bff.spotApi,
  client_secret: bff.clinic.credentials.client_secret,
  public_key: bff.clinic.credentials.public_key,
});

/** Runs calls in one process of the language. */
async function runCalls(
  { program, file }: (typeof LANGUAGES)[number],
  calls: readonly Call[],
  options: Readonly<Record<string, string>> = {},
): Promise<{ readonly outcomes: readonly Outcome[]; readonly waits: readonly number[] }> {
  const env = { ...process.env, CLIENTS: clients, PYTHONPATH: clients, PYTHONDONTWRITEBYTECODE: "1" };
  const child = spawn(program, [`${around}${file}`], { env });
  child.stdin.end(JSON.stringify({ options: { ...optionsOf(), ...options }, calls }));
  const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  expect(errors).toBe("");
  return JSON.parse(printed);
}

const customer = (rut: string) => ({
  rut,
  first_name: "Camila",
  last_name: "Rojas Fuentes",
  email: "camila@example.com",
  phone_number: "+56912345678",
});
const RUT = "40.100.000-3";
const CARD_HOLDER = { email: "camila@example.com", serial: "123456789", card: "4051885600446623" };
const PDF = Buffer.from("%PDF-1.4\n% boleta\n%%EOF\n").toString("base64");
const receipt = ['boleta "ñ".pdf', PDF, "application/pdf"];

for (const language of LANGUAGES) {
  const isInstalled = spawnSync(language.program, ["--version"]).status === 0;
  describe.skipIf(!isInstalled)(`the client for ${language.name}`, () => describeClient(language));
}

function describeClient(language: (typeof LANGUAGES)[number]): void {
  const run = (calls: readonly Call[], options?: Readonly<Record<string, string>>) =>
    runCalls(language, calls, options);
  const only = async (call: Call, options?: Readonly<Record<string, string>>) => {
    const { outcomes } = await run([call], options);
    return outcomes[0] ?? {};
  };

  it("a client creates an order once per key, mints its checkout, submits its receipt and refunds a part", async () => {
    const reference = `venta-${language.name}`;
    const order = { reference, total_amount: 45_952, customer: customer(RUT) };
    const create: Call = ["create_order", { order, idempotency_key: reference }];
    const { outcomes } = await run([create, create]);
    const [first, second] = outcomes.map(({ answer }) => answer);
    expect(first).toMatchObject({ status: "pending", reference, total_amount: 45_952 });
    const hash = String(first?.hash);
    expect(second?.hash).toBe(hash);

    const { answer: minted } = await only(["mint_widget_token", { request: { order_token: hash, rut: RUT } }]);
    expect((await fetch(String(minted?.url))).status).toBe(200);
    const widgetToken = String(minted?.widget_token);
    const { client_id: clientId } = bff.clinic.credentials;
    const checkout = { widgetHost: bff.widgetHost, clientId, hash, widgetToken };
    await payAsPatient(checkout, { ...CARD_HOLDER, rut: RUT });

    const submit: Call = [
      "submit_receipt",
      {
        rut: RUT,
        order_hash: hash,
        files: [receipt],
        fields: { total: 45_952, expense_subtypes: ["exam", "other"] },
      },
    ];
    const submitAgain: Call = ["submit_receipt", { ...submit[1], idempotency_key: `${reference}-receipt` }];
    const after = await run([
      ["get_order", { order_hash: hash }],
      submitAgain,
      submitAgain,
      submit,
      ["refund_order", { order_hash: hash, refund: { amount: 1_000, reason: "una parte" } }],
    ]);
    const [paid, submitted, answeredAgain, again, refunded] = after.outcomes.map(({ answer }) => answer);
    expect(paid).toMatchObject({ status: "paid", paid_amount: 45_952 });
    expect(submitted).toMatchObject({ aapd: true, created: true, skip_pay_order_id: hash, unread_fields: [] });
    expect(submitted?.processed_files).toMatchObject([{ type: "application/pdf" }]);
    expect(answeredAgain).toEqual(submitted);
    expect(again).toMatchObject({ id: submitted?.id, created: false });
    expect(refunded).toMatchObject({ hash: hash, refund: { amount: 1_000 } });
  });

  it("a client has the methods, paths and fields of the OpenAPI document", async () => {
    const { answer: calls = {} } = await only(["calls", {}]);
    const described = Object.entries(calls as Readonly<Record<string, Described>>);
    const plain = (name: string) => name.replaceAll("_", "").toLowerCase();
    expect(described.map(([name]) => plain(name))).toEqual(
      [
        "create_order",
        "get_order",
        "refund_order",
        "list_orders",
        "cancel_order",
        "list_refunds",
        "mint_widget_token",
        "revoke_widget_token",
        "submit_receipt",
        "list_receipts",
        "read_receipt",
        "upsert_centers",
        "list_centers",
      ].map(plain),
    );
    const document: Document = JSON.parse(await (await fetch(`${bff.orderApi}/openapi.json`)).text());
    for (const [, { method, path, fields, query = [], answer }] of described) {
      const { [method.toLowerCase()]: operation } = document.paths[path] ?? {};
      expect(operation, `${method} ${path}`).toBeDefined();
      const [body = {}] = Object.values(operation?.requestBody?.content ?? {});
      const inForm = ["skip_pay_order_id", "uploaded_files"];
      expect({ path, ...namesOf(fields) }).toEqual({ path, ...fieldsOf(body.schema, document, inForm) });
      const parameters = method === "GET" ? (operation?.parameters ?? []).filter((one) => one.in === "query") : [];
      const sentBySelf = ["public_key", "rut"].filter((name) => !query.includes(name));
      const names = parameters.map(({ name }) => name).filter((name) => !sentBySelf.includes(name));
      expect({ path, query: query.toSorted() }).toEqual({ path, query: names.toSorted() });
      const { "200": ok, "201": created = ok } = operation?.responses ?? {};
      const answered = fieldsOf(created?.content?.["application/json"]?.schema, document);
      expect(Object.keys(answered), `the answer to ${method} ${path}`).toEqual(expect.arrayContaining([...answer]));
    }
  });

  it("a client filters and pages through orders, cancels one, and revokes a token that it minted", async () => {
    const rut = language.name === "PHP" ? "40.100.003-8" : "40.100.004-6";
    const references = ["a", "b"].map((name) => `${language.name}-${name}`);
    const { outcomes: created } = await run(
      references.map((reference): Call => {
        const order = { reference, total_amount: 45_952, customer: customer(rut) };
        return ["create_order", { order }];
      }),
    );
    const [one, other] = created.map(({ answer }) => String(answer?.hash));
    const { answer: first } = await only(["list_orders", { filters: { rut, limit: 1, after: null } }]);
    const { answer: second } = await only(["list_orders", { filters: { rut, status: "pending", after: first?.next } }]);
    const hashesOf = (page: typeof first) => ((page?.orders ?? []) as { hash: string }[]).map(({ hash }) => hash);
    expect(new Set([...hashesOf(first), ...hashesOf(second)])).toEqual(new Set([one, other]));
    expect([hashesOf(first).length, second?.next]).toEqual([1, null]);
    const { outcomes } = await run([
      ["cancel_order", { order_hash: one, idempotency_key: `cancel-${one}` }],
      ["list_orders", { filters: { reference: references[0], status: "cancelled" } }],
      ["mint_widget_token", { request: { order_token: other, rut } }],
    ]);
    const [cancelled, found, minted] = outcomes.map(({ answer }) => answer);
    expect(cancelled).toMatchObject({ hash: one, status: "cancelled" });
    expect(found).toMatchObject({ orders: [{ hash: one, status: "cancelled" }] });
    const revoke: Call = ["revoke_widget_token", { widget_token: minted?.widget_token }];
    const revoked = await run([revoke, revoke]);
    expect(revoked.outcomes.map(({ error }) => error)).toEqual([undefined, undefined]);
    const session = await fetch(`${bff.spotApi}/api/spot/widget/${String(minted?.widget_token)}`);
    expect([session.status, JSON.parse(await session.text()).code]).toEqual([410, "widget_token_revoked"]);
  });

  it("a client lists refunds and receipts, and says where to pass a missing secret key", async () => {
    const rut = language.name === "PHP" ? "40.100.005-4" : "40.100.006-2";
    const { hash } = await paidReceipt(rut);
    const options = { secret_key: bff.clinic.credentials.secret_key };
    const { outcomes } = await run(
      [
        ["refund_order", { order_hash: hash, refund: { amount: 1_000 } }],
        ["list_refunds", { order_hash: hash }],
        ["submit_receipt", { rut, order_hash: hash, files: [receipt] }],
        ["list_receipts", { filters: { skip_pay_order_id: hash } }],
      ],
      options,
    );
    const [, refunds, submitted, receipts] = outcomes.map(({ answer }) => answer);
    expect(refunds).toMatchObject({ refunds: [{ amount: 1_000 }] });
    expect(receipts).toMatchObject({ expenses: [{ id: submitted?.id, skip_pay_order_id: hash }], next: null });
    const read: Call = ["read_receipt", { expense_id: submitted?.id }];
    expect((await only(read, options)).answer).toMatchObject({ id: submitted?.id, aapd: true });
    const { error } = await only(read);
    expect(error).toMatchObject({
      type: language.refusedArgument,
      message: expect.stringMatching(/needs a secret_?key/i),
    });
  });

  it("registers a meta-provider's centre, changes it and creates its order; others lack the scope", async () => {
    const { credentials } = await bff.createProvider({
      meta: true,
      rut: language.name === "PHP" ? "76000002-7" : "76000003-5",
    });
    const { client_secret, public_key, secret_key } = credentials;
    const center = { rut: "76.543.210-3", name: "Centro", email: "centro@example.com" };
    const upsert: Call = ["upsert_centers", { centers: [center] }];
    const order = {
      reference: "r",
      total_amount: 45_952,
      provider_rut: center.rut,
      customer: customer("40.100.007-0"),
    };
    const { outcomes } = await run(
      [
        upsert,
        ["upsert_centers", { centers: [{ ...center, name: "Otro" }] }],
        ["list_centers", {}],
        ["create_order", { order }],
      ],
      { client_secret, public_key, secret_key },
    );
    const [made, changed, listed, ordered] = outcomes.map(({ answer }) => answer);
    expect(made).toMatchObject({ centers: [{ rut: "76543210-3", created: true }] });
    expect(changed).toMatchObject({ centers: [{ rut: "76543210-3", created: false }] });
    expect(listed).toMatchObject({ centers: [{ rut: "76543210-3", name: "Otro" }], next: null });
    expect(ordered).toMatchObject({ center: { rut: "76543210-3" } });
    const { secret_key: own } = bff.clinic.credentials;
    const refused = await run([["list_centers", {}], upsert], { secret_key: own });
    expect(refused.outcomes.map(({ error }) => error?.code)).toEqual(["scope_missing", "scope_missing"]);
  });

  it("a client's error about an unanswered revocation does not contain the token", async () => {
    const service = await startFake([]);
    const revoke: Call = ["revoke_widget_token", { widget_token: "wt-1" }];
    const { error } = await only(revoke, { spot_api: service.url });
    service.close();
    expect(error).toMatchObject({
      type: "AapdUnreachable",
      message: expect.stringContaining("DELETE /api/spot/widget/{token}"),
    });
    expect(error?.message).not.toContain("wt-1");
  });

  it("a client refuses wrong arguments before it sends anything, and suggests the right name", async () => {
    const misspelt = { total_amount: 1, reference: "x", customer: { ...customer(RUT), first_nane: "C" } };
    const { outcomes } = await run([
      ["create_order", { order: misspelt }],
      ["mint_widget_token", { request: { order_token: null, rut: RUT } }],
      ["mint_widget_token", { request: { orderToken: "x" } }],
      ["submit_receipt", { rut: RUT, order_hash: "x", files: [] }],
      ["get_order", { order_hash: "" }],
      ["submit_receipt", { rut: RUT, order_hash: "x", files: [["boleta.pdf", PDF, null]] }],
      ["list_orders", { filters: { statuss: "paid" } }],
      ["list_receipts", { filters: { skip_pay_order_id: null } }],
    ]);
    const [field, token, camel, files, hash, file, filter] = outcomes.map(({ error }) => error?.message);
    expect(field).toMatch(/no field "customer.first_nane". Did you mean "first_name"\?/);
    expect(token).toMatch(/"order_token" must be a text/);
    expect(camel).toMatch(/no field "orderToken". Did you mean "order_token"\?/);
    expect(files).toMatch(/files is empty. Pass the receipt/);
    expect(hash).toMatch(/must be a text, but is empty/);
    expect(file).toMatch(/each of files must be .name, bytes, content_?type/i);
    expect(filter).toMatch(/no field "statuss". Did you mean "status"\?/);
    expect(outcomes.map(({ error }) => error?.type)).toEqual(outcomes.map(() => language.refusedArgument));
    const { error } = await only(["get_order", { order_hash: "x" }], { client_secret: "" });
    expect(error?.message).toMatch(/client_?secret must be a text, but is empty/i);
  });

  it("a client refuses remote http:// and secrets with line breaks, without printing the secret", async () => {
    const order = { reference: "r", total_amount: 1, customer: customer(RUT) };
    const get: Call = ["get_order", { order_hash: "x" }];
    const addresses = ["http://api.example.com", "http://localhost@api.example.com", "http://127.0.0.1.example.com"];
    for (const order_api of [...addresses, "ftp://localhost", "https://api.example.com/?a=b"])
      expect((await only(get, { order_api })).error, order_api).toMatchObject({
        type: language.refusedArgument,
        message: expect.stringContaining("must be an address that begins with https://"),
      });
    const keys = ["a\r\nX-Other: b", "a\n", "ñ", ""];
    const { outcomes } = await run(keys.map((idempotency_key): Call => ["create_order", { order, idempotency_key }]));
    expect(outcomes.map((outcome) => outcome.error?.type)).toEqual(keys.map(() => language.refusedArgument));
    for (const outcome of outcomes) expect(outcome.error?.message).toMatch(/idempotency_?key must be/i);
    const { error } = await only(get, { client_secret: "cs_do_not_show\n" });
    expect(error?.type).toBe(language.refusedArgument);
    expect(error?.message).toMatch(/client_?secret must be printable/i);
    expect(error?.message).not.toContain("cs_do_not_show");
  });

  it("a client's error names the refused fields, what to do, the code and the request id", async () => {
    const order = { reference: "x", total_amount: "mucho", customer: customer("11.111.111-9") };
    const { error: invalid } = await only(["create_order", { order }]);
    expect(invalid).toMatchObject({ type: "AapdError", code: "validation_error" });
    expect(invalid?.message).toMatch(/total_amount: .*customer\.rut: .*validation_error, request [\w-]{8,}/);
    const unknown: Call = ["get_order", { order_hash: crypto.randomUUID() }];
    expect((await only(unknown)).error).toMatchObject({ code: "order_not_found" });
    const ordered: Call = ["create_order", { order: { ...order, total_amount: 1_000, customer: customer(RUT) } }];
    const { error: refused } = await only(ordered, { client_secret: bff.clinic.credentials.client_id });
    expect(refused?.message).toMatch(/client_?secret: it begins with cs_ and belongs to the environment of http/i);
    const elsewhere = await only(["submit_receipt", { rut: RUT, order_hash: "x", files: [receipt] }], {
      public_key: "PK_of_another",
    });
    expect(elsewhere.error?.message).toMatch(/public_?key: it begins with PK_/i);
  });

  it("a client retries a 503, a proxy's page and a 429 under one key, and follows no redirect", async () => {
    const service = await startFake([
      [503, {}, "{}"],
      [200, {}, "<html>"],
      [429, { "Retry-After": "7" }, '{"detail": "Too many.", "code": "rate_limited"}'],
      [201, {}, '{"hash": "h", "status": "pending"}'],
      [302, { Location: "https://example.org/" }, ""],
    ]);
    const order = { reference: "r", total_amount: 1, customer: customer(RUT) };
    const { outcomes, waits } = await run(
      [
        ["create_order", { order }],
        ["get_order", { order_hash: "h" }],
      ],
      { order_api: service.url },
    );
    service.close();
    expect(outcomes[0]?.answer).toEqual({ hash: "h", status: "pending" });
    expect(waits).toEqual([0.5, 1, 7]);
    expect(new Set(service.keys.slice(0, 4)).size).toBe(1);
    expect(outcomes[1]?.error?.message).toMatch(/Use the address of the service itself/);
    const { error } = await only(["get_order", { order_hash: "h" }], { order_api: service.url });
    expect(error).toMatchObject({ type: "AapdUnreachable", message: expect.stringContaining("not answered") });
  });

  it("a client's error after lost answers holds the refund's key, so that a repeat refunds once", async () => {
    const { hash } = await paidReceipt(RUT);
    const proxy = await startProxy(bff.orderApi, { answersLost: 4 });
    const refund: Call = ["refund_order", { order_hash: hash, refund: { amount: 1_000 } }];
    const { error } = await only(refund, { order_api: proxy.url });
    proxy.close();
    expect(error?.type).toBe("AapdUnreachable");
    const { idempotency_key } = error ?? {};
    expect(idempotency_key).toMatch(/^[\w-]{32,36}$/);
    expect(error?.message).toContain(`Repeat it with the same idempotency key, ${idempotency_key}.`);
    const { answer } = await only(["refund_order", { order_hash: hash, refund: { amount: 1_000 }, idempotency_key }]);
    expect(answer).toMatchObject({ hash, refund: { amount: 1_000 } });
    const authorization = `Bearer ${bff.clinic.credentials.client_secret}`;
    const listed = await fetch(`${bff.orderApi}/orders/${hash}/refunds`, { headers: { authorization } });
    expect(JSON.parse(await listed.text()).refunds).toMatchObject([{ amount: 1_000 }]);
  });

  it.each<Call>([
    ["refund_order", { order_hash: "h" }],
    ["submit_receipt", { rut: RUT, order_hash: "h", files: [receipt] }],
  ])("a client's error after the last 5xx holds the key of %s and advises to repeat with it", async (name, args) => {
    const service = await startFake(Array.from({ length: 4 }, () => [503, {}, '{"detail": "Down."}'] as const));
    const { error } = await only([name, args], { order_api: service.url, spot_api: service.url });
    service.close();
    const [key = "none"] = service.keys;
    expect(error).toMatchObject({ type: "AapdError", idempotency_key: key });
    expect(error?.message).toContain(`Repeat it with the same idempotency key, ${key}.`);
    expect(service.keys).toEqual([key, key, key, key]);
  });

  it("a client reports a missing answer, with the key, if its earlier try is still running at the end", async () => {
    const inFlight = [409, {}, '{"detail": "Running.", "code": "idempotency_in_flight"}'] as const;
    const service = await startFake(Array.from({ length: 8 }, () => inFlight));
    const refund: Call = ["refund_order", { order_hash: "h", idempotency_key: "mine" }];
    const { outcomes, waits } = await run([refund], { order_api: service.url });
    service.close();
    const [{ error } = {}] = outcomes;
    expect(error).toMatchObject({ type: "AapdUnreachable", idempotency_key: "mine" });
    expect(error?.message).toContain("Repeat it with the same idempotency key, mine.");
    expect(waits).toEqual([5, 5, 5, 5, 5, 5, 5]);
    expect(service.keys).toEqual(Array.from({ length: 8 }, () => "mine"));
  });

  it.each([
    { what: "a lost answer", answers: [], type: "AapdUnreachable" },
    { what: "a 503", answers: [[503, {}, "{}"] as const], type: "AapdError" },
  ])("a client never repeats a mint that mails a link, despite $what", async ({ answers, type }) => {
    const service = await startFake(answers);
    const request = { rut: RUT, deliver: { email: "camila@example.com" } };
    const { error } = await only(["mint_widget_token", { request }], { spot_api: service.url });
    service.close();
    expect(error).toMatchObject({ type, message: expect.stringContaining("mint without deliver") });
    expect(service.secrets).toEqual([`Bearer ${bff.clinic.credentials.client_secret}`]);
  });

  it("a client's error about a failed connection does not contain the patient's RUT", async () => {
    const service = await startFake([]);
    service.close();
    const submit: Call = ["submit_receipt", { rut: RUT, order_hash: "h", files: [receipt] }];
    const { error } = await only(submit, { spot_api: service.url });
    expect(error).toMatchObject({ type: "AapdUnreachable", message: expect.stringContaining("Connection refused") });
    expect(error?.message).not.toContain(RUT);
    expect(error?.message).not.toContain("public_key");
  });

  it("a client reports another server's answer as an error, whatever its shape", async () => {
    const bodies = [
      '{"detail": [{"loc": ["body"], "msg": "field required"}]}',
      '{"detail": {"message": [1], "error_code": 7}, "errors": "none"}',
      '{"detail": "No.", "code": ["a"], "errors": [1, {"path": ["a"]}, {}]}',
      "[1]",
    ];
    const order = { reference: "r", total_amount: 1, customer: customer(RUT) };
    const create: Call = ["create_order", { order }];
    const service = await startFake(bodies.map((body) => [422, {}, body] as const));
    const { outcomes } = await run(
      Array.from(bodies, () => create),
      { order_api: service.url },
    );
    service.close();
    for (const { error } of outcomes)
      expect(error).toMatchObject({ type: "AapdError", message: expect.stringContaining(`Check that ${service.url}`) });
    const other = await startFake(Array.from({ length: 4 }, () => [200, {}, '{"ok": true}'] as const));
    const { error } = await only(create, { order_api: other.url });
    other.close();
    expect(error).toMatchObject({ type: "AapdUnreachable", message: expect.stringContaining("is its address") });
    expect(other.keys).toHaveLength(4);
  });

  it("a client says that an order may exist if a refusal follows a lost answer", async () => {
    const service = await startFake([
      [200, {}, "cut"],
      [401, {}, '{"detail": "No.", "code": "invalid_credential"}'],
    ]);
    const order = { reference: "r", total_amount: 1, customer: customer(RUT) };
    const { error } = await only(["create_order", { order }], { order_api: service.url });
    service.close();
    expect(error).toMatchObject({ type: "AapdUnreachable", message: expect.stringContaining("may have taken effect") });
  });

  it("a client verifies a webhook, and refuses another secret, changed bytes, missing headers or an old time", async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    const body = Buffer.from('{"event_id":"e1","event":"order.paid","order_hash":"h","reference":"niñez"}');
    const sentAt = new Date("2026-11-21T12:00:00Z");
    const rotated = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
    const headers = signatureHeaders({ body, webhookId: "e1", sentAt, secrets: [secret, rotated], word: "Brand" });
    const now = sentAt.getTime() / 1_000;
    const right = { raw_body: body.toString("base64"), headers, webhook_secret: secret, now };
    const { "webhook-signature": _, ...unsigned } = headers;
    const testBody = Buffer.from('{"event":"test"}');
    const ofTest = signatureHeaders({ body: testBody, webhookId: "e2", sentAt, secrets: [secret], word: "Brand" });
    const wrong: Record<string, unknown>[] = [
      { webhook_secret: `whsec_${Buffer.alloc(32, 8).toString("base64")}` },
      { raw_body: Buffer.concat([body, Buffer.from("\n")]).toString("base64") },
      { headers: unsigned },
      { now: now + 301 },
      { headers: { ...headers, "webhook-timestamp": "ñ" } },
    ];
    const { outcomes } = await run([
      ["verify_webhook", right],
      ["verify_webhook", { ...right, raw_body: testBody.toString("base64"), headers: ofTest }],
      ["verify_webhook", { ...right, webhook_secret: rotated }],
      ...wrong.map((plant): Call => ["verify_webhook", { ...right, ...plant }]),
    ]);
    expect(outcomes[0]?.answer).toEqual(JSON.parse(body.toString()));
    expect(outcomes[1]).toEqual({ answer: null });
    expect(outcomes[2]?.answer).toEqual(outcomes[0]?.answer);
    expect(outcomes.slice(3).map(({ error }) => error?.type)).toEqual(wrong.map(() => "WebhookRefused"));
  });

  it("a client refuses a webhook secret under 24 bytes, even if the signature matches", async () => {
    const body = Buffer.from('{"order_hash":"h"}');
    const sentAt = new Date("2026-11-21T12:00:00Z");
    const verify = (bytes: number): Call => {
      const secret = `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`;
      const headers = signatureHeaders({ body, webhookId: "e1", sentAt, secrets: [secret], word: "Brand" });
      const now = sentAt.getTime() / 1_000;
      return ["verify_webhook", { raw_body: body.toString("base64"), headers, webhook_secret: secret, now }];
    };
    const { outcomes } = await run([verify(0), verify(23), verify(24)]);
    expect(outcomes.map(({ error }) => error?.type)).toEqual([
      language.refusedArgument,
      language.refusedArgument,
      undefined,
    ]);
  });

  it("a client accepts a page's receipt once, for this order and provider, until it expires", async () => {
    const rut = language.name === "PHP" ? "40.100.001-1" : "40.100.002-K";
    const { hash, signed } = await paidReceipt(rut);
    const { id: provider_id } = bff.clinic.provider;
    const right = { signed_receipt: signed, order_api: bff.orderApi, provider_id, order_hash: hash };
    const [header, claims, signature] = signed.split(".");
    const forged = Buffer.from(signature ?? "", "base64url");
    forged[40] = (forged[40] ?? 0) ^ 1;
    const wrong: Record<string, unknown>[] = [
      {},
      { signed_receipt: `${header}.${claims}.${forged.toString("base64url")}` },
      { signed_receipt: `${header}.${Buffer.from('{"jti":"x"}').toString("base64url")}.${signature}` },
      { signed_receipt: "no.receipt" },
      { provider_id: "another" },
      { order_hash: "another" },
      { now: Math.floor(Date.now() / 1_000) + 86_400 },
    ];
    const { outcomes } = await run([
      ["check_receipt", right],
      ...wrong.map((plant): Call => ["check_receipt", { ...right, ...plant }]),
    ]);
    expect(outcomes[0]?.answer).toMatchObject({ sub: hash, status: "paid", amount: 45_952 });
    expect(outcomes.slice(1).map(({ error }) => error?.type)).toEqual(wrong.map(() => "ReceiptRefused"));
    expect(outcomes[1]?.error?.message).toMatch(/shown before/);
    expect(outcomes.at(-1)?.error?.message).toMatch(/expired/);
  });
}

it("the documentation serves the clients that these tests use", async () => {
  for (const file of ["aapd.py", "Aapd.php"]) {
    const answer = await fetch(`${bff.orderApi}/docs/clients/${file}`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(await answer.text()).toBe(readFileSync(`${clients}${file}`, "utf8"));
  }
});

/** A paid order with its receipt, as the page receives it. */
async function paidReceipt(rut: string): Promise<{ readonly hash: string; readonly signed: string }> {
  const { client_secret, client_id: clientId, public_key } = bff.clinic.credentials;
  const headers = { "content-type": "application/json", authorization: `Bearer ${client_secret}` };
  const order = { reference: crypto.randomUUID(), total_amount: 45_952, customer: customer(rut) };
  const post = async (url: string, body: object) => {
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    return JSON.parse(await answer.text());
  };
  const { hash } = await post(`${bff.orderApi}/orders`, order);
  const minted = await post(`${bff.spotApi}/api/spot/widget?public_key=${public_key}`, { order_token: hash, rut });
  const checkout = { widgetHost: bff.widgetHost, clientId, hash, widgetToken: minted.widget_token };
  await payAsPatient(checkout, { ...CARD_HOLDER, rut });
  const seen = await fetch(`${bff.orderApi}/orders/${hash}`, { headers: { authorization: `Bearer ${clientId}` } });
  return { hash, signed: patientOrderSchema.parse(await seen.json()).signed_receipt ?? "" };
}

/** Answers in this sequence, then closes each connection without an answer. */
async function startFake(answers: readonly (readonly [number, Record<string, string>, string])[]) {
  const keys: (string | undefined)[] = [];
  const secrets: unknown[] = [];
  const server = createServer((request, response) => {
    const [status, headers, body] = answers[keys.length] ?? [0, {}, ""];
    keys.push(request.headers["idempotency-key"]?.toString());
    secrets.push(request.headers.authorization);
    request.resume();
    if (status === 0) response.destroy();
    else response.writeHead(status, headers).end(body);
  });
  return { ...(await listen(server)), keys, secrets };
}

/** Forwards each request to the service, but closes the first connections without returning its answer. */
async function startProxy(service: string, { answersLost }: { readonly answersLost: number }) {
  let answers = 0;
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const { authorization = "", "idempotency-key": key = "", "content-type": type = "" } = request.headers;
    const headers = { authorization, "idempotency-key": String(key), "content-type": type };
    const { method = "GET", url = "/" } = request;
    const answer = await fetch(`${service}${url}`, { method, headers, body: await text(request) });
    const body = await answer.text();
    answers += 1;
    if (answers <= answersLost) response.destroy();
    else response.writeHead(answer.status).end(body);
  };
  return listen(createServer((request, response) => void forward(request, response)));
}

async function listen(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

interface Fields {
  readonly [name: string]: Fields | readonly [];
}
interface Described {
  readonly method: string;
  readonly path: string;
  readonly fields: Fields;
  readonly query?: readonly string[];
  readonly answer: readonly string[];
}
interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
type Content = Readonly<Record<string, { readonly schema?: Schema }>>;
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>;
}

/** Names in a stable order, with the fields inside. PHP writes an empty table as a list. */
function namesOf(fields: Fields | readonly []): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .map(([name, inner]) => [name, namesOf(inner)] as const)
      .toSorted(([one], [other]) => one.localeCompare(other)),
  );
}

function fieldsOf(schema: Schema | undefined, document: Document, except: readonly string[] = []): object {
  const { $ref, properties, items, anyOf = [] } = schema ?? {};
  if ($ref !== undefined) return fieldsOf(document.components.schemas[$ref.split("/").at(-1) ?? ""], document, except);
  if (items !== undefined) return fieldsOf(items, document);
  if (anyOf.length > 0) return Object.assign({}, ...anyOf.map((one) => fieldsOf(one, document)));
  const names = Object.keys(properties ?? {})
    .filter((name) => !except.includes(name))
    .toSorted((one, other) => one.localeCompare(other));
  return Object.fromEntries(names.map((name) => [name, fieldsOf(properties?.[name], document)]));
}
