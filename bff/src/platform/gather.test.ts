import { describe, expect, it } from "vitest";
import { gather } from "./gather.ts";

/** Work that ends when it is told to. */
function heldWork() {
  const begun: { items: readonly number[]; end: () => void; fail: (error: Error) => void }[] = [];
  const run = (items: readonly number[]) =>
    new Promise<readonly number[]>((resolve, reject) => {
      begun.push({ items, end: () => resolve(items.map((item) => item * 10)), fail: reject });
    });
  return { begun, run };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("gathered work", () => {
  it("begins at once where nothing is under way, and gathers what comes meanwhile", async () => {
    const { begun, run } = heldWork();
    const add = gather({ underWayMax: 1, itemsMax: 10, run });
    const answers = [1, 2, 3].map(add);
    expect(begun.map(({ items }) => items)).toEqual([[1]]);
    begun[0]?.end();
    await turn();
    expect(begun.map(({ items }) => items)).toEqual([[1], [2, 3]]);
    begun[1]?.end();
    expect(await Promise.all(answers)).toEqual([10, 20, 30]);
  });

  it("takes no more at once than it may, and has no more under way", async () => {
    const { begun, run } = heldWork();
    const add = gather({ underWayMax: 2, itemsMax: 2, run });
    const answers = [1, 2, 3, 4, 5].map(add);
    expect(begun.map(({ items }) => items)).toEqual([[1], [2]]);
    for (let work = 0; work < 4; work += 1) {
      begun[work]?.end();
      await turn();
    }
    expect(begun.map(({ items }) => items)).toEqual([[1], [2], [3, 4], [5]]);
    expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50]);
  });

  it("fails for those that it was done for, and for nobody else", async () => {
    const { begun, run } = heldWork();
    const add = gather({ underWayMax: 1, itemsMax: 1, run });
    const [first, second] = [add(1), add(2)];
    begun[0]?.fail(new Error("lost"));
    await expect(first).rejects.toThrow("lost");
    await turn();
    begun[1]?.end();
    expect(await second).toBe(20);
  });
});
