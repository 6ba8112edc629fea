import { expect, it } from "vitest";
import { purgeInBatches } from "./purge.ts";

it("a purge repeats its statement until that removes fewer rows than its limit", async () => {
  const limits: number[] = [];
  let left = 5_000;
  const count = await purgeInBatches(async (limit) => {
    limits.push(limit);
    const removed = Math.min(left, limit);
    left -= removed;
    return removed;
  });
  expect(count).toBe(5_000);
  expect(limits).toEqual([2_000, 2_000, 2_000]);
});

it("a purge stops after a hundred statements and leaves the rest for the next hour", async () => {
  let statements = 0;
  const count = await purgeInBatches(async (limit) => {
    statements += 1;
    return limit;
  });
  expect(statements).toBe(100);
  expect(count).toBe(200_000);
});

it("a purge keeps what it removed before a statement failed", async () => {
  let statements = 0;
  const purging = purgeInBatches(async (limit) => {
    statements += 1;
    if (statements === 2) throw new Error("the database has gone");
    return limit;
  });
  await expect(purging).rejects.toThrow("the database has gone");
  expect(statements).toBe(2);
});
