import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { signatureHeaders } from "./signature.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const newer = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
const body = Buffer.from('{"event":"order.paid","name":"Ñusta"}');
const webhookId = "5a4f0c1e-0000-4000-8000-000000000001";

function headersWith(secrets: readonly [string, ...string[]], word = "Service") {
  return signatureHeaders({ body, webhookId, sentAt: new Date(), secrets, word });
}

it("a webhook signature covers the raw body, and uses every byte of the secret", () => {
  const expected = createHmac("sha256", secret).update(body).digest("hex");
  expect(headersWith([secret])["X-Service-Signature"]).toBe(`sha256=${expected}`);
});

it("a webhook signature of fixed input never changes", () => {
  const headers = signatureHeaders({
    body: Buffer.from("{}"),
    webhookId,
    sentAt: new Date("2026-11-21T12:00:00.900Z"),
    secrets: [secret],
    word: "Service",
  });
  expect(headers).toEqual({
    "X-Service-Signature": "sha256=6a966e9fbe372d844479178763f2318c6bc0a7b3fe5caa5265ff1b9c9eb552c6",
    "webhook-id": webhookId,
    "webhook-timestamp": "1795262400",
    "webhook-signature": "v1,YD1ofymHSU2qG4v3P0hWDyrpr4AqE2dSz2yn9zSqX/Q=",
  });
});

it("the brand in the signature's header name is a setting", () => {
  expect(headersWith([secret], "Aapd")).toHaveProperty("X-Aapd-Signature");
});

it("the public standardwebhooks package verifies our signature", () => {
  expect(new Webhook(secret).verify(body.toString(), headersWith([secret]))).toEqual({
    event: "order.paid",
    name: "Ñusta",
  });
});

it("during a rotation both secrets verify, and the interface's header uses the old one", () => {
  const headers = headersWith([secret, newer]);
  for (const known of [secret, newer]) expect(() => new Webhook(known).verify(body.toString(), headers)).not.toThrow();
  expect(headers["X-Service-Signature"]).toBe(headersWith([secret])["X-Service-Signature"]);
});

it("a signature does not verify with another body or another secret", () => {
  const headers = headersWith([secret]);
  expect(() => new Webhook(secret).verify(`${body.toString()} `, headers)).toThrow();
  expect(() => new Webhook(newer).verify(body.toString(), headers)).toThrow();
});
