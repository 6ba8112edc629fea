import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { freePorts } from "./free-ports.ts";

const shipped = (name: string) => fileURLToPath(new URL(`../../deploy/${name}`, import.meta.url));

/** Thrown when Prometheus is not installed here. */
class NoPrometheus extends Error {
  override readonly name = "NoPrometheus";
}

export interface FiredAlert {
  readonly name: string;
  readonly severity: string;
  /** When it first fired. */
  readonly at: Date;
}

/** A running Prometheus. */
export interface Prometheus {
  /** The alerts that have fired since a moment, each once. */
  firedSince(moment: Date): Promise<readonly FiredAlert[]>;
  stop(): Promise<void>;
}

/**
 * Starts Prometheus with the shipped configuration and rules, replacing only the addresses of the two processes. The
 * exporters that it names are not here.
 */
export async function startShippedPrometheus(folder: string, processes: readonly string[]): Promise<Prometheus> {
  const home = join(folder, "prometheus");
  await mkdir(home);
  await symlink(shipped("alerts"), join(home, "alerts"));
  const written = await readFile(shipped("prometheus.yaml"), "utf8");
  const file = join(home, "prometheus.yaml");
  const own = written.replaceAll(/\baapd-(\d):4090\b/g, (_, number: string) => processes[Number(number) - 1] ?? "");
  await writeFile(file, own);
  const [port = 0] = await freePorts(1);
  const child = spawn(
    "prometheus",
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(home, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=warn",
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const log = createWriteStream(join(home, "log"));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const isMissing = once(child, "error").then(() => true);
  const url = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (await Promise.race([isMissing, pause(50, false)]))
      throw new NoPrometheus("Prometheus is not installed here (Debian: apt-get install prometheus).");
    if (child.exitCode !== null) throw new Error(`Prometheus ended with ${child.exitCode}; see ${home}/log.`);
  }
  return {
    firedSince: (moment) => readFired(url, moment),
    async stop() {
      if (child.exitCode !== null) return;
      const exit = once(child, "exit");
      child.kill("SIGTERM");
      await exit;
    },
  };
}

const STEP_SECONDS = 5;

const seriesSchema = z.object({
  data: z.object({
    result: z.array(
      z.object({
        metric: z.object({ alertname: z.string(), severity: z.string() }),
        values: z.array(z.tuple([z.number(), z.string()])),
      }),
    ),
  }),
});

async function readFired(url: string, since: Date): Promise<FiredAlert[]> {
  const query = new URLSearchParams({
    query: 'ALERTS{alertstate="firing"}',
    start: since.toISOString(),
    end: new Date().toISOString(),
    step: String(STEP_SECONDS),
  });
  const answer = await fetch(`${url}/api/v1/query_range?${query.toString()}`);
  const { data } = seriesSchema.parse(await answer.json());
  const first = new Map<string, FiredAlert>();
  for (const { metric, values } of data.result) {
    const at = new Date((values[0]?.[0] ?? 0) * 1_000);
    const before = first.get(metric.alertname);
    if (before === undefined || at < before.at)
      first.set(metric.alertname, { name: metric.alertname, severity: metric.severity, at });
  }
  return [...first.values()].toSorted((one, other) => one.at.getTime() - other.at.getTime());
}
