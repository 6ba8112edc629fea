import { describe, expect, it } from "vitest";
import { countdown, createBackgroundWork, resultWithin } from "./background-work.ts";
import { movableClock } from "./clock.ts";
import { ApiError } from "./http/api-error.ts";
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
    await expect(background.track("refused", Promise.reject(new ApiError("service_unavailable")))).rejects.toThrow();
    second.resolve(2);
    await idle;
    expect(logged).toEqual(["first.failed"]);
  });
});

it("a countdown never ends late or gives more than its time, even if the clock jumps", () => {
  const clock = movableClock(new Date("2026-11-29T12:00:00Z"));
  const left = countdown(clock, 8_000);
  const leftAfter = (milliseconds: number) => {
    clock.advance(milliseconds);
    return left();
  };
  expect([0, 3_000, 4_999, 1, 60_000, -90_000].map(leftAfter)).toEqual([8_000, 5_000, 1, 0, 0, 8_000]);
});

describe("a bounded wait", () => {
  it("returns the result in time, nothing when it is late, and throws the failure", async () => {
    expect(await resultWithin(Promise.resolve("done"), 1_000)).toBe("done");
    expect(await resultWithin(promised<string>().promise, 1)).toBeNull();
    await expect(resultWithin(Promise.reject(new Error("on purpose")), 1_000)).rejects.toThrow("on purpose");
  });
});
