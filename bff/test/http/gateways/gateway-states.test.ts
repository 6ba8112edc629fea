import { afterAll, beforeAll, expect, it } from "vitest";
import { readGatewayStates, watchGateways } from "../../../src/gateways/gateway-states.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { silentLogger } from "../../../src/platform/logger.ts";
import { createMetrics } from "../../../src/platform/metrics.ts";
import { openTestDatabase, type TestDatabase } from "../../database.ts";

const START = Date.parse("2026-11-28T12:00:00Z");
const MINUTE_MS = 60_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

it("operators see what every running process last saw of a gateway, and the last answer of ended ones", async () => {
  const { db } = database;
  const clock = { ms: START, now: () => new Date(clock.ms) };
  const open = () => watchGateways({ db, clock, logger: silentLogger, ids: systemIds, metrics: createMetrics() });
  const [one, other] = [open(), open()];
  const call = (process: typeof one, verdict: string) =>
    process.metrics.gatewayCalled({ party: "bank", operation: "transfers", verdict }, 0.1);
  const seen = async () => (await readGatewayStates({ db, clock }))[0];

  call(one, "paid");
  call(other, "answered");
  await one.save();
  await other.save();
  expect(await seen()).toMatchObject({ party: "bank", processes: 2, requestsStopped: 0, unansweredAt: null });

  clock.ms += MINUTE_MS / 2;
  call(one, "unanswered");
  one.metrics.circuitChanged("bank", "background", "open");
  // Nothing was sent, so this is no news of the bank.
  clock.ms += 1_000;
  call(one, "circuit_open");
  await one.save();
  const stoppedAt = new Date(START + MINUTE_MS / 2);
  expect(await seen()).toEqual({
    party: "bank",
    processes: 2,
    requestsStopped: 0,
    backgroundStopped: 1,
    stoppedSince: stoppedAt,
    answeredAt: new Date(START),
    unansweredAt: stoppedAt,
  });

  // The first process ends with its circuit open; the second runs on without a call.
  for (let minute = 0; minute < 3; minute += 1) {
    clock.ms += MINUTE_MS;
    await other.save();
  }
  expect(await seen()).toMatchObject({
    processes: 1,
    backgroundStopped: 0,
    stoppedSince: null,
    unansweredAt: stoppedAt,
  });
});
