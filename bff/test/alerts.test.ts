import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const namesIn = (path: string, pattern: RegExp) => [...read(path).matchAll(pattern)].map(([, name = ""]) => name);
const alerts = namesIn("deploy/alerts/rules.yaml", /- alert: (\w+)/g);

test("every alert has a section in the runbook, and every section an alert", () => {
  expect(alerts.length).toBeGreaterThan(10);
  const headings = namesIn("docs/reference/alerts.md", /^## (\w+(?:, \w+)*)$/gm);
  const sections = headings.flatMap((heading) => heading.split(", ").map((alert) => ({ alert, heading })));
  expect(sections.map(({ alert }) => alert)).toEqual(alerts);
  expect(namesIn("deploy/alerts/rules.yaml", /runbook_url: bff\/docs\/reference\/alerts[.]md#([\w-]+)/g)).toEqual(
    sections.map(({ heading }) => heading.toLowerCase().replaceAll(", ", "-")),
  );
});

test("the summary of every alert names the values of its labels", () => {
  const rules = read("deploy/alerts/rules.yaml")
    .split(/^ {6}- alert: /m)
    .slice(1);
  const unnamed = rules.flatMap((rule) => {
    const [, summary = ""] = /summary: (.*)/.exec(rule) ?? [];
    const labels = new Set([...rule.matchAll(/\bby \(([\w, ]+)\)/g)].flatMap(([, list = ""]) => list.split(", ")));
    return [...labels]
      .filter((label) => !summary.includes(`{{ $labels.${label} }}`))
      .map((label) => `${label}: ${summary}`);
  });
  expect(unnamed).toEqual([]);
});

test("every alert has a test in which it fires, and one in which it does not", () => {
  const firing = new Set(namesIn("deploy/alerts/rules.test.yaml", /^ {6}- alertname: (\w+)/gm));
  expect([...firing]).toEqual(alerts);
  expect(namesIn("deploy/alerts/rules.test.yaml", /\{ alertname: (\w+), eval_time/g)).toEqual(alerts);
});

test("every metric in a rule or the runbook is one of ours, or Node's", () => {
  const documented = new Set(namesIn("docs/reference/metrics.md", /^\| `(aapd_\w+)`/gm));
  for (const file of ["deploy/alerts/rules.yaml", "deploy/alerts/rules.test.yaml", "docs/reference/alerts.md"]) {
    const named = namesIn(file, /\b(aapd_\w+)/g).map((name) =>
      name.replace(/_seconds_(?:count|sum|bucket)$/, "_seconds"),
    );
    expect(named.filter((name) => !documented.has(name))).toEqual([]);
  }
  const source = ["src/platform/metrics.ts", "src/app/gauges.ts"].map(read).join("\n");
  expect(new Set([...source.matchAll(/"(aapd_\w+)"/g)].map(([, name]) => name))).toEqual(documented);
});
