import { expect, it } from "vitest";
import { createPulse } from "./database.ts";
import { DatabaseUnavailable } from "./errors.ts";

const timedOut = new DatabaseUnavailable("lost", { cause: new Error("Query read timeout") });
const refused = new DatabaseUnavailable("lost", { cause: new Error("connect ECONNREFUSED") });

it("the database counts as silent from its first unanswered statement until its next answer, even a refusal", () => {
  let now = 0;
  const pulse = createPulse(() => now);
  pulse.sent();
  pulse.ended(timedOut);
  now = 70_000;
  pulse.sent();
  pulse.ended(timedOut);
  expect(pulse.silentMs()).toBe(70_000);
  pulse.sent();
  pulse.ended(refused);
  expect(pulse.silentMs()).toBe(0);
});

it("the database does not count as silent while no query is running", () => {
  let now = 0;
  const pulse = createPulse(() => now);
  pulse.sent();
  pulse.ended(null);
  now = 70_000;
  expect(pulse.silentMs()).toBe(0);
});

it("the database does not count as silent when one query waits and others are answered", () => {
  let now = 0;
  const pulse = createPulse(() => now);
  pulse.sent();
  now = 50_000;
  pulse.sent();
  pulse.ended(null);
  now = 70_000;
  expect(pulse.silentMs()).toBe(20_000);
});
