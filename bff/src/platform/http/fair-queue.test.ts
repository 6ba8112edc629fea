import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createFairQueue } from "./fair-queue.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const HERE = () => false;

/** A queue that works on one request at once, and who has begun. */
function queueOfOne(waitingMax = 10) {
  const queue = createFairQueue({ atOnceMax: 1, waitingMax, holdMs: 250 });
  const begun: string[] = [];
  const leaves: (() => void)[] = [];
  const enter = async (address: string, name: string, isGone = HERE) => {
    const { leave } = await queue.enter(address, isGone);
    begun.push(name);
    leaves.push(leave);
  };
  /** The request that began last ends. */
  const end = async () => {
    leaves.at(-1)?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { enter, end, begun, leaves };
}

it("begins requests one address after the other, however many one address sends", async () => {
  const { enter, end, begun } = queueOfOne();
  await enter("flood", "flood 0");
  for (const turn of [1, 2, 3]) void enter("flood", `flood ${turn}`);
  void enter("patient", "patient 1");
  void enter("other", "other 1");
  for (let turn = 0; turn < 5; turn += 1) await end();
  expect(begun).toEqual(["flood 0", "flood 1", "patient 1", "other 1", "flood 2", "flood 3"]);
});

it("refuses a request of an address of which too many wait, and none of another address", async () => {
  const { enter, end, begun } = queueOfOne(2);
  await enter("flood", "flood 0");
  for (const turn of [1, 2]) void enter("flood", `flood ${turn}`);
  await expect(enter("flood", "flood 3")).rejects.toMatchObject({ code: "rate_limited" });
  void enter("patient", "patient 1");
  await end();
  await end();
  expect(begun).toEqual(["flood 0", "flood 1", "patient 1"]);
});

it("begins the next request when one takes long, and counts it once when it ends later", async () => {
  const { enter, begun, leaves } = queueOfOne();
  await enter("slow", "slow");
  void enter("next", "next");
  void enter("after", "after");
  await vi.advanceTimersByTimeAsync(249);
  expect(begun).toEqual(["slow"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toEqual(["slow", "next"]);
  leaves[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(["slow", "next"]);
  leaves[1]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(["slow", "next", "after"]);
});

it("passes over a request whose caller has gone", async () => {
  const { enter, end, begun } = queueOfOne();
  await enter("first", "first");
  void enter("gone", "gone", () => true);
  void enter("here", "here");
  await end();
  expect(begun).toEqual(["first", "here"]);
});

it("begins at once again when nobody waits", async () => {
  const { enter, end, begun } = queueOfOne();
  await enter("a", "one");
  await end();
  await enter("a", "two");
  expect(begun).toEqual(["one", "two"]);
});
