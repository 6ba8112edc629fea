import { expect, it, onTestFinished, vi } from "vitest";
import { createFairQueue, type FairQueueOptions, QueueFull } from "./fair-queue.ts";

/** A queue whose work ends when the test decides, and the names of the work that has started. */
function queueOfTest(options: Partial<FairQueueOptions> = {}) {
  const queue = createFairQueue({ atOnceMax: 1, waitingMax: 10, ...options });
  const started: string[] = [];
  const running: PromiseWithResolvers<string>[] = [];
  const leaves: (() => void)[] = [];
  const run = (owner: string, name: string) =>
    queue.run(owner, (leave) => {
      leaves.push(leave);
      started.push(name);
      const work = withResolvers<string>();
      running.push(work);
      return work.promise;
    });
  /** Ends the work that started first. */
  const end = async (how: "resolve" | "reject" = "resolve") => {
    running.shift()?.[how]("done");
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { run, end, started, leaves };
}

interface PromiseWithResolvers<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

function withResolvers<Value>(): PromiseWithResolvers<Value> {
  const made: { resolve?: (value: Value) => void; reject?: (error: unknown) => void } = {};
  const promise = new Promise<Value>((resolve, reject) => Object.assign(made, { resolve, reject }));
  return { promise, resolve: (value) => made.resolve?.(value), reject: (error) => made.reject?.(error) };
}

it("the fair queue serves owners in turn, however much work one of them adds", async () => {
  const { run, end, started } = queueOfTest();
  for (const turn of [0, 1, 2, 3]) void run("flood", `flood ${turn}`);
  void run("patient", "patient 0");
  void run("other", "other 0");
  for (let turn = 0; turn < 5; turn += 1) await end();
  expect(started).toEqual(["flood 0", "flood 1", "patient 0", "other 0", "flood 2", "flood 3"]);
});

it("the fair queue runs the allowed number at once, and a failed piece frees its place too", async () => {
  const { run, end, started } = queueOfTest({ atOnceMax: 2 });
  const failing = run("a", "a 0");
  const others = [run("a", "a 1"), run("a", "a 2"), run("b", "b 0")];
  expect(started).toEqual(["a 0", "a 1"]);
  const failed = expect(failing).rejects.toBe("done");
  await end("reject");
  await failed;
  expect(started).toEqual(["a 0", "a 1", "a 2"]);
  for (let turn = 0; turn < 3; turn += 1) await end();
  expect(await Promise.all(others)).toEqual(["done", "done", "done"]);
  for (const turn of [3, 4, 5]) void run("a", `a ${turn}`);
  expect(started).toEqual(["a 0", "a 1", "a 2", "b 0", "a 3", "a 4"]);
});

it("the fair queue refuses more work of an owner whose queue is full, but accepts another owner's", async () => {
  const { run, end, started } = queueOfTest({ waitingMax: 1 });
  for (const turn of [0, 1]) void run("flood", `flood ${turn}`);
  await expect(run("flood", "flood 2")).rejects.toThrow(QueueFull);
  void run("patient", "patient 0");
  await end();
  await end();
  expect(started).toEqual(["flood 0", "flood 1", "patient 0"]);
});

it("the fair queue starts the next piece when one takes too long, and frees that place only once", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { run, end, started } = queueOfTest({ heldMsMax: 100 });
  for (const name of ["slow", "next", "last"]) void run("a", name);
  vi.advanceTimersByTime(99);
  await Promise.resolve();
  expect(started).toEqual(["slow"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(started).toEqual(["slow", "next"]);
  await end();
  expect(started).toEqual(["slow", "next"]);
  await end();
  expect(started).toEqual(["slow", "next", "last"]);
});

it("the fair queue starts the next piece when one gives up its place, and frees that place only once", async () => {
  const { run, end, started, leaves } = queueOfTest();
  for (const name of ["waits", "next", "last"]) void run("a", name);
  leaves[0]?.();
  leaves[0]?.();
  await end();
  expect(started).toEqual(["waits", "next"]);
  await end();
  expect(started).toEqual(["waits", "next", "last"]);
});
