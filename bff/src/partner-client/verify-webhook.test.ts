import { describe, expect, it } from "vitest";
import { signatureHeaders } from "../webhooks/signature.ts";
import { verifyWebhook, type WebhookHeaders, WebhookSignatureMismatch } from "./verify-webhook.ts";

const secretOf = (text: string) => `whsec_${Buffer.from(text).toString("base64")}`;
const [secret, other] = [secretOf("this is a test key of 32 bytes!!"), secretOf("this is another key of 32 bytes!")];
const sentAt = new Date("2026-11-27T12:00:00Z");
const order = { event_id: "e", event: "order.paid", order_hash: "h", status: "paid" };

/** A webhook as the service sends it: its body and headers. */
function sent(event: object, secrets: readonly [string, ...string[]] = [secret]) {
  const body = new TextEncoder().encode(JSON.stringify(event));
  const headers = signatureHeaders({ body, webhookId: "e", sentAt, secrets, word: "Service" });
  return { body, headers: lowerCase(headers) };
}

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const later = (ms: number) => new Date(sentAt.getTime() + ms);

describe("verifyWebhook with the request's headers", () => {
  it.each<[string, (headers: Record<string, string>) => WebhookHeaders]>([
    ["Node's", (headers) => headers],
    ["a Fetch Headers object", (headers) => new Headers(headers)],
    [
      "names in another case",
      (headers) => Object.fromEntries(Object.entries(headers).map(([n, v]) => [n.toUpperCase(), v])),
    ],
    ["lists of values", (headers) => Object.fromEntries(Object.entries(headers).map(([n, v]) => [n, [v]]))],
  ])("returns the event, from headers that are %s", (_what, as) => {
    const { body, headers } = sent(order);
    expect(verifyWebhook(body, as(headers), secret, sentAt)).toEqual(order);
  });

  it.each([
    ["five minutes late", 5 * 60_000, true],
    ["a second more than five minutes late", 5 * 60_000 + 1_000, false],
    ["five minutes early", -5 * 60_000, true],
    ["a second more than five minutes early", -5 * 60_000 - 1_000, false],
  ])("compares the time of sending with now: %s", (_what, ms, isTaken) => {
    const { body, headers } = sent(order);
    const verify = () => verifyWebhook(body, headers, secret, later(ms));
    if (isTaken) expect(verify()).toEqual(order);
    else expect(verify).toThrow(/more than five minutes ago/);
  });

  it("accepts the old and the new secret during a rotation, and no third", () => {
    const { body, headers } = sent(order, [secret, other]);
    expect(verifyWebhook(body, headers, secret, sentAt)).toEqual(order);
    expect(verifyWebhook(body, headers, other, sentAt)).toEqual(order);
    expect(() => verifyWebhook(body, headers, secretOf("a third key"), sentAt)).toThrow(WebhookSignatureMismatch);
  });

  it.each<[string, Record<string, string>]>([
    ["no id", { "webhook-id": "" }],
    ["another id", { "webhook-id": "f" }],
    ["a later moment than was signed", { "webhook-timestamp": String(sentAt.getTime() / 1_000 + 1) }],
    ["no moment", { "webhook-timestamp": "now" }],
    ["another version", { "webhook-signature": "v2,AAAA" }],
    ["no signature", { "webhook-signature": "" }],
  ])("refuses %s", (_what, changed) => {
    const { body, headers } = sent(order);
    const wrong = { ...headers, ...changed };
    expect(() => verifyWebhook(body, wrong, secret, sentAt)).toThrow(WebhookSignatureMismatch);
  });

  it("refuses another body, and headers without the three required ones", () => {
    const { headers } = sent(order);
    expect(() => verifyWebhook(sent({ ...order, status: "refunded" }).body, headers, secret, sentAt)).toThrow(
      WebhookSignatureMismatch,
    );
    const { "x-service-signature": spec = "" } = headers;
    expect(() => verifyWebhook(sent(order).body, { "x-service-signature": spec }, secret, sentAt)).toThrow(
      /webhook-id, webhook-timestamp or webhook-signature is missing/,
    );
  });
});

describe("verifyWebhook with the signature alone", () => {
  it("returns the event, however old it is", () => {
    const { body, headers } = sent(order);
    // oxlint-disable-next-line typescript/no-deprecated -- the form that partners still use
    expect(verifyWebhook(body, headers["x-service-signature"], secret)).toEqual(order);
  });

  it.each<[string, (signature: string) => string | null | undefined]>([
    ["no signature", () => undefined],
    ["no header", () => null],
    ["another secret", () => sent(order, [other]).headers["x-service-signature"]],
    ["upper-case hex", (signature) => signature.toUpperCase()],
    ["another scheme", (signature) => signature.replace("sha256", "sha1")],
  ])("refuses %s", (_what, change) => {
    const { body, headers } = sent(order);
    // oxlint-disable-next-line typescript/no-deprecated -- the form that partners still use
    expect(() => verifyWebhook(body, change(headers["x-service-signature"] ?? ""), secret)).toThrow(
      WebhookSignatureMismatch,
    );
  });
});

describe("the result of verifyWebhook", () => {
  const returned = (event: object) => {
    const { body, headers } = sent(event);
    return verifyWebhook(body, headers, secret, sentAt);
  };

  it("is null for an event without an order, such as a test of the endpoint", () => {
    expect(returned({ event: "endpoint.test", event_id: "e", data: {} })).toBeNull();
  });

  it.each([
    ["a kind", { ...order, event: "claim.filed" }],
    ["a status", { ...order, status: "disputed" }],
    ["a field", { ...order, dispute: { id: "d" } }],
  ])("is the event word for word even if %s is newer than the client", (_what, event) => {
    expect(returned(event)).toEqual(event);
  });

  it("is refused without a secret", () => {
    const { body, headers } = sent(order);
    expect(() => verifyWebhook(body, headers, undefined as never)).toThrow("the webhook secret is missing");
  });
});
