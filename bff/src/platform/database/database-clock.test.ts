import { expect, it } from "vitest";
import { movableClock } from "../clock.ts";
import { createDatabaseClock } from "./database-clock.ts";

const NOON = new Date("2026-11-21T12:00:00Z");
const later = (ms: number) => new Date(NOON.getTime() + ms);

function start(machineAheadMs: number) {
  const machine = movableClock(later(machineAheadMs));
  let elapsedMs = 0;
  const clock = createDatabaseClock(machine, () => elapsedMs);
  /** A query that takes this long; the database reads its clock in the middle of it. */
  const measure = (tookMs: number) =>
    clock.measure(async () => {
      const moment = later(elapsedMs + tookMs / 2);
      elapsedMs += tookMs;
      machine.advance(tookMs);
      return moment;
    });
  return { clock, machine, measure, databaseNow: () => later(elapsedMs) };
}

it("a process whose clock is five minutes ahead has the database's time", async () => {
  const { clock, measure, databaseNow } = start(5 * 60_000);
  await measure(20);
  expect(clock.now()).toEqual(databaseNow());
  expect(clock.offsetMs()).toBe(-5 * 60_000);
});

it("a process keeps its own time while the difference is too small to be measured", async () => {
  const { clock, measure } = start(150);
  await measure(80);
  expect(clock.offsetMs()).toBe(0);
});

it("an answer that took too long changes nothing", async () => {
  const { clock, measure } = start(60_000);
  await measure(10);
  const offsetMs = clock.offsetMs();
  await measure(1_500);
  expect(clock.offsetMs()).toBe(offsetMs);
  expect(offsetMs).toBe(-60_000);
});

it("a slow answer that agrees with the measured time does not move the time", async () => {
  const { clock, measure, databaseNow } = start(-800);
  await measure(10);
  await measure(900);
  expect(clock.now()).toEqual(databaseNow());
});

it("a machine whose clock is corrected has the database's time at the next measurement", async () => {
  const { clock, machine, measure, databaseNow } = start(-800);
  await measure(10);
  machine.advance(800);
  await measure(10);
  expect(clock.now()).toEqual(databaseNow());
});
