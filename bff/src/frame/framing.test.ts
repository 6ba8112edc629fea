import { expect, it } from "vitest";
import { isFramed } from "./page-policy.ts";

const CLINIC = ["https://clinic.example"];

it.each([
  ["iframe", CLINIC, true],
  // A frame can request a page that nobody may frame; the browser then refuses to show it.
  ["iframe", [], true],
  ["frame", CLINIC, true],
  ["document", CLINIC, false],
  ["document", [], false],
])("a page that is asked for as %s, framable by %j: framed %j", (destination, frameAncestors, framed) => {
  expect(isFramed(destination, frameAncestors)).toBe(framed);
});

it("where the browser does not say, what may be framed is", () => {
  expect(isFramed(undefined, CLINIC)).toBe(true);
  expect(isFramed(undefined, [])).toBe(false);
});
