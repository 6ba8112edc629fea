import { expect, it } from "vitest";
import { createUserSeal } from "./sealed-users.ts";

const [OLD, NEW] = ["an older key of at least 32 characters", "a newer key of at least 32 characters"];
const USER = "b6bd6ba3-e718-4107-9386-d2b099a8dd42";

it("stores a user sealed, and opens it under each of its keys", () => {
  const sealed = createUserSeal([OLD]).seal(USER);
  expect(sealed).not.toContain(USER.slice(0, 8));
  expect(createUserSeal([NEW, OLD]).open(sealed)).toBe(USER);
  expect(() => createUserSeal([NEW]).open(sealed)).toThrow();
  expect(() => createUserSeal([]).open(sealed)).toThrow("TRANSBANK_SEAL_KEYS");
});

it("returns a user that was stored before there was a key", () => {
  expect(createUserSeal([NEW]).open(USER)).toBe(USER);
  expect(createUserSeal([]).seal(USER)).toBe(USER);
});
