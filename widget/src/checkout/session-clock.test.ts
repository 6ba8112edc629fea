import { expect, it } from "vitest";
import { createSessionClock } from "./session-clock.ts";

const OPENED = Date.parse("2026-11-21T15:20:00.000Z");
const MINUTE = 60_000;

/** A device whose two counters the test moves: the time since the page was opened, and the wall clock. */
function clockOfDevice() {
  const device = { awake: 5_000, wall: Date.parse("2031-01-01T00:00:00.000Z") };
  const clock = createSessionClock("2026-11-21T15:20:00.000Z", [() => device.awake, () => device.wall]);
  return { device, clock };
}

it("session clock keeps counting while the device sleeps, by the wall clock", () => {
  const { device, clock } = clockOfDevice();
  device.awake += MINUTE;
  device.wall += 40 * MINUTE;
  expect(clock.now() - OPENED).toBe(40 * MINUTE);
});

it("session clock keeps counting when the wall clock is set back", () => {
  const { device, clock } = clockOfDevice();
  device.awake += 3 * MINUTE;
  device.wall -= 60 * MINUTE;
  expect(clock.now() - OPENED).toBe(3 * MINUTE);
});

it("session clock adopts the server's time, whatever it had counted", () => {
  const { device, clock } = clockOfDevice();
  device.wall += 40 * MINUTE;
  clock.set("2026-11-21T15:30:00.000Z");
  device.awake += MINUTE;
  device.wall += MINUTE;
  expect(clock.now() - OPENED).toBe(11 * MINUTE);
});
