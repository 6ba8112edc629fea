import { expect, test } from "vitest";
import { LOCK_CLASSES } from "./lock-classes.ts";

test("no two kinds of advisory locks can collide", () => {
  const classes = Object.values(LOCK_CLASSES);
  expect(new Set(classes).size).toBe(classes.length);
});
