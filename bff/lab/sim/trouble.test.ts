import { expect, test } from "vitest";
import { countTroubles } from "./trouble.ts";

test("only a fault that can occur at its place excuses failures", () => {
  const deadlock = { at: "statement", kind: "deadlock", number: 1 } as const;
  const outside = countTroubles([deadlock]);
  expect(outside.next("statement", "select 1", ["deadlock"])).toBe(null);
  expect(outside.happened()).toEqual([]);
  const inside = countTroubles([deadlock]);
  expect(inside.next("statement", "select 1")).toBe("deadlock");
  expect(inside.happened()).toEqual([deadlock]);
});

test("a fault hits the n-th statement, or the n-th statement of its name", () => {
  const troubles = countTroubles([
    { at: "statement", kind: "refused", number: 2 },
    { at: "statement", kind: "lost_after", number: 2, of: "commit" },
    { at: "call", kind: "twice", number: 1, of: "charge" },
  ]);
  const statements = ["begin", "commit", "select 1", "commit"].map((sql) => troubles.next("statement", sql));
  expect(statements).toEqual([null, "refused", null, "lost_after"]);
  expect(["authenticate", "charge"].map((method) => troubles.next("call", method))).toEqual([null, "twice"]);
});
