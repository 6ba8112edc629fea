import { describe, expect, it } from "vitest";
import { CALLBACK_TOLERANCE_SECONDS, isSignedCallback, signCallback } from "./callback-signature.ts";

const now = new Date("2026-11-21T15:00:00Z");
const body = '{"claim_id":"c-1"}';
const headers = signCallback({ id: "m-1", at: now, body }, "token");
const checked = (changes: Partial<Record<keyof typeof headers, string>> = {}, text = body, token = "token", at = now) =>
  isSignedCallback({ ...headers, ...changes }, Buffer.from(text), { tokens: [token], now: at });
const secondsLater = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

describe("a callback of a connector", () => {
  it("is its own with the token that both have", () => expect(checked()).toBe(true));

  it("is one of several signatures, while a token is changed", () =>
    expect(checked({ "webhook-signature": `v1,AAAA ${headers["webhook-signature"]}` })).toBe(true));

  it("may be signed with the token of before, while the service knows both", () => {
    const known = (...tokens: string[]) => isSignedCallback(headers, Buffer.from(body), { tokens, now });
    expect([known("newer", "token"), known("newer"), known()]).toEqual([true, false, false]);
  });

  it.each([
    ["another body", () => checked({}, `${body} `)],
    ["another token", () => checked({}, body, "other")],
    ["another id", () => checked({ "webhook-id": "m-2" })],
    ["another time", () => checked({ "webhook-timestamp": String(Number(headers["webhook-timestamp"]) + 1) })],
    ["a time that is none", () => checked({ "webhook-timestamp": "soon" })],
    ["no version", () => checked({ "webhook-signature": headers["webhook-signature"].slice(3) })],
    ["an empty signature", () => checked({ "webhook-signature": "v1," })],
  ])("is not with %s", (_what, check) => expect(check()).toBe(false));

  it("is not without one of its headers", () => {
    for (const name of Object.keys(headers)) {
      expect(isSignedCallback({ ...headers, [name]: undefined }, Buffer.from(body), { tokens: ["token"], now })).toBe(
        false,
      );
    }
  });

  it("counts for five minutes, and no longer, either way", () => {
    expect(checked({}, body, "token", secondsLater(CALLBACK_TOLERANCE_SECONDS))).toBe(true);
    expect(checked({}, body, "token", secondsLater(CALLBACK_TOLERANCE_SECONDS + 1))).toBe(false);
    expect(checked({}, body, "token", secondsLater(-CALLBACK_TOLERANCE_SECONDS - 1))).toBe(false);
  });
});
