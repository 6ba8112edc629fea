import { describe, expect, it } from "vitest";
import { createBackgroundWork, resultWithin } from "./background-work.ts";
import { silentLogger } from "./logger.ts";

function promised<Value>() {
  let resolve: (value: Value) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<Value>((...ways) => ([resolve, reject] = ways));
  return { promise, resolve, reject };
}

describe("background work", () => {
  it("becomes idle only when all work has ended, including failed work and work started meanwhile", async () => {
    const logged: string[] = [];
    const background = createBackgroundWork({ ...silentLogger, error: (event) => void logged.push(event) });
    const [first, second] = [promised<number>(), promised<number>()];
    const failing = background.track("first.failed", first.promise);
    let isIdle = false;
    const idle = background.idle().then(() => {
      isIdle = true;
    });
    void background.track("second.failed", second.promise);
    first.reject(new Error("on purpose"));
    await expect(failing).rejects.toThrow("on purpose");
    expect(isIdle).toBe(false);
    second.resolve(2);
    await idle;
    expect(logged).toEqual(["first.failed"]);
  });
});

describe("a bounded wait", () => {
  it("returns the result in time, nothing when it is late, and throws the failure", async () => {
    expect(await resultWithin(Promise.resolve("done"), 1_000)).toBe("done");
    expect(await resultWithin(promised<string>().promise, 1)).toBeNull();
    await expect(resultWithin(Promise.reject(new Error("on purpose")), 1_000)).rejects.toThrow("on purpose");
  });
});
