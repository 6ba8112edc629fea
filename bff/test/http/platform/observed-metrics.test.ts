import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createGuardedFetch } from "../../../src/platform/http/guarded-fetch.ts";
import { createMetrics, type Metrics } from "../../../src/platform/metrics.ts";
import { setWebhook } from "../../../src/webhooks/endpoints.ts";
import { startReceiver } from "../../webhook-receiver.ts";
import { type AfterPaidWorld, DAY_MS, LATER, startAfterPaid } from "../after-paid/after-paid-world.ts";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const rules = read("deploy/alerts/rules.yaml");
const dashboards = readdirSync(new URL("../../../deploy/dashboards/", import.meta.url)).map((file) =>
  read(`deploy/dashboards/${file}`),
);
/** Only the expressions, because prose in these files also mentions metrics. */
const asked = [
  ...[...rules.matchAll(/expr: (?:>-\n((?: {10}.*\n)+)|(.*)\n)/g)].map(([, folded, line]) => folded ?? line ?? ""),
  ...dashboards.flatMap((text) =>
    [...text.matchAll(/"expr": "((?:[^"\\]|\\.)*)"/g)].map(([, expr = ""]) => JSON.parse(`"${expr}"`) as string),
  ),
].filter((expression) => !expression.startsWith("ALERTS"));

/** Produces metrics that only certain faults cause. */
function whatADayMayNotShow(metrics: Metrics): void {
  metrics.circuitChanged("bank", "background", "closed");
  metrics.violationsReported(1);
  metrics.pageServed("session");
}

const READ_WITHIN = { timeout: 120_000, interval: 100 };

let world: AfterPaidWorld;
let answered: string;
beforeAll(async () => {
  const metrics = createMetrics({ program: { version: "1.2.3", commit: "3f5ee944" } });
  world = await startAfterPaid({
    environment: { PROBES_PORT: "0", DATA_DIR: tmpdir() },
    callsOverNetwork: true,
    metrics,
  });
  const { bff } = world;
  const clinic = await world.newClinic();
  const receiver = await startReceiver(bff.clock);
  const guardedFetch = createGuardedFetch({ allowLoopback: true });
  const operations = { ...bff.context, db: bff.database.db, guardedFetch, actor: "operator:test" };
  await setWebhook(operations, { providerId: clinic.clinic.provider.id, url: receiver.url });
  await clinic.justPaid(LATER.captured);
  whatADayMayNotShow(metrics);
  // Nothing runs meanwhile, so the timers of a day are late.
  bff.clock.advance(DAY_MS);
  // On a busy machine a reading takes longer than an answer waits for it, but the next answer has it.
  await vi.waitUntil(async () => {
    answered = await (await fetch(`${bff.probes}/metrics`)).text();
    return answered.includes("\naapd_exceptions{");
  }, READ_WITHIN);
  await guardedFetch.close();
  await receiver.close();
});
afterAll(() => world.bff.close());

/** The labels of each metric's samples. */
function observed(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const line of answered.split("\n")) {
    const [, name, labels = ""] = /^([a-zA-Z_]\w*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const known = found.get(name) ?? new Set();
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) known.add(label);
    found.set(name, known);
  }
  return found;
}

/** Labels that Prometheus adds to scraped metrics. */
const OF_PROMETHEUS = ["job", "instance"];
const metricShape = /(?<![\w:.])((?:aapd|process|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?/g;

test("every metric and label in a rule or a dashboard is exported by a running process", () => {
  const found = observed();
  expect(asked.length).toBeGreaterThan(80);
  for (const expression of asked) {
    const metrics = [...expression.matchAll(metricShape)];
    const wanted = [...expression.matchAll(/(?:by|on|without) \(([^)]*)\)/g)].flatMap(([, list = ""]) =>
      list.split(/, */),
    );
    const of = new Set(OF_PROMETHEUS);
    for (const [, name = "", filters = ""] of metrics) {
      expect([...found.keys()], expression).toContain(name);
      for (const label of found.get(name) ?? []) of.add(label);
      for (const [, label = ""] of filters.matchAll(/(\w+)(?:=~|!~|!=|=)"/g))
        expect([...of], `${name} in ${expression}`).toContain(label);
    }
    // A recorded rule keeps no labels, and these rules use none of it.
    if (metrics.length > 0) for (const label of wanted) expect([...of], expression).toContain(label);
  }
});

test("every metric of ours is used by a rule or a dashboard", () => {
  const expressions = asked.join("\n");
  const ours = [...answered.matchAll(/^# TYPE (aapd_\w+) (\w+)/gm)].map(([, name = ""]) => name);
  expect(ours.length).toBeGreaterThan(15);
  expect(ours.filter((name) => !expressions.includes(name))).toEqual([]);
});
