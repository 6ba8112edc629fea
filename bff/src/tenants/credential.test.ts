import { expect, it } from "vitest";
import { systemIds } from "../platform/ids.ts";
import { CREDENTIAL_KINDS, claimedKind, makeCredentialValue } from "./credential.ts";

it.each(CREDENTIAL_KINDS)("a value of %s is recognised", (kind) => {
  expect(claimedKind(makeCredentialValue(kind, systemIds))).toBe(kind);
});

it.each(["PK_\0", "PK_a b", "PK_é", `PK_${"x".repeat(200)}`, "x"])("%j is no credential's value", (value) => {
  expect(claimedKind(value)).toBeNull();
});
