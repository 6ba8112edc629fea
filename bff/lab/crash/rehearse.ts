/**
 * Rehearses an operator's work and outages on real processes and PostgreSQL, while customers use the service:
 *
 *     pnpm rehearse deploy|kill [--times N] [--customers N] [--seed N] [--json]
 *     pnpm rehearse silence|freeze|slow|readonly|skew [--customers N] [--seed N] [--json]
 *     pnpm rehearse failover|restore [--times N] [--customers N] [--seed N] [--json]
 *     pnpm rehearse cells|production [--json]
 *     pnpm rehearse release [--node <program>] [--json]
 *     pnpm rehearse chile [--node <program>] [--json]
 *     pnpm rehearse table [<drill> …] [--write]
 *
 * In all drills two processes run behind `deploy/nginx.conf`, and Prometheus evaluates the shipped rules. Each drill
 * prints the errors of a client that never retries, and counts the work that was acknowledged, lost or doubled.
 *
 * `deploy` replaces each process `--times` times: no error, and no page. `kill` kills them instead: at most five errors
 * each time.
 *
 * `silence` cuts one process off from the database, `freeze` suspends it, `slow` adds 160 ms to each round trip,
 * `readonly` refuses writes, and `skew` sets one clock wrong. The right alert must fire within two minutes. Meanwhile
 * the processes are probed and restarted as `deploy/kubernetes/aapd.yaml` says.
 *
 * `failover` kills the primary of two PostgreSQL servers under Patroni, with the files of `deploy/postgresql/`.
 * `restore` restores them with pgBackRest to a moment under load, and follows the runbook while the outside parties
 * keep their state. Nothing acknowledged may be lost, and no card charged twice. Both need root on Debian, with
 * `etcd-server`, `patroni`, `haproxy` and `pgbackrest`.
 *
 * `cells` runs two cells behind one nginx, each with a separate PostgreSQL server: neither knows the other's data, and
 * an outage of one does not affect the other.
 *
 * `production` follows `docs/start/going-to-production.md`, block by block, in an empty folder, until a patient has
 * paid. `release` packs the build like `pnpm build:release`, and then follows the same steps with the unpacked,
 * read-only archive. `chile` does so with all connectors and claims by hand. An order is paid, claimed, collected,
 * refunded, settled and paid out. Needs `pnpm build` and nginx. See lab/README.md.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCommandLine, refuse, seedFrom, wholeNumber } from "../command-line.ts";
import { newCrashDatabase } from "./new-database.ts";
import { rehearseCells } from "./rehearse-cells.ts";
import { rehearseChile } from "./rehearse-chile.ts";
import { rehearseDeploys } from "./rehearse-deploy.ts";
import { rehearseFailovers } from "./rehearse-failover.ts";
import { isOutage, rehearseOutage } from "./rehearse-outage.ts";
import { builtHere, rehearseProduction } from "./rehearse-production.ts";
import { rehearseRelease } from "./rehearse-release.ts";
import { rehearseRestores } from "./rehearse-restore.ts";
import { DRILLS, rehearseAll } from "./rehearse-table.ts";

const { values, positionals } = readCommandLine(import.meta.filename, {
  allowPositionals: true,
  options: {
    times: { type: "string" },
    customers: { type: "string" },
    seed: { type: "string" },
    node: { type: "string", default: process.execPath },
    write: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

const seed = seedFrom(values.seed);
const say = (line: string) => {
  if (!values.json) process.stdout.write(`${line}\n`);
};

/** The counts, and the list of faults, which must be empty. */
interface Rehearsed {
  readonly counts: Readonly<Record<string, number | string>>;
  readonly wrong: readonly string[];
}

async function rehearse(what: string, folder: string): Promise<Rehearsed | null> {
  if (what === "cells") {
    const { wrong, ...counts } = await rehearseCells({ folder, say });
    return { counts, wrong };
  }
  const [times, customersAtOnce] = [
    wholeNumber("--times", values.times, 3),
    wholeNumber("--customers", values.customers, 6),
  ];
  if (what === "failover") {
    const { wrong, ...counts } = await rehearseFailovers({ seed, times, folder, customersAtOnce, say });
    return { counts, wrong };
  }
  if (what === "restore") {
    const { wrong, ...counts } = await rehearseRestores({ seed, times, folder, customersAtOnce, say });
    return { counts, wrong };
  }
  const { url: databaseUrl } = await newCrashDatabase();
  const options = { seed, times, folder, databaseUrl, customersAtOnce, say };
  if (what === "deploy" || what === "kill") {
    const { wrong, ...counts } = await rehearseDeploys({ ...options, isAbrupt: what === "kill" });
    return { counts, wrong };
  }
  if (isOutage(what)) {
    const { wrong, ...counts } = await rehearseOutage(what, options);
    return { counts, wrong };
  }
  if (what === "production") {
    const { blocks, mails, wrong } = await rehearseProduction({ folder, databaseUrl, installation: builtHere, say });
    return { counts: { blocks, mails }, wrong };
  }
  if (what === "release") {
    const { wrong, ...counts } = await rehearseRelease({ folder, databaseUrl, node: values.node, say });
    return { counts, wrong };
  }
  if (what === "chile") {
    const { wrong, ...counts } = await rehearseChile({ folder, databaseUrl, node: values.node, say });
    return { counts, wrong };
  }
  return null;
}

async function main([what = "", ...only]: readonly string[]): Promise<number> {
  if (what === "table") {
    const failed = await rehearseAll({ only, write: values.write, say });
    for (const name of failed) process.stderr.write(`The drill ${name} failed.\n`);
    return failed.length === 0 ? 0 : 1;
  }
  say(`seed ${seed}`);
  const folder = await mkdtemp(join(tmpdir(), "aapd-rehearse-"));
  const begun = performance.now();
  const rehearsed = await rehearse(what, folder);
  if (rehearsed === null)
    return refuse(
      `Say what to rehearse: ${[...Object.keys(DRILLS), "cells", "production", "release", "chile", "table"].join(", ")}.`,
    );
  const { counts, wrong } = rehearsed;
  const seconds = Number(((performance.now() - begun) / 1_000).toFixed(1));
  const numbers = { rehearsed: what, seed, ...counts, seconds };
  if (values.json) process.stdout.write(`${JSON.stringify(numbers)}\n`);
  for (const sentence of wrong.slice(0, 20)) process.stderr.write(`  ${sentence}\n`);
  for (const [name, value] of Object.entries(numbers)) say(`${name} ${value}`);
  if (wrong.length === 0) await rm(folder, { recursive: true, force: true });
  else say(`What the processes wrote is in ${folder}`);
  return wrong.length === 0 ? 0 : 1;
}

process.exit(await main(positionals));
