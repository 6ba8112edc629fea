import fc from "fast-check";
import type { Method, OpenApiDocument, Operation } from "../../src/partner-docs/openapi-document.ts";
import { hostileValues, type NamedSchemas, nearly, valuesOf } from "./schema-values.ts";

/** An operation of the document, with its address. */
export interface KnownOperation {
  readonly path: string;
  readonly method: Method;
  readonly operation: Operation;
  readonly baseUrl: string;
}

/** Credentials of one provider, by kind. */
export type KnownCredentials = Readonly<Record<"client_secret" | "client_id" | "public_key" | "secret_key", string>>;

/** Existing records, so that requests find something. */
export interface KnownThings {
  readonly orders: string[];
  readonly widgetTokens: string[];
  readonly endpoints: string[];
  readonly ruts: readonly [string, ...string[]];
  /** The caller's own credentials, another provider's, and an inactive provider's. */
  readonly credentials: readonly [KnownCredentials, KnownCredentials, KnownCredentials];
}

export interface GeneratedRequest {
  readonly target: KnownOperation;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

const BOUNDARY = "a-boundary-of-the-fuzzer";

/** Requests to an operation: valid, nearly valid and hostile, with the right credential, another, or none. */
export function requestsTo(
  target: KnownOperation,
  document: OpenApiDocument,
  known: KnownThings,
): fc.Arbitrary<GeneratedRequest> {
  const named: NamedSchemas = document.components.schemas;
  return fc
    .tuple(
      pathsOf(target, known),
      queriesOf(target, known),
      credentialsOf(target, known),
      bodiesOf(target, named, known),
    )
    .chain(([path, query, credential, { body, type }]) =>
      extraHeaders.map((extra) => {
        const url = new URL(path, target.baseUrl);
        for (const [name, value] of [...query, ...credential.query]) url.searchParams.append(name, value);
        const headers = { ...(type === null ? {} : { "content-type": type }), ...credential.headers, ...extra };
        return { target, url: url.href, headers, body: target.method === "get" ? null : body };
      }),
    );
}

const extraHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: fc.uuid().map((key): Record<string, string> => ({ "idempotency-key": key })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { "idempotency-key": "" },
      { "idempotency-key": "k".repeat(300) },
      { "idempotency-key": "the same key" },
      { "x-request-id": "40100000-3" },
      { "content-encoding": "gzip" },
      { origin: "https://evil.example.com" },
      { accept: "text/html" },
    ),
  },
);

const hostileSegments = fc.constantFrom(
  "0",
  "null",
  "%00",
  "..%2f..",
  "%F0%9F%92%A9",
  "a".repeat(400),
  "%",
  "' or 1=1",
);

function pathsOf(
  { path }: KnownOperation,
  { orders, widgetTokens, endpoints, ruts }: KnownThings,
): fc.Arbitrary<string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  if (names.length === 0) return fc.constant(path);
  const known = (name: string) =>
    name === "token" ? widgetTokens : name === "id" ? endpoints : name === "rut" ? ruts : orders;
  const value = (name: string) => {
    const things = known(name);
    const there = things.length === 0 ? fc.uuid() : fc.nat(things.length - 1).map((index) => things[index] ?? "");
    return fc.oneof(
      { weight: 8, arbitrary: there },
      { weight: 1, arbitrary: fc.uuid() },
      { weight: 1, arbitrary: hostileSegments },
    );
  };
  return fc
    .tuple(...names.map(value))
    .map((values) => names.reduce((text, name, index) => text.replace(`{${name}}`, values[index] ?? ""), path));
}

function queriesOf({ operation }: KnownOperation, { ruts }: KnownThings): fc.Arbitrary<readonly [string, string][]> {
  const parameters = (operation.parameters ?? []).filter((one) => one.in === "query" && one.name !== "public_key");
  const parameterOf = (name: string, schema: (typeof parameters)[number]["schema"]) =>
    fc.oneof(
      { weight: 3, arbitrary: name === "rut" ? fc.constantFrom(...ruts) : valuesOf(schema, {}).map(asText) },
      { weight: 1, arbitrary: hostileValues.map(asText) },
    );
  return fc
    .tuple(
      ...parameters.map(({ name, required, schema }) =>
        fc.tuple(fc.nat(9), parameterOf(name, schema)).map(([dice, value]): [string, string][] => {
          if (dice === 0) return [];
          if (dice === 1)
            return [
              [name, value],
              [name, "twice"],
            ];
          return required || dice > 5 ? [[name, value]] : [];
        }),
      ),
    )
    .map((entries) => entries.flat());
}

/** A value as a query parameter. An object may have no such form. */
function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

interface Presented {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly [string, string][];
}

function credentialsOf({ operation }: KnownOperation, { credentials }: KnownThings): fc.Arbitrary<Presented> {
  const [own] = credentials;
  const kindOf = (scheme: string) => KINDS.find((kind) => SCHEMES[kind] === scheme) ?? "client_secret";
  const accepted = (operation.security ?? []).map((schemes) => present(own, Object.keys(schemes).map(kindOf)));
  const right = accepted.length === 0 ? fc.constant(NOTHING) : fc.constantFrom(...accepted);
  const other = fc
    .tuple(fc.constantFrom(...credentials), fc.constantFrom(...KINDS))
    .map(([whose, kind]) => present(whose, [kind]));
  const wrong = fc.constantFrom<Presented>(
    NOTHING,
    { headers: { authorization: "Bearer " }, query: [] },
    { headers: { authorization: "Basic YTpi" }, query: [] },
    { headers: { authorization: `Bearer ${"x".repeat(4_000)}`, "x-secret-key": "\u00e9" }, query: [] },
    { headers: {}, query: [["public_key", "' or 1=1"]] },
    {
      headers: {},
      query: [
        ["public_key", own.public_key],
        ["public_key", "again"],
      ],
    },
  );
  return fc.oneof({ weight: 14, arbitrary: right }, { weight: 3, arbitrary: other }, { weight: 2, arbitrary: wrong });
}

const NOTHING: Presented = { headers: {}, query: [] };
const KINDS = ["client_secret", "client_id", "public_key", "secret_key"] as const;

/** The names of the security schemes in the document. */
const SCHEMES: Readonly<Record<(typeof KINDS)[number], string>> = {
  client_secret: "clientSecret",
  client_id: "clientId",
  public_key: "publicKey",
  secret_key: "secretKey",
};

/** A provider's credentials, sent as the document requires. */
function present(whose: KnownCredentials, kinds: readonly string[]): Presented {
  const headers: Record<string, string> = {};
  const query: [string, string][] = [];
  for (const kind of KINDS) {
    if (!kinds.includes(kind)) continue;
    if (kind === "public_key") query.push(["public_key", whose.public_key]);
    else if (kind === "secret_key") headers["x-secret-key"] = whose.secret_key;
    else headers.authorization = `Bearer ${whose[kind]}`;
  }
  return { headers, query };
}

interface Body {
  readonly body: string | Uint8Array | null;
  readonly type: string | null;
}

function bodiesOf({ operation }: KnownOperation, named: NamedSchemas, known: KnownThings): fc.Arbitrary<Body> {
  const content = operation.requestBody?.content ?? {};
  if ("multipart/form-data" in content) return forms(known);
  const json = content["application/json"];
  if (json === undefined)
    return fc.oneof({ weight: 9, arbitrary: fc.constant(NO_BODY) }, { weight: 1, arbitrary: garbage });
  const examples = Object.values(json.examples ?? {}).map(({ value }) => value);
  const valid = fc
    .oneof(...(examples.length > 0 ? [fc.constantFrom(...examples)] : []), valuesOf(json.schema, named))
    .chain((value) => withKnown(value, known));
  const asJson = (value: unknown): Body => ({ body: JSON.stringify(value) ?? "null", type: "application/json" });
  return fc.oneof(
    { weight: 5, arbitrary: valid.map(asJson) },
    { weight: 5, arbitrary: valid.chain(nearly).map(asJson) },
    { weight: 1, arbitrary: hostileValues.map(asJson) },
    { weight: 1, arbitrary: garbage },
  );
}

/** Hashes and tokens in a body often refer to existing records. */
function withKnown(value: unknown, { orders, widgetTokens }: KnownThings): fc.Arbitrary<unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return fc.constant(value);
  return fc.tuple(fc.uuid(), fc.nat(1_000)).map(([uuid, dice]) => ({
    ...value,
    ...("reference" in value && dice % 4 > 0 && { reference: uuid }),
    ...("widget_token" in value &&
      dice % 3 > 0 && { widget_token: widgetTokens[dice % Math.max(1, widgetTokens.length)] }),
    ...("order_token" in value && dice % 3 > 0 && { order_token: orders[dice % Math.max(1, orders.length)] }),
  }));
}

const NO_BODY: Body = { body: null, type: null };

const garbage: fc.Arbitrary<Body> = fc.oneof(
  fc.uint8Array({ maxLength: 2_000 }).map((body) => ({ body, type: "application/json" })),
  fc.constantFrom<Body>(
    { body: "{", type: "application/json" },
    { body: `${"[".repeat(20_000)}`, type: "application/json" },
    { body: `${'{"a":'.repeat(200)}1${"}".repeat(200)}`, type: "application/json" },
    { body: `"${"x".repeat(70_000)}"`, type: "application/json" },
    { body: "{}", type: "text/plain" },
    { body: "{}", type: "application/json; charset=utf-16" },
    { body: '{"__proto__": {"admin": true}}', type: "application/json" },
    { body: "a=b&c=d", type: "application/x-www-form-urlencoded" },
    NO_BODY,
  ),
);

const fileContents = fc.oneof(
  fc.integer({ min: 9, max: 3_000 }).map((bytes) => `%PDF-1.7\n${"x".repeat(bytes)}`),
  fc.constantFrom("", "MZ not a document", "%PDF", "<html></html>", `%PDF-1.7\n${"y".repeat(2_100_000)}`),
  fc.string({ unit: "binary", maxLength: 500 }),
);

function forms({ orders }: KnownThings): fc.Arbitrary<Body> {
  const fields = fc.record(
    {
      skip_pay_order_id: fc.oneof(
        fc.nat(1_000).map((dice) => orders[dice % Math.max(1, orders.length)] ?? ""),
        fc.string(),
      ),
      name: fc.string({ unit: "grapheme" }),
      date: fc.constantFrom("21/11/2026", "2026-11-21", "31/02/2026", "x", ""),
      total: fc.constantFrom("28.000", "28000", "-1", "1e9", "NaN", "9".repeat(30)),
      doctor_rut: fc.constantFrom("12.345.678-5", "1-9", ""),
      expense_subtypes: fc.constantFrom("exam", "medicine", "nothing"),
      "__proto__[x]": fc.string(),
    },
    { requiredKeys: [] },
  );
  const files = fc.array(fileContents, { maxLength: 7 });
  const whole = fc.tuple(fields, files).map(([values, contents]) => formBody(values, contents));
  return fc.oneof(
    { weight: 9, arbitrary: whole.map((body): Body => ({ body, type: `multipart/form-data; boundary=${BOUNDARY}` })) },
    {
      weight: 1,
      arbitrary: fc.tuple(whole, fc.nat(400)).map(
        ([body, length]): Body => ({
          body: body.slice(0, length),
          type: `multipart/form-data; boundary=${BOUNDARY}`,
        }),
      ),
    },
    { weight: 1, arbitrary: whole.map((body): Body => ({ body, type: "multipart/form-data" })) },
    { weight: 1, arbitrary: garbage },
  );
}

function formBody(values: Readonly<Record<string, string | undefined>>, files: readonly string[]): string {
  const parts = Object.entries(values).map(
    ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const uploads = files.map(
    (content, index) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="uploaded_files"; filename="${index}.pdf"\r\nContent-Type: application/pdf\r\n\r\n${content}\r\n`,
  );
  return `${[...parts, ...uploads].join("")}--${BOUNDARY}--\r\n`;
}
