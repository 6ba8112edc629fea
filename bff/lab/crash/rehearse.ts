/**
 * Rehearses an operator's work on real processes and PostgreSQL, while customers use the service:
 *
 *     pnpm rehearse deploy [--times N] [--customers N] [--seed N] [--abruptly] [--json]
 *     pnpm rehearse restore [--times N] [--customers N] [--seed N] [--json]
 *     pnpm rehearse failover [--times N] [--customers N] [--seed N] [--json]
 *     pnpm rehearse cells [--json]
 *     pnpm rehearse production [--json]
 *     pnpm rehearse release [--node <program>] [--json]
 *
 * `deploy` replaces each of two processes behind nginx `--times` times. A customer who never retries must see no error.
 * With `--abruptly` the processes are killed instead, and each kill may cause at most five errors.
 *
 * `restore` restores the database to a random moment while the outside parties keep their state. No card may be charged
 * twice, and no work acknowledged before that moment may be lost.
 *
 * `failover` kills the primary of two PostgreSQL servers under Patroni, with the files of `deploy/postgresql/`. Nothing
 * acknowledged may be lost. Needs root on Debian, with `etcd-server`, `patroni`, `haproxy` and `pgbackrest`.
 *
 * `cells` runs two cells behind one nginx, each with a separate PostgreSQL server: neither knows the other's data, and
 * an outage of one does not affect the other.
 *
 * `production` follows `docs/start/going-to-production.md`, block by block, in an empty folder, until a patient has
 * paid. `release` packs the build like `pnpm build:release`, and then follows the same steps with the unpacked,
 * read-only archive. Needs `pnpm build` and nginx. See lab/README.md.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCommandLine, refuse, seedFrom, wholeNumber } from "../command-line.ts";
import { newCrashDatabase } from "./new-database.ts";
import { rehearseCells } from "./rehearse-cells.ts";
import { rehearseDeploys } from "./rehearse-deploy.ts";
import { rehearseFailovers } from "./rehearse-failover.ts";
import { builtHere, rehearseProduction } from "./rehearse-production.ts";
import { rehearseRelease } from "./rehearse-release.ts";
import { rehearseRestores } from "./rehearse-restore.ts";

const { values, positionals } = readCommandLine(import.meta.filename, {
  allowPositionals: true,
  options: {
    times: { type: "string" },
    customers: { type: "string" },
    seed: { type: "string" },
    node: { type: "string", default: process.execPath },
    abruptly: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

const seed = seedFrom(values.seed);
const say = (line: string) => {
  if (!values.json) process.stdout.write(`${line}\n`);
};

/** The counts, and the list of faults, which must be empty. */
interface Rehearsed {
  readonly counts: Readonly<Record<string, number>>;
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
  const { url: databaseUrl } = await newCrashDatabase();
  const options = { seed, times, folder, databaseUrl, customersAtOnce, say };
  if (what === "deploy") {
    const { wrong, ...counts } = await rehearseDeploys({ ...options, isAbrupt: values.abruptly });
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
  if (what !== "restore") return null;
  const { chargedTwice, lost, ...counts } = await rehearseRestores(options);
  const wrong = [...chargedTwice, ...lost.map((sentence) => `lost: ${sentence}`)];
  return { counts: { ...counts, chargedTwice: chargedTwice.length, lost: lost.length }, wrong };
}

async function main(what = ""): Promise<number> {
  say(`seed ${seed}`);
  const folder = await mkdtemp(join(tmpdir(), "aapd-rehearse-"));
  const begun = performance.now();
  const rehearsed = await rehearse(what, folder);
  if (rehearsed === null)
    return refuse(
      "Say what to rehearse: `pnpm rehearse deploy`, `restore`, `failover`, `cells`, `production` or `release`.",
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

process.exit(await main(positionals[0]));
