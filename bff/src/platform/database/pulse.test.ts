import { expect, it } from "vitest";
import { createPulse } from "./database.ts";
import { DatabaseUnavailable } from "./errors.ts";

const timedOut = () => Promise.reject(new DatabaseUnavailable("lost", { cause: new Error("Query read timeout") }));
const refused = () => Promise.reject(new DatabaseUnavailable("lost", { cause: new Error("connect ECONNREFUSED") }));

it("the database counts as silent from its first unanswered statement until its next answer, even a refusal", async () => {
  let now = 0;
  const pulse = createPulse(() => now);
  await expect(pulse.watch(timedOut)).rejects.toThrow("lost");
  now = 70_000;
  await expect(pulse.watch(timedOut)).rejects.toThrow("lost");
  expect(pulse.silentMs()).toBe(70_000);
  await expect(pulse.watch(refused)).rejects.toThrow("lost");
  expect(pulse.silentMs()).toBe(0);
});

it("the database does not count as silent while no query is running", async () => {
  let now = 0;
  const pulse = createPulse(() => now);
  await pulse.watch(async () => undefined);
  now = 70_000;
  expect(pulse.silentMs()).toBe(0);
});

it("the database does not count as silent when one query waits and others are answered", async () => {
  let now = 0;
  const pulse = createPulse(() => now);
  void pulse.watch(() => new Promise(() => undefined));
  now = 50_000;
  await pulse.watch(async () => undefined);
  now = 70_000;
  expect(pulse.silentMs()).toBe(20_000);
});
