import { createPublicKey } from "node:crypto";
import { createLocalJWKSet, decodeJwt, exportJWK, type JSONWebKeySet, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createReceiptChecker, ReceiptRefused } from "../../../packages/server/src/check-receipt.ts";
import { patientOrderSchema } from "../../../src/contract/orders.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { SIGNED_RECEIPT_MINUTES } from "../../../src/contract/terms.ts";
import { createKeyring, type KeyringKey } from "../../../src/platform/keyring.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { type Checkout, checkoutOf } from "./checkout.ts";

const samples = "../../../docs/site";
const key = (id: string, byte: number): KeyringKey => ({ id, secret: Buffer.alloc(32, byte) });
const [older, newer] = [key("k1", 1), key("k2", 2)];

let bff: TestBff;
let checkout: Checkout;
/** The code sample that partners copy. */
let checkReceipt: (
  signed: string,
  given: { readonly orderHash: string; readonly remember: (id: string) => boolean },
) => Promise<JWTPayload>;

beforeAll(async () => {
  bff = await startBff({
    // The sample checks the expiry by the real clock.
    now: new Date(),
    keyring: createKeyring({ keys: [newer, older], environment: "staging" }),
  });
  checkout = checkoutOf(bff);
  const { body } = await bff.callSpotApi(spotEndpoints.profile, { as: bff.clinic });
  vi.stubEnv("ORDER_API", bff.orderApi);
  vi.stubEnv("PROVIDER_ID", body.provider.id);
  ({ checkReceipt } = await import(`${samples}/check-receipt.mjs`));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await bff.close();
});

const anything = () => true;

/** The package that partners install. */
function packaged(remember: (jti: string) => boolean) {
  return createReceiptChecker({ orderApiUrl: bff.orderApi, providerId: bff.clinic.provider.id, remember });
}

async function receiptOf(hash: string): Promise<string | null | undefined> {
  const { body } = await checkout.call("getOrder", hash, { using: "client_id" });
  return patientOrderSchema.parse(body).signed_receipt;
}

async function paid(): Promise<{ hash: string; signed: string }> {
  const hash = await checkout.paidOrder();
  return { hash, signed: (await receiptOf(hash)) ?? "" };
}

describe("the signed receipt of a paid order", () => {
  it("states the amount, audience and expiry, and nothing of the patient", async () => {
    const { hash, signed } = await paid();
    const payload = await checkReceipt(signed, { orderHash: hash, remember: anything });
    const order = await checkout.read(hash);
    const iat = Math.floor(bff.clock.now().getTime() / 1_000);
    expect(payload).toEqual({
      iss: bff.orderApi,
      aud: bff.clinic.provider.id,
      sub: hash,
      jti: hash,
      iat,
      exp: iat + SIGNED_RECEIPT_MINUTES * 60,
      status: "paid",
      amount: order.total_amount,
      currency: "CLP",
      paid_at: expect.any(String),
    });
  });

  it("has the same jti at every reading, so that a partner can accept a payment once", async () => {
    const hash = await checkout.readyOrder();
    const { body } = await checkout.pay(hash);
    const [first, second] = [body.order.signed_receipt, await receiptOf(hash)];
    expect(decodeJwt(first).sub).toBe(hash);
    expect(decodeJwt(second ?? "").jti).toBe(decodeJwt(first).jti);
  });

  it("is absent before the payment, after any refund, and for a partner with client_secret", async () => {
    const hash = await checkout.readyOrder();
    expect(await receiptOf(hash)).toBeUndefined();
    await checkout.pay(hash);
    expect(await checkout.read(hash)).not.toHaveProperty("signed_receipt");
    await checkout.refund(hash, { amount: 1_000 });
    expect(await receiptOf(hash)).toBeNull();
  });

  it("is valid with an older key as long as the keyring holds it", async () => {
    const { hash, signed } = await paid();
    const { protectedHeader } = await jwtVerify(signed, await keySet());
    expect(protectedHeader).toEqual({ alg: "EdDSA", typ: "JWT", kid: "k2" });
    const [old] = createKeyring({ keys: [older], environment: "staging" }).signingKeys("orders.signed_receipt");
    if (old === undefined) throw new Error("There is no key.");
    const byOlder = await resigned(signed, { kid: "k1", key: old.privateKey });
    expect(await checkReceipt(byOlder, { orderHash: hash, remember: anything })).toEqual(decodeJwt(signed));
  });
});

async function keySet() {
  const answer = await fetch(`${bff.orderApi}/.well-known/jwks.json`);
  return createLocalJWKSet((await answer.json()) as JSONWebKeySet);
}

/** A forged receipt. */
function resigned(
  signed: string,
  by: { readonly kid: string; readonly key: Parameters<SignJWT["sign"]>[0] },
  changes: JWTPayload = {},
): Promise<string> {
  return new SignJWT({ ...decodeJwt(signed), ...changes })
    .setProtectedHeader({ alg: "EdDSA", typ: "JWT", kid: by.kid })
    .sign(by.key);
}

describe("the partner's sample and package reject", () => {
  const ours = () => {
    const [own] = createKeyring({ keys: [newer], environment: "staging" }).signingKeys("orders.signed_receipt");
    if (own === undefined) throw new Error("There is no key.");
    return { kid: "k2", key: own.privateKey };
  };
  const foreign = () => {
    const [other] = createKeyring({ keys: [newer], environment: "production" }).signingKeys("orders.signed_receipt");
    if (other === undefined) throw new Error("There is no key.");
    return { kid: "k2", key: other.privateKey };
  };

  it.each([
    ["a changed amount", (signed: string) => signed.replace(/\.[^.]+\./, `.${altered(signed)}.`)],
    ["another environment's key", (signed: string) => resigned(signed, foreign())],
    ["another issuer", (signed: string) => resigned(signed, ours(), { iss: "https://orders.example" })],
    ["another provider", (signed: string) => resigned(signed, ours(), { aud: crypto.randomUUID() })],
    ["another order", (signed: string) => resigned(signed, ours(), { sub: crypto.randomUUID() })],
    ["one that has expired", (signed: string) => resigned(signed, ours(), { exp: 1 })],
    ["one without a signature", (signed: string) => signed.replace(/[^.]+$/, "")],
    ["one that is not signed at all", unsigned],
  ])("a forged receipt: %s", async (_name, forge) => {
    const { hash, signed } = await paid();
    await checkReceipt(signed, { orderHash: hash, remember: anything });
    const forged = await forge(signed);
    await expect(checkReceipt(forged, { orderHash: hash, remember: anything })).rejects.toThrow();
    // The package behaves the same.
    const check = packaged(anything);
    expect(await check(signed, { orderHash: hash })).toMatchObject({ status: "paid", sub: hash });
    await expect(check(forged, { orderHash: hash })).rejects.toBeInstanceOf(ReceiptRefused);
  });

  it("a receipt that was used before", async () => {
    const { hash, signed } = await paid();
    const seen = new Set<string>();
    const remember = (id: string) => seen.size < seen.add(id).size;
    await checkReceipt(signed, { orderHash: hash, remember });
    await expect(checkReceipt(signed, { orderHash: hash, remember })).rejects.toThrow("shown before");
    const again = packaged(remember)(signed, { orderHash: hash });
    await expect(again).rejects.toThrow(new ReceiptRefused("this receipt was shown before"));
  });
});

function altered(signed: string): string {
  return Buffer.from(JSON.stringify({ ...decodeJwt(signed), amount: 1 })).toString("base64url");
}

function unsigned(signed: string): string {
  const header = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
  return `${header}.${signed.split(".")[1]}.`;
}

describe("GET /.well-known/jwks.json", () => {
  it("returns the public half of each key, newest first, to every origin, cacheable for an hour", async () => {
    const answer = await fetch(`${bff.orderApi}/.well-known/jwks.json`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toMatch(/^application\/jwk-set\+json/);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=3600");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    const [own] = createKeyring({ keys: [newer], environment: "staging" }).signingKeys("orders.signed_receipt");
    const x = own === undefined ? "" : (await exportJWK(createPublicKey(own.privateKey))).x;
    expect(await answer.json()).toEqual({
      keys: [
        { kty: "OKP", crv: "Ed25519", x, kid: "k2", use: "sig", alg: "EdDSA" },
        { kty: "OKP", crv: "Ed25519", x: expect.any(String), kid: "k1", use: "sig", alg: "EdDSA" },
      ],
    });
  });
});
