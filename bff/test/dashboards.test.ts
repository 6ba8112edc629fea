import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { MONEY_MOVES } from "../src/orders/ledger/moved-money-store.ts";

/** The fields that Grafana requires of a dashboard in its classic model. */
const panelSchema = z.object({
  id: z.number(),
  title: z.string().min(3),
  type: z.enum(["row", "timeseries", "stat"]),
  gridPos: z.object({ h: z.number().min(1), w: z.number().min(1).max(24), x: z.number().min(0), y: z.number().min(0) }),
  targets: z.array(z.object({ expr: z.string().min(3), legendFormat: z.string(), refId: z.string() })).optional(),
});
const dashboardSchema = z.object({
  uid: z.string(),
  title: z.string(),
  description: z.string().min(20),
  schemaVersion: z.number().min(41),
  templating: z.object({ list: z.tuple([z.object({ name: z.literal("datasource"), type: z.literal("datasource") })]) }),
  panels: z.array(panelSchema),
});

const folder = new URL("../deploy/dashboards/", import.meta.url);
const dashboards = readdirSync(folder).map((file) => ({
  file,
  text: readFileSync(new URL(file, folder), "utf8"),
}));
const rules = readFileSync(new URL("../deploy/alerts/rules.yaml", import.meta.url), "utf8");

const metrics = readFileSync(new URL("../docs/reference/metrics.md", import.meta.url), "utf8");

test("one page says whether money moves: each kind of movement against a week ago, and each open outcome", () => {
  const { panels } = dashboardSchema.parse(
    JSON.parse(dashboards.find(({ file }) => file === "moving.json")?.text ?? ""),
  );
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join("\n");
  for (const move of Object.keys(MONEY_MOVES))
    expect(queries).toContain(`aapd_money_last_hour_pesos{move="${move}"} offset 1w`);
  for (const metric of ["aapd_outcomes_open_seconds", "aapd_circuit_open", 'party="insurer"'])
    expect(queries).toContain(metric);
  // The height of a desk's screen.
  expect(Math.max(...panels.map(({ gridPos: { y, h } }) => y + h))).toBeLessThanOrEqual(30);
});

describe.each(dashboards)("the dashboard $file", ({ text }) => {
  const { panels } = dashboardSchema.parse(JSON.parse(text));

  test("has no two panels of one metric, and no overlapping ones", () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const [index, { gridPos: a, title }] of panels.entries())
      for (const { gridPos: b, title: other } of panels.slice(index + 1)) {
        const isOver = a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
        expect(isOver, `${title} and ${other}`).toBe(false);
      }
    for (const { gridPos, title } of panels) expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
  });

  test("has a query with declared metric names in every panel", () => {
    for (const { type, targets = [], title } of panels) {
      if (type === "row") continue;
      expect(targets.length, title).toBeGreaterThan(0);
      expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length);
    }
  });

  test("names only documented metrics", () => {
    const named = [...text.matchAll(/\baapd_[a-z_]+/g)].map(([name]) => name.replace(/_(?:count|bucket|sum)$/, ""));
    expect(named.length).toBeGreaterThan(0);
    expect([...new Set(named)].filter((name) => !metrics.includes(`\`${name}\``))).toEqual([]);
  });

  test("names only recorded rules", () => {
    const recorded = new Set([...rules.matchAll(/- record: (\S+)/g)].map(([, name]) => name));
    expect(
      [...text.matchAll(/\baapd:[a-z_]+:[a-z_0-9]+/g)].map(([name]) => name).filter((name) => !recorded.has(name)),
    ).toEqual([]);
  });
});
