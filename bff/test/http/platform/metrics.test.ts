import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type AfterPaidWorld,
  type Clinic,
  DAY_MS,
  LATER,
  startAfterPaid,
} from "../../http/after-paid/after-paid-world.ts";
import { startBff } from "../../start-bff.ts";
import { acceptedConsents, CARDS } from "../orders/orders-world.ts";

let world: AfterPaidWorld;
let clinic: Clinic;
beforeAll(async () => {
  world = await startAfterPaid({ environment: { PROBES_PORT: "0" }, callsOverNetwork: true });
  clinic = await world.newClinic();
});
afterAll(() => world.bff.close());

async function ask(probes = world.bff.probes): Promise<string> {
  const answer = await fetch(`${probes}/metrics`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/plain")]);
  return answer.text();
}

/** Metrics that are always read from the database. They are absent if the database does not answer in time. */
const READ_OF_DATABASE = [
  "aapd_outbox_lag_seconds ",
  "aapd_webhook_lag_seconds ",
  "aapd_reconciliation_age_seconds ",
  "aapd_money_last_hour_pesos{",
  "aapd_exceptions{",
  "aapd_outcomes_open{",
  "aapd_outcomes_open_seconds{",
];

/** Reads until no metric is left out and the expected ones are present. */
async function metrics(...wanted: readonly string[]): Promise<string> {
  let text = "";
  const missing = async () => {
    text = await ask();
    return [...READ_OF_DATABASE, ...wanted].filter((series) => !text.includes(`\n${series}`));
  };
  await expect.poll(missing).toEqual([]);
  return text;
}

/** The value of a series; null if it does not exist. Labels are in printed order. */
function seriesOf(text: string, series: string): number | null {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length + 1));
}

test("a paid order appears in the metrics: requests, the patient's steps, gateways, timers and money", async () => {
  const before = await metrics();
  await clinic.justPaid(LATER.captured);
  // The values from the database are read again once the clock has moved.
  world.bff.clock.advance(60_000);
  const text = await metrics();
  const paid = 'method="POST",route="/orders/:hash/payment",status="2xx"';
  const charged = 'party="card-processor",operation="charge",verdict="captured"';
  const unanswered = charged.replace("captured", "unanswered");
  const more = (series: string) => (seriesOf(text, series) ?? 0) - (seriesOf(before, series) ?? 0);
  expect({
    requests: more(`aapd_request_seconds_count{${paid}}`),
    steps: more('aapd_widget_steps_total{step="POST /orders/{hash}/payment",engine="other"}'),
    charges: more(`aapd_gateway_call_seconds_count{${charged}}`),
    // It exists from the first call on, so that the first failure is an increase.
    unanswered: seriesOf(text, `aapd_gateway_call_seconds_count{${unanswered}}`),
    unknown: seriesOf(text, 'aapd_outcomes_open{of="payment"}'),
    dispatched: more('aapd_timers_run_total{kind="outbox.dispatch",outcome="done",retry="no"}') > 0,
    captured: more('aapd_money_last_hour_pesos{move="captured"}'),
    collected: more('aapd_money_last_hour_pesos{move="collected"}'),
    outbox: seriesOf(text, "aapd_outbox_lag_seconds"),
    waiting: seriesOf(text, 'aapd_database_connections{state="waiting"}'),
    statements: more('aapd_statement_seconds_count{outcome="answered"}') > 0,
    // It exists from the start on, so that the first one is an increase.
    blocked: seriesOf(text, 'aapd_statement_seconds_count{outcome="blocked"}'),
  }).toEqual({
    requests: 1,
    steps: 1,
    charges: 1,
    unanswered: 0,
    unknown: 0,
    dispatched: true,
    captured: 12_000,
    collected: 0,
    outbox: 0,
    waiting: 0,
    statements: true,
    blocked: 0,
  });
});

test("a declined payment does not count as a step of the patient", async () => {
  const step = 'aapd_widget_steps_total{step="POST /orders/{hash}/payment",engine="other"}';
  const before = seriesOf(await metrics(), step);
  const hash = await clinic.readyOrder({ card: CARDS.declined });
  const headers = { "idempotency-key": "declined-1" };
  const declined = await clinic.pay(hash, { headers, body: { consents: acceptedConsents } });
  expect([declined.status, JSON.stringify(declined.body)]).toEqual([400, expect.stringContaining("card_declined")]);
  expect(seriesOf(await metrics(), step)).toBe(before);
});

test("a call without an answer, a late timer and waiting exceptions appear in the metrics", async () => {
  await clinic.fault("card-processor", "charge", "fail_before");
  const hash = await clinic.readyOrder();
  await clinic.pay(hash);
  world.bff.clock.advance(2 * DAY_MS);
  const late = await metrics("aapd_timers_due{", "aapd_timers_late_seconds{");
  expect(
    seriesOf(late, 'aapd_gateway_call_seconds_count{party="card-processor",operation="charge",verdict="unanswered"}'),
  ).toBe(1);
  expect(seriesOf(late, 'aapd_timers_due{kind="payment.settle"}')).toBe(1);
  expect(seriesOf(late, 'aapd_timers_late_seconds{kind="payment.settle"}')).toBeGreaterThan(DAY_MS / 1_000);
  await world.bff.runDue();
  world.bff.clock.advance(2 * DAY_MS);
  await world.bff.runDue();
  const text = await metrics();
  expect(seriesOf(text, 'aapd_exceptions{kind="receipt_missing"}')).toBeGreaterThan(0);
  expect(seriesOf(text, 'aapd_exceptions{kind="payout_refused"}')).toBe(0);
  expect(seriesOf(text, "aapd_reconciliation_age_seconds")).toBeLessThan((2 * DAY_MS) / 1_000);
});

test("metrics contain no personal data and no label that a caller invents", async () => {
  const invented = "f3b1c2d4-0000-4000-8000-00000000abcd";
  await fetch(`${world.bff.orderApi}/orders/${invented}`, { headers: { "user-agent": invented } });
  await fetch(`${world.bff.orderApi}/${invented}`, { method: "PROPFIND" });
  const text = await metrics();
  expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|@|PROPFIND|\d{7,8}-[\dkK]/);
  expect(text).toContain('route="unmatched"');
});

test("metrics are served on the probes' port only", async () => {
  for (const face of ["orderApi", "spotApi", "widgetHost"] as const)
    expect((await fetch(`${world.bff[face]}/metrics`)).status).toBe(404);
  const withoutPort = await startBff({ database: world.bff.database });
  for (const face of ["orderApi", "spotApi", "widgetHost"] as const)
    expect((await fetch(`${withoutPort[face]}/metrics`)).status).toBe(404);
  await withoutPort.close();
});

test("the process reports its own metrics while the database does not answer", async () => {
  const alone = await startBff({ environment: { PROBES_PORT: "0" } });
  await alone.database.close();
  const text = await ask(alone.probes);
  expect(seriesOf(text, 'aapd_database_connections{state="waiting"}')).toBe(0);
  expect(text).not.toMatch(/^aapd_exceptions\{/m);
  await alone.close();
});
