import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { writeScale } from "./scale-document.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const measured = read("./measured/scale.jsonl");
const [, features = ""] =
  /^## What of PostgreSQL is used$([\s\S]*)/m.exec(read("../../docs/reference/distribution.md")) ?? [];

it("the page of the scale has the measured figures and the listed features", async () => {
  await expect(writeScale(measured, features)).toMatchFileSnapshot("../../docs/reference/scale.md");
});

it("a lower rate lowers the orders a day, and a feature that an engine limits appears for it", () => {
  const page = writeScale(
    measured.replace(/("scale_checkouts_of_1","value":)[\d.]+/, "$110"),
    `${features}\n| \`plants\` | Citus: no |\n`,
  );
  // 10 a second are 36,000 an hour; half of them, in a tenth of a day.
  expect(page).toContain("| whole checkouts, one process | 10 a second | 180,000 |");
  const limitedBy = (engine: string, of: string) =>
    Number(new RegExp(`^\\| ${engine} \\|.*\\| (\\d+) features`, "m").exec(of)?.[1]);
  const before = writeScale(measured, features);
  expect(limitedBy("Citus", page)).toBe(limitedBy("Citus", before) + 1);
  expect(limitedBy("YugabyteDB", page)).toBe(limitedBy("YugabyteDB", before));
  expect(limitedBy("managed PostgreSQL", page)).toBe(0);
});

it("a page of a million orders does not call its run short", () => {
  const of = (orders: number) => writeScale(measured.replace(/"orders":\d+/, `"orders":${orders}`), features);
  expect(of(999_999)).toContain("a short run");
  expect(of(1_000_000)).not.toContain("a short run");
});

it("an output without one of the figures writes no page", () => {
  const lines = measured.split("\n").filter((line) => !line.includes("scale_timers"));
  expect(() => writeScale(lines.join("\n"), features)).toThrow("scale_timers");
});
