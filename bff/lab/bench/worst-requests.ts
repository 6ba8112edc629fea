import { randomUUID } from "node:crypto";
import { FROM } from "./hostile-attacker.ts";
import { requestText } from "./load.ts";
import type { Service } from "./servers.ts";

/** A request that costs the service as much as any of its kind can. */
export interface WorstRequest {
  readonly name: string;
  /** With a made-up secret, or with a public credential. */
  readonly caller: "claimed_secret" | "public";
  readonly port: number;
  readonly text: string;
  /** The same call with almost no content. */
  readonly ordinary: string;
}

/** The attacker's knowledge. */
export interface Known extends Service {
  /** An order that is not paid. */
  readonly order: string;
  readonly token: string;
}

const KIB = 1_024;
/** No window of these digits passes Luhn, and all begin in an issuer's range, so the search runs to the end. */
const digits = (length: number) => "5".repeat(length);
const marks = (length: number) => `1234567890123${"\u0301\u0316".repeat(length / 4)}`;

const header = (length: number) => "1234567890123-".repeat(Math.floor(length / 14));

/** All of the worst requests. Bodies are as large as the endpoint accepts. */
export function worstRequests(known: Known): WorstRequest[] {
  return [...claimedSecrets(known), ...publicCalls(known)];
}

function claimedSecrets({ port, spotPort }: Known): WorstRequest[] {
  const as = { authorization: `Bearer cs_${"x".repeat(43)}` };
  const order = (name: string, body: unknown, headers = {}): WorstRequest => ({
    name,
    caller: "claimed_secret",
    port,
    text: text("POST", "/orders", { headers: { ...as, ...headers }, body }),
    ordinary: text("POST", "/orders", { headers: as, body: {} }),
  });
  return [
    order("digits", { reference: digits(63 * KIB) }),
    order("letters", { reference: "a".repeat(63 * KIB) }),
    order("lists", Array(20_000).fill([])),
    order("headers", {}, { "x-request-id": header(128), "user-agent": header(4 * KIB), cookie: header(4 * KIB) }),
    {
      name: "secret_key",
      caller: "claimed_secret",
      port: spotPort,
      text: text("PUT", "/api/spot/subscriptions/12345678-5", {
        headers: { "x-secret-key": `ak_${"x".repeat(43)}` },
        body: { plan: digits(63 * KIB) },
      }),
      ordinary: text("PUT", "/api/spot/subscriptions/12345678-5", {
        headers: { "x-secret-key": `ak_${"x".repeat(43)}` },
        body: {},
      }),
    },
  ];
}

function publicCalls(known: Known): WorstRequest[] {
  return [...stepsOfPatients(known), ...callsWithPublicKey(known)];
}

function stepsOfPatients({ port, clientId, order }: Known): WorstRequest[] {
  const step = (name: string, path: string, body?: unknown, method = "POST", headers = {}): WorstRequest => ({
    name,
    caller: "public",
    port,
    text: text(method, `/orders/${path}`, { headers: { authorization: `Bearer ${clientId}`, ...headers }, body }),
    ordinary: text(method, `/orders/${path}`, { headers: { authorization: `Bearer ${clientId}` }, body: body && {} }),
  });
  const unknownToken = randomUUID();
  const key = { "idempotency-key": digits(255) };
  return [
    step("card_digits", `${order}/add_payment_method`, { sealed_card: digits(15 * KIB) }, "POST", key),
    step("card_marks", `${order}/add_payment_method`, { note: marks(10 * KIB) }),
    step(
      "fields",
      `${order}/payment`,
      Object.fromEntries(Array.from({ length: 500 }, (_, at) => [header(14) + at, 1])),
    ),
    step("values", `${unknownToken}/payment`, { consents: Array(500).fill({}) }),
    step("escapes", `${unknownToken}/validate_customer_identity`, { document_serial: "\u0001".repeat(2 * KIB) }),
    step("too_large", `${unknownToken}/payment`, { note: digits(63 * KIB) }),
    step("read_order", order, undefined, "GET"),
    step("agreement", `${order}/agreement`, undefined, "GET"),
    step("agreement_file", `${order}/agreement/file`, undefined, "GET"),
  ];
}

function callsWithPublicKey({ spotPort: port, publicKey, token, order }: Known): WorstRequest[] {
  const call = (name: string, method: string, path: string, body?: unknown): WorstRequest => ({
    name,
    caller: "public",
    port,
    text: text(method, path, { body }),
    ordinary: text(method, path.replace(/&.*/, ""), { body: body && {} }),
  });
  const key = `public_key=${publicKey}`;
  return [
    call("mint", "POST", `/api/spot/widget?${key}`, { user_data: { name: digits(15 * KIB) } }),
    call("mint_qr", "POST", `/api/spot/widget?${key}`, { qr: true, order_token: order }),
    call("urls", "POST", `/api/spot/gastos-url?${key}&rut=40100000-3`, { urls: Array(100).fill(digits(150)) }),
    call("session", "GET", `/api/spot/widget/${token}`),
    call("query", "GET", `/api/spot/is_user_subscribed?${key}&rut=${encodeURIComponent(marks(3 * KIB))}`),
    call("parameters", "GET", `/api/quote?${key}&${"a=1&".repeat(2_000)}amount=1`),
    call("data_link", "POST", `/api/spot/patient/data_link?${key}`, { rut: digits(15 * KIB), email: digits(64) }),
  ];
}

function text(method: string, path: string, { headers = {}, body }: { headers?: object; body?: unknown }): string {
  return requestText(method, path, { headers: { ...headers, "x-forwarded-for": FROM }, body });
}
