import { readFileSync } from "node:fs";

/*
 * Samples the answers of `/metrics` along the simulated clock, as input for promtool. The evaluated rules are those of
 * production.
 */

const rulesFile = new URL("../../../deploy/alerts/rules.yaml", import.meta.url);

/** The scrape interval of Prometheus. */
export const EVERY_SECONDS = 30;

export interface Recorder {
  /**
   * Stores the answer of `/metrics` at a moment; null if there was no answer. A skipped moment has the previous values.
   */
  keep(at: Date, text: string | null): void;
  /** The series from the beginning on, in promtool's notation. */
  series(): readonly { readonly series: string; readonly values: string }[];
  /** The number of stored samples. */
  readonly count: number;
  /** Seconds from the beginning to a moment, a multiple of `EVERY_SECONDS`. */
  secondsTo(at: Date): number;
}

export function createRecorder(beginning: Date): Recorder {
  const names = namesInRules();
  const kept = new Map<string, Run[]>();
  let length = 0;
  let count = 0;
  const place = (at: Date) => Math.round((at.getTime() - beginning.getTime()) / (EVERY_SECONDS * 1_000));
  return {
    keep(at, text) {
      const index = place(at);
      for (const runs of kept.values()) fill(runs, length, index);
      length = Math.max(length, index);
      if (index < length) throw new Error("Time goes forward.");
      const present = new Map(text === null ? [] : samplesIn(text, names));
      present.set('up{job="aapd",instance="sim"}', text === null ? 0 : 1);
      for (const name of present.keys()) if (!kept.has(name)) kept.set(name, [{ value: null, times: index }]);
      for (const [name, runs] of kept) push(runs, present.get(name) ?? null, 1);
      length += 1;
      count += 1;
    },
    series: () =>
      [...kept].map(([series, runs]) => ({
        series,
        values: runs
          .filter(({ times }) => times > 0)
          .map(write)
          .join(" "),
      })),
    get count() {
      return count;
    },
    secondsTo: (at) => place(at) * EVERY_SECONDS,
  };
}

/** A value, and how many samples it lasted; null for no value. */
interface Run {
  readonly value: number | null;
  times: number;
}

function fill(runs: Run[], from: number, to: number): void {
  if (to > from) push(runs, runs.at(-1)?.value ?? null, to - from);
}

function push(runs: Run[], value: number | null, times: number): void {
  const last = runs.at(-1);
  if (last?.value === value) last.times += times;
  else runs.push({ value, times });
}

function write({ value, times }: Run): string {
  // Prometheus marks a series as stale at once if it is no longer scraped.
  if (value === null) return times === 1 ? "stale" : `stale _x${times - 1}`;
  return times === 1 ? String(value) : `${value}x${times - 1}`;
}

/** The metrics that a rule reads; promtool needs no others. */
function namesInRules(): ReadonlySet<string> {
  const text = readFileSync(rulesFile, "utf8");
  return new Set(text.match(/\baapd_[a-z_]+/g));
}

const sampleShape = /^(aapd_[a-z_]+)(?:\{(.*)\})? (\S+)$/;

function samplesIn(text: string, names: ReadonlySet<string>): [string, number][] {
  return text.split("\n").flatMap((line): [string, number][] => {
    const [, name = "", labels = "", value = ""] = sampleShape.exec(line) ?? [];
    // The rules read only the one-second bucket of a histogram.
    if (!names.has(name) || (name.endsWith("_bucket") && !labels.includes('le="1"'))) return [];
    const all = [...(labels === "" ? [] : [labels]), 'job="aapd"', 'instance="sim"'];
    return [[`${name}{${all.join(",")}}`, Number(value)]];
  });
}
