import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { StatementOutcome } from "./database/database.ts";
import type { Program } from "./program.ts";

/*
 * Prometheus metrics of this process (`docs/reference/metrics.md`). A label is a name of ours (a route, a kind of
 * timer, a gateway), never an id or a value that a caller can choose.
 */

/** Node accepts many other methods, but no route uses them. */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * The reasons for a missing answer of a gateway. Their counts begin at 0 with the first call of an operation:
 * Prometheus sees no increase in a series that begins with the first failures.
 */
const UNANSWERED = ["unanswered", "circuit_open"];

export interface Metrics {
  /** A request was answered. `route` is the pattern of its path. */
  requestEnded(of: { readonly method: string; readonly route: string; readonly status: number }, seconds: number): void;
  /** The patient's page completed a step in a browser. */
  widgetStep(of: { readonly step: string; readonly engine: BrowserEngine }): void;
  /** A page of the checkout was sent: `session`, or the code of the problem that it shows. */
  pageServed(content: string): void;
  /** The page reported violations of its policy. */
  violationsReported(count: number): void;
  statementEnded(outcome: StatementOutcome, seconds: number): void;
  timerRan(of: { readonly kind: string; readonly outcome: TimerVerdict; readonly isRetry: boolean }): void;
  webhookAttempted(verdict: string): void;
  /**
   * A gateway was called. `verdict` is the outcome in its answer, `answered` for a query, or the reason for a missing
   * answer.
   */
  gatewayCalled(
    of: { readonly party: string; readonly operation: string; readonly verdict: string },
    seconds: number,
  ): void;
  circuitChanged(party: string, work: "requests" | "background", state: "open" | "closed"): void;
  /** Values that are read whenever the metrics are scraped. */
  readGauges(gauges: readonly ReadGauge[]): void;
  /** All metrics, in Prometheus's text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

export type TimerVerdict = "done" | "again" | "failed" | "lease_lost";
export type BrowserEngine = "blink" | "webkit" | "gecko" | "other";

export interface ReadGauge {
  readonly name: string;
  readonly help: string;
  /** The name of its label; null for a single value. */
  readonly label: string | null;
  /** Returns all its values, which replace the earlier ones. A value that could not be read is omitted. */
  readonly read: () => ReadonlyMap<string, number> | Promise<ReadonlyMap<string, number>>;
}

/** With a program, it also has the build and Node's process metrics, such as memory and the event loop. */
export function createMetrics({ program = null }: { readonly program?: Program | null } = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  if (program !== null) measureProcess(registry, program);
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames: [...labelNames], registers });
  const seconds = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Histogram({ name, help, labelNames: [...labelNames], buckets: SECONDS, registers });

  const requests = seconds("aapd_request_seconds", "Requests that were answered, by route and kind of status.", [
    "method",
    "route",
    "status",
  ]);
  const steps = counter("aapd_widget_steps_total", "Steps that patients' pages took.", ["step", "engine"]);
  const pages = counter("aapd_pages_total", "Pages of the checkout that were sent.", ["content"]);
  const violations = counter("aapd_page_violations_total", "What a page reported that its policy forbids.", []);
  const statements = seconds("aapd_statement_seconds", "Statements that were sent to the database.", ["outcome"]);
  // From the start, so that the first blocked statement is an increase.
  statements.zero({ outcome: "blocked" });
  const timers = counter("aapd_timers_run_total", "Timers that were run.", ["kind", "outcome", "retry"]);
  const webhooks = counter("aapd_webhook_attempts_total", "Attempts to deliver a webhook.", ["verdict"]);
  const calls = seconds("aapd_gateway_call_seconds", "Calls of gateways.", ["party", "operation", "verdict"]);
  const known = new Set<string>();
  const circuits = new Gauge({
    name: "aapd_circuit_open",
    help: "Whether calls of a gateway, from requests or background work, have stopped because it failed.",
    labelNames: ["party", "work"],
    registers,
  });

  return {
    requestEnded({ method, route, status }, took) {
      const kind = `${Math.floor(status / 100)}xx`;
      requests.observe({ method: METHODS.has(method) ? method : "other", route, status: kind }, took);
    },
    widgetStep: (of) => steps.inc({ ...of }),
    pageServed: (content) => pages.inc({ content }),
    violationsReported: (count) => violations.inc(count),
    statementEnded: (outcome, took) => statements.observe({ outcome }, took),
    timerRan: ({ kind, outcome, isRetry }) => timers.inc({ kind, outcome, retry: isRetry ? "yes" : "no" }),
    webhookAttempted: (verdict) => webhooks.inc({ verdict }),
    gatewayCalled({ party, operation, verdict }, took) {
      if (!known.has(`${party} ${operation}`)) {
        known.add(`${party} ${operation}`);
        for (const failed of UNANSWERED) calls.zero({ party, operation, verdict: failed });
      }
      calls.observe({ party, operation, verdict }, took);
    },
    circuitChanged: (party, work, state) => circuits.set({ party, work }, state === "open" ? 1 : 0),
    readGauges(gauges) {
      for (const gauge of gauges) addReadGauge(registry, gauge);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function measureProcess(registry: Registry, program: Program): void {
  collectDefaultMetrics({ register: registry });
  const help = "The build that runs here; always 1.";
  const build = new Gauge({
    name: "aapd_build_info",
    help,
    labelNames: ["version", "commit"],
    registers: [registry],
  });
  build.set({ ...program }, 1);
}

function addReadGauge(registry: Registry, { name, help, label, read }: ReadGauge): void {
  new Gauge({
    name,
    help,
    labelNames: label === null ? [] : [label],
    registers: [registry],
    async collect() {
      const values = await read();
      this.reset();
      for (const [value, number] of values) {
        if (label === null) this.set(number);
        else this.set({ [label]: value }, number);
      }
      if (label === null && values.size === 0) this.remove();
    },
  });
}
