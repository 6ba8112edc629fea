import { expect, it } from "vitest";
import { createPulse } from "./database.ts";
import { DatabaseUnavailable } from "./errors.ts";

const timedOut = () => Promise.reject(new DatabaseUnavailable("lost", { cause: new Error("Query read timeout") }));
const refused = () => Promise.reject(new DatabaseUnavailable("lost", { cause: new Error("connect ECONNREFUSED") }));

it("a database is silent from the first statement that it left unanswered until it answers one, even with a refusal", async () => {
  let now = 0;
  const pulse = createPulse(() => now);
  await expect(pulse.watch(timedOut)).rejects.toThrow("lost");
  now = 70_000;
  await expect(pulse.watch(timedOut)).rejects.toThrow("lost");
  expect(pulse.silentMs()).toBe(70_000);
  await expect(pulse.watch(refused)).rejects.toThrow("lost");
  expect(pulse.silentMs()).toBe(0);
});

it("what nobody asks is not silence", async () => {
  let now = 0;
  const pulse = createPulse(() => now);
  await pulse.watch(async () => undefined);
  now = 70_000;
  expect(pulse.silentMs()).toBe(0);
});

it("where others are answered, one that waits is not silence", async () => {
  let now = 0;
  const pulse = createPulse(() => now);
  void pulse.watch(() => new Promise(() => undefined));
  now = 50_000;
  await pulse.watch(async () => undefined);
  now = 70_000;
  expect(pulse.silentMs()).toBe(20_000);
});
