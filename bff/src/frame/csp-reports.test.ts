import { expect, it } from "vitest";
import { movableClock } from "../platform/clock.ts";
import { createLogger } from "../platform/logger.ts";
import { createMetrics } from "../platform/metrics.ts";
import { createViolationCounter, KINDS_MAX, readViolations } from "./csp-reports.ts";

const TOKEN = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
const PAGE = `https://widget.example/?widget_token=${TOKEN}&public_key=PK_x`;

it("a CSP report in either format is reduced to directive, origin and the page's token", () => {
  const url = "https://evil.example/collect?rut=12345678-5";
  const legacy = { "effective-directive": "script-src-elem", "blocked-uri": url, "document-uri": PAGE };
  expect(readViolations({ "csp-report": legacy })).toEqual([
    { directive: "script-src-elem", blocked: "https://evil.example", widgetToken: TOKEN },
  ]);
  const body = { effectiveDirective: "style-src", blockedURL: "inline" };
  expect(
    readViolations([
      { type: "csp-violation", body: { ...body, documentURL: PAGE } },
      { type: "csp-violation", body: { ...body, documentURL: "about" } },
      { type: "deprecation", body: { id: "x" } },
    ]),
  ).toEqual([
    { directive: "style-src", blocked: "inline", widgetToken: TOKEN },
    { directive: "style-src", blocked: "inline", widgetToken: null },
  ]);
});

it.each([[null], ["text"], [{}], [[{ type: 1 }]], [{ "csp-report": "x" }]])("%j is no report", (body) => {
  expect(readViolations(body)).toEqual([]);
});

it("a CSP report keeps only an origin or a keyword of what it blames", () => {
  const [report] = readViolations({
    "csp-report": { "violated-directive": "img-src 'self' https://x", "blocked-uri": "Camila Rojas 12345678-5" },
  });
  expect(report).toMatchObject({ directive: "img-src", blocked: "unknown" });
});

function counting() {
  const lines: string[] = [];
  const clock = movableClock(new Date("2026-11-21T12:00:00Z"));
  const logger = createLogger({ level: "info", destination: { write: (line) => lines.push(line) } });
  const counter = createViolationCounter({ logger, clock, metrics: createMetrics() });
  const see = (blocked: string) => counter.count([{ directive: "img-src", blocked, widgetToken: null }]);
  return { counter, clock, see, logged: () => lines.map((line) => JSON.parse(line)) };
}

it("every CSP violation is counted and ever fewer are logged, with only directive, origin and count", () => {
  const { counter, see, logged } = counting();
  for (let times = 0; times < 10; times += 1) see("https://evil.example");
  expect([...counter.totals().values()]).toEqual([10]);
  expect(logged().map(({ count }) => count)).toEqual([1, 2, 4, 8]);
  expect(logged()[0]).toMatchObject({ event: "csp.violation", kind: "img-src", address: "https://evil.example" });
});

it("made-up CSP violations neither fill the memory nor hide a new one for longer than an hour", () => {
  const { counter, clock, see, logged } = counting();
  for (let n = 0; n < 2_000; n += 1) see(`https://${n}.example`);
  expect(counter.totals().size).toBe(KINDS_MAX + 1);
  expect(logged().at(-1)).toMatchObject({ kind: "others", address: "unknown", count: 1_024 });
  clock.advance(3_600_000);
  see("https://evil.example");
  expect(logged().at(-1)).toMatchObject({ kind: "img-src", address: "https://evil.example", count: 1 });
});
