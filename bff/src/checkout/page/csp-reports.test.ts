import { expect, it } from "vitest";
import { createLogger } from "../../platform/logger.ts";
import { createViolationCounter, readViolations } from "./csp-reports.ts";

it("reads both forms of report and keeps the directive and the origin only", () => {
  const url = "https://evil.example/collect?rut=12345678-5";
  expect(readViolations({ "csp-report": { "effective-directive": "script-src-elem", "blocked-uri": url } })).toEqual([
    { directive: "script-src-elem", blocked: "https://evil.example" },
  ]);
  expect(
    readViolations([
      { type: "csp-violation", body: { effectiveDirective: "style-src", blockedURL: "inline" } },
      { type: "deprecation", body: { id: "x" } },
    ]),
  ).toEqual([{ directive: "style-src", blocked: "inline" }]);
});

it.each([[null], ["text"], [{}], [[{ type: 1 }]], [{ "csp-report": "x" }]])("%j is no report", (body) => {
  expect(readViolations(body)).toEqual([]);
});

it("what is not an origin or a keyword is not passed on", () => {
  const [report] = readViolations({
    "csp-report": { "violated-directive": "img-src 'self' https://x", "blocked-uri": "Camila Rojas 12345678-5" },
  });
  expect(report).toEqual({ directive: "img-src", blocked: "unknown" });
});

it("counts every violation and logs ever more rarely, with nothing but directive, origin and count", () => {
  const lines: string[] = [];
  const counter = createViolationCounter(createLogger({ level: "info", destination: { write: (l) => lines.push(l) } }));
  const violation = { directive: "img-src", blocked: "https://evil.example" };
  for (let times = 0; times < 10; times += 1) counter.count([violation]);
  expect([...counter.totals().values()]).toEqual([10]);
  const logged = lines.map((line) => JSON.parse(line));
  expect(logged.map(({ count }) => count)).toEqual([1, 2, 4, 8]);
  expect(logged[0]).toMatchObject({ event: "csp.violation", kind: "img-src", address: "https://evil.example" });
});

it("made-up kinds do not fill the memory", () => {
  const counter = createViolationCounter(createLogger({ level: "silent", destination: { write: () => undefined } }));
  for (let n = 0; n < 2_000; n += 1) counter.count([{ directive: "img-src", blocked: `https://${n}.example` }]);
  expect(counter.totals().size).toBe(500);
});
