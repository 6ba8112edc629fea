import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { solveChallenge } from "../../packages/server/src/dev/solve-challenge.ts";
import { holdsCardNumber } from "../../src/contract/vocabulary/card-number.ts";
import { createKeyring } from "../../src/platform/keyring.ts";
import { judgeProof, leadingZeroBits, makeChallenge } from "./proof-of-work.ts";

const keyringOf = (secret: number) =>
  createKeyring({ keys: [{ id: "k", secret: new Uint8Array(32).fill(secret) }], environment: "staging" });
const keyring = keyringOf(1);
const now = new Date("2026-11-23T12:00:00Z");

describe("the proof of work for keys of the sandbox", () => {
  const { challenge, bits, expiresAt } = makeChallenge(keyring, "n1", now);
  const solution = solveChallenge(challenge, bits);

  it("never looks like a card number, which no body may contain", () => {
    for (let made = 0; made < 2_000; made += 1) {
      const at = new Date(now.getTime() + made * 1_000);
      expect(holdsCardNumber(makeChallenge(keyring, randomUUID(), at).challenge)).toBe(false);
    }
  });

  it("is accepted while the challenge is valid", () => {
    expect(judgeProof(keyring, { challenge, solution }, now)).toBeNull();
    expect(judgeProof(keyring, { challenge, solution }, new Date(expiresAt.getTime() - 1))).toBeNull();
  });

  it.each([
    ["a challenge that has expired", challenge, solution, expiresAt, "challenge"],
    ["a challenge whose end was moved", challenge.replace(/~\w+~/, "~zzzzzzzz~"), solution, now, "challenge"],
    ["a challenge of another keyring", makeChallenge(keyringOf(2), "n1", now).challenge, solution, now, "challenge"],
    ["an invalid challenge", "x", solution, now, "challenge"],
    ["no work", challenge, "", now, "solution"],
  ])("is refused for %s", (_what, given, answer, at, path) => {
    expect(judgeProof(keyring, { challenge: given, solution: answer }, at)).toMatchObject({ path });
  });

  it.each([
    [[0xff], 0],
    [[0x01], 7],
    [[0, 0x80], 8],
    [[0, 0], 16],
  ])("counts the leading zero bits of %j", (bytes, zeros) => {
    expect(leadingZeroBits(Uint8Array.from(bytes))).toBe(zeros);
  });
});
