import { describe, expect, it } from "vitest";
import { gather } from "./gather.ts";

/** Work that ends on demand. */
function heldWork() {
  const begun: { items: readonly number[]; end: () => void; fail: (error: Error) => void }[] = [];
  const run = (items: readonly number[]) =>
    new Promise<readonly number[]>((resolve, reject) => {
      begun.push({ items, end: () => resolve(items.map((item) => item * 10)), fail: reject });
    });
  return { begun, run };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("batched work", () => {
  it("runs the items of one turn together, and batches those that arrive meanwhile", async () => {
    const { begun, run } = heldWork();
    const add = gather({ underWayMax: 1, itemsMax: 10, run });
    const first = [add(1), add(2)];
    await turn();
    const later = [add(3), add(4)];
    await turn();
    expect(begun.map(({ items }) => items)).toEqual([[1, 2]]);
    begun[0]?.end();
    await turn();
    expect(begun.map(({ items }) => items)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    begun[1]?.end();
    expect(await Promise.all([...first, ...later])).toEqual([10, 20, 30, 40]);
  });

  it("takes no more items at once than allowed, and runs no more batches at once", async () => {
    const { begun, run } = heldWork();
    const add = gather({ underWayMax: 2, itemsMax: 2, run });
    const answers: Promise<number>[] = [];
    for (const item of [1, 2, 3]) {
      answers.push(add(item));
      await turn();
    }
    answers.push(add(4), add(5));
    await turn();
    expect(begun.map(({ items }) => items)).toEqual([[1], [2]]);
    for (let work = 0; work < 4; work += 1) {
      begun[work]?.end();
      await turn();
    }
    expect(begun.map(({ items }) => items)).toEqual([[1], [2], [3, 4], [5]]);
    expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50]);
  });

  it("fails only for the items of the failed batch", async () => {
    const { begun, run } = heldWork();
    const add = gather({ underWayMax: 1, itemsMax: 1, run });
    const [first, second] = [add(1), add(2)];
    await turn();
    begun[0]?.fail(new Error("lost"));
    await expect(first).rejects.toThrow("lost");
    await turn();
    begun[1]?.end();
    expect(await second).toBe(20);
  });
});
