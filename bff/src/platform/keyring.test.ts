import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKeyring, equalInConstantTime, type KeyringKey, SealBroken } from "./keyring.ts";

const key = (id: string, byte: number): KeyringKey => ({ id, secret: new Uint8Array(32).fill(byte) });
const staging = createKeyring({ keys: [key("k1", 1)], environment: "staging" });
const production = createKeyring({ keys: [key("k1", 1)], environment: "production" });
const rotated = createKeyring({ keys: [key("k2", 2), key("k1", 1)], environment: "staging" });
const withoutOld = createKeyring({ keys: [key("k2", 2)], environment: "staging" });

describe("a sealed text", () => {
  it("opens to the original text, whatever the text is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (text, purpose) => {
        expect(staging.open(staging.seal(text, purpose), purpose)).toBe(text);
      }),
    );
  });

  it("is always the same when sealed deterministically, and differs for any other text or purpose", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (text, another, purpose) => {
        const sealed = staging.sealRepeatably(text, purpose);
        expect(staging.sealRepeatably(text, purpose)).toBe(sealed);
        expect(staging.open(sealed, purpose)).toBe(text);
        expect(staging.sealRepeatably(text, `${purpose}.`)).not.toBe(sealed);
        if (another !== text)
          expect(staging.sealRepeatably(another, purpose).slice(0, 19)).not.toBe(sealed.slice(0, 19));
        expect(() => production.open(sealed, purpose)).toThrow(SealBroken);
        expect(() => staging.open(sealed, `${purpose}.`)).toThrow(SealBroken);
      }),
    );
  });

  it("differs every time and reveals nothing of the text", () => {
    const seals = new Set(Array.from({ length: 100 }, () => staging.seal("12345678-5", "test")));
    expect(seals.size).toBe(100);
    for (const sealed of seals) expect(Buffer.from(sealed.slice(3), "base64url").includes("12345678")).toBe(false);
  });

  it("does not open for another purpose, or in another environment with the same key", () => {
    const sealed = staging.seal("secret", "webhook.secret");
    expect(() => staging.open(sealed, "answer")).toThrow(SealBroken);
    expect(() => production.open(sealed, "webhook.secret")).toThrow(SealBroken);
  });

  it("does not open if any one character was changed, cut or added", () => {
    const sealed = staging.seal("whsec_secret", "test");
    for (let index = 0; index < sealed.length; index += 1) {
      const other = sealed[index] === "A" ? "B" : "A";
      expect(
        () => staging.open(sealed.slice(0, index) + other + sealed.slice(index + 1), "test"),
        `at ${index}`,
      ).toThrow(SealBroken);
      expect(() => staging.open(sealed.slice(0, index), "test"), `cut at ${index}`).toThrow(SealBroken);
    }
    for (const added of ["A", "=", " ", "\n", "."])
      expect(() => staging.open(sealed + added, "test")).toThrow(SealBroken);
    for (const nonsense of ["", ".", "k1.", "k1", "k9.AAAA", "__proto__.AAAA"])
      expect(() => staging.open(nonsense, "test")).toThrow(SealBroken);
  });

  it("opens after a rotation until its key is removed, while new texts use the new key", () => {
    const old = staging.seal("secret", "test");
    expect(rotated.open(old, "test")).toBe("secret");
    expect(rotated.seal("secret", "test")).toMatch(/^k2\./);
    expect(withoutOld.open(rotated.seal("new", "test"), "test")).toBe("new");
    expect(() => withoutOld.open(old, "test")).toThrow(SealBroken);
  });

  it("cannot be passed off as sealed with another key", () => {
    const sealed = rotated.seal("secret", "test");
    expect(() => rotated.open(sealed.replace("k2.", "k1."), "test")).toThrow(SealBroken);
  });
});

it("sealed bytes open to the same bytes, but not if one bit was changed", () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
  const sealed = staging.sealBytes(bytes, "file");
  expect(Buffer.from(staging.openBytes(sealed, "file")).equals(Buffer.from(bytes))).toBe(true);
  for (let index = 0; index < sealed.length; index += 7) {
    const changed = Uint8Array.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => staging.openBytes(changed, "file"), `at ${index}`).toThrow(SealBroken);
  }
  expect(() => staging.openBytes(sealed, "other")).toThrow(SealBroken);
  expect(() => staging.openBytes(new Uint8Array(), "file")).toThrow(SealBroken);
});

describe("a keyed hash", () => {
  it("is the same for the same value, and different for a different value, purpose, environment or key", () => {
    const hashes = [
      staging.hmac("credential", "cs_abc"),
      staging.hmac("credential", "cs_abd"),
      staging.hmac("serial", "cs_abc"),
      production.hmac("credential", "cs_abc"),
      rotated.hmac("credential", "cs_abc"),
      staging.hmac("credentialc", "s_abc"),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(staging.hmac("credential", "cs_abc")).toBe(hashes[0]);
  });

  it("is found and matched after a rotation", () => {
    const old = staging.hmac("credential", "cs_abc");
    expect(rotated.hmacsOfAllKeys("credential", "cs_abc")).toContain(old);
    expect(rotated.matches("credential", "cs_abc", old)).toBe(true);
    expect(rotated.matches("credential", "cs_abd", old)).toBe(false);
    expect(withoutOld.matches("credential", "cs_abc", old)).toBe(false);
    for (const nonsense of ["", ".", "k1.", `${old}A`, old.slice(0, -1)])
      expect(staging.matches("credential", "cs_abc", nonsense)).toBe(false);
  });
});

it("a keyring refuses keys that are too weak", () => {
  const make = (keys: KeyringKey[]) => () => createKeyring({ keys, environment: "staging" });
  expect(make([])).toThrow(RangeError);
  expect(make([{ id: "k1", secret: new Uint8Array(31) }])).toThrow(RangeError);
  expect(make([key("k1", 1), key("k1", 2)])).toThrow(RangeError);
  expect(make([key("k.1", 1)])).toThrow(RangeError);
});

it("two secrets are equal only if they are identical, whatever their lengths", () => {
  expect(equalInConstantTime("abc", "abc")).toBe(true);
  expect(equalInConstantTime("abc", "abd")).toBe(false);
  expect(equalInConstantTime("abc", "abcd")).toBe(false);
  expect(equalInConstantTime("", "a")).toBe(false);
});
