import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { type Expected, evaluate } from "./promtool.ts";
import { createRecorder, EVERY_SECONDS } from "./series.ts";

const BEGINNING = new Date("2026-11-21T18:00:00Z");
const at = (samples: number) => new Date(BEGINNING.getTime() + samples * EVERY_SECONDS * 1_000);

/** An hour in which events wait for two minutes from its middle on, and the alerts of that hour. */
function hour(logged: Partial<Pick<Expected, "firing" | "quietUntil">>): Expected {
  const recorder = createRecorder(BEGINNING);
  for (let sample = 0; sample < 120; sample += 1)
    recorder.keep(at(sample), `aapd_outbox_lag_seconds ${sample < 60 ? 1 : 120}\nprocess_cpu_seconds_total 1\n`);
  return { name: "an hour", recorder, firing: [], quietUntil: at(59), ...logged };
}

/** The check reports it if promtool is not installed. */
const hasPromtool = spawnSync("promtool", ["--version"]).error === undefined;

describe.skipIf(!hasPromtool)("promtool's verdict on recorded series", () => {
  test("accepts an alert that fires in time and not before", async () => {
    expect(await evaluate([hour({ firing: [{ alert: "EventsNotDispatched", at: at(64) }] })])).toBe("");
  });

  test("reports a missing alert", async () => {
    const wrong = await evaluate([hour({ firing: [{ alert: "EventsNotDispatched", at: at(58) }] })]);
    expect(wrong).toContain("EventsNotDispatched");
    expect(await evaluate([hour({ firing: [{ alert: "CircuitOpen", at: at(64) }] })])).toContain("CircuitOpen");
  });

  test("reports an alert without an outage", async () => {
    expect(await evaluate([hour({ quietUntil: at(119) })])).toContain("EventsNotDispatched");
  });
});

test("a moment without a reading repeats the last values, and a process that does not answer has none", () => {
  const recorder = createRecorder(BEGINNING);
  recorder.keep(at(0), 'aapd_timers_late_seconds{kind="notices.send"} 3\n');
  recorder.keep(at(5), 'aapd_timers_late_seconds{kind="notices.send"} 4\n');
  recorder.keep(at(6), null);
  expect(recorder.series()).toEqual([
    { series: 'aapd_timers_late_seconds{kind="notices.send",job="aapd",instance="sim"}', values: "3x4 4 stale" },
    { series: 'up{job="aapd",instance="sim"}', values: "1x5 0" },
  ]);
  expect(() => recorder.keep(at(3), "")).toThrow("Time goes forward.");
});
