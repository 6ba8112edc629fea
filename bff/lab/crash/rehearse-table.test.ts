import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { DRILLS, DRILLS_DOCUMENT } from "./rehearse-table.ts";

const rows = [...readFileSync(DRILLS_DOCUMENT, "utf8").matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(
  ([, name, cells = ""]) => {
    const [fault, errors = "", goal = "", acknowledged = "", lost, doubled] = cells.split(" | ");
    return { name, fault, errors, goal, acknowledged: Number(acknowledged.replaceAll(",", "")), lost, doubled };
  },
);

it("the documented table has every drill, and none of them lost or doubled anything", () => {
  expect(rows.map(({ name, fault, goal }) => [name, fault, goal])).toEqual(
    Object.entries(DRILLS).map(([name, { fault, goal }]) => [name, fault, goal]),
  );
  for (const { name, acknowledged, lost, doubled } of rows) {
    expect([lost, doubled], name).toEqual(["0", "0"]);
    expect(acknowledged, name).toBeGreaterThan(0);
  }
});

it("the documented errors are within their goals", () => {
  const counted = rows.filter(({ goal }) => /^(?:≤ )?\d+/.test(goal));
  expect(counted.map(({ name }) => name)).toEqual(["deploy", "kill", "silence", "freeze", "slow", "skew"]);
  for (const { name, errors, goal } of counted) {
    const [seen, allowed] = [errors, goal].map((text) => Number(/\d+/.exec(text)?.[0]));
    expect(seen, name).toBeLessThanOrEqual(allowed ?? -1);
  }
});
