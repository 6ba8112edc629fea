import { expect, it } from "vitest";
import { isFramed } from "./page-policy.ts";

const CLINIC = ["https://clinic.example"];

it.each([
  ["iframe", CLINIC, true],
  // A frame can request a page that may not be framed; the browser then refuses to show it.
  ["iframe", [], true],
  ["frame", CLINIC, true],
  ["document", CLINIC, false],
  ["document", [], false],
])(
  "a page requested as %s whose permitted origins are %j counts as framed: %j",
  (destination, frameAncestors, framed) => {
    expect(isFramed(destination, frameAncestors)).toBe(framed);
  },
);

it("a page counts as framed without Sec-Fetch-Dest if it may be framed", () => {
  expect(isFramed(undefined, CLINIC)).toBe(true);
  expect(isFramed(undefined, [])).toBe(false);
});
