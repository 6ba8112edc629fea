import { describe, expect, it } from "vitest";
import { CALLBACK_TOLERANCE_SECONDS, isSignedCallback, signCallback } from "./callback-signature.ts";

const now = new Date("2026-11-21T15:00:00Z");
const body = '{"claim_id":"c-1"}';
const headers = signCallback({ id: "m-1", at: now, body }, "token");
const checked = (changes: Partial<Record<keyof typeof headers, string>> = {}, text = body, token = "token", at = now) =>
  isSignedCallback({ ...headers, ...changes }, Buffer.from(text), { tokens: [token], now: at });
const secondsLater = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

describe("a connector's callback", () => {
  it("is authentic with the shared token", () => expect(checked()).toBe(true));

  it("is authentic with one of several signatures, during a token's rotation", () =>
    expect(checked({ "webhook-signature": `v1,AAAA ${headers["webhook-signature"]}` })).toBe(true));

  it("is authentic with the previous token, as long as the service knows both", () => {
    const known = (...tokens: string[]) => isSignedCallback(headers, Buffer.from(body), { tokens, now });
    expect([known("newer", "token"), known("newer"), known()]).toEqual([true, false, false]);
  });

  it.each([
    ["another body", () => checked({}, `${body} `)],
    ["another token", () => checked({}, body, "other")],
    ["another id", () => checked({ "webhook-id": "m-2" })],
    ["another time", () => checked({ "webhook-timestamp": String(Number(headers["webhook-timestamp"]) + 1) })],
    ["an invalid time", () => checked({ "webhook-timestamp": "soon" })],
    ["no version", () => checked({ "webhook-signature": headers["webhook-signature"].slice(3) })],
    ["an empty signature", () => checked({ "webhook-signature": "v1," })],
  ])("is refused with %s", (_what, check) => expect(check()).toBe(false));

  it("is refused without one of its headers", () => {
    for (const name of Object.keys(headers)) {
      expect(isSignedCallback({ ...headers, [name]: undefined }, Buffer.from(body), { tokens: ["token"], now })).toBe(
        false,
      );
    }
  });

  it("is accepted within five minutes of its timestamp, in either direction", () => {
    expect(checked({}, body, "token", secondsLater(CALLBACK_TOLERANCE_SECONDS))).toBe(true);
    expect(checked({}, body, "token", secondsLater(CALLBACK_TOLERANCE_SECONDS + 1))).toBe(false);
    expect(checked({}, body, "token", secondsLater(-CALLBACK_TOLERANCE_SECONDS - 1))).toBe(false);
  });
});
