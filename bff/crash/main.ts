/**
 * Kills processes of the service while it is used, and looks whether everything that must hold does:
 *
 *     pnpm crash [--database postgres|pglite] [--kills N] [--each-kind] [--customers N] [--seed N] [--plant NAME] [--json]
 *
 * On PostgreSQL three processes stand behind nginx, and now and then the database is restarted, has no connection left, or
 * uploads find no room on the disk. On PGlite it is one process. Needs `pnpm build`, nginx, and prlimit. The seed decides
 * what is tried, not what happens: processes and their clocks are real. See docs/crash.md.
 */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { playCrash } from "./play-crash.ts";

const { values } = parseArgs({
  options: {
    database: { type: "string", default: "postgres" },
    kills: { type: "string", default: "20" },
    seed: { type: "string" },
    customers: { type: "string", default: "6" },
    "each-kind": { type: "boolean", default: false },
    plant: { type: "string" },
    json: { type: "boolean", default: false },
  },
});

const SEEDS = 1_000_000_000;
const seed = values.seed === undefined ? Date.now() % SEEDS : Number(values.seed);
const say = (line: string) => {
  if (!values.json) process.stdout.write(`${line}\n`);
};

/** A database of its own on the throw-away server that this was started with. */
async function newDatabase(): Promise<{ url: string; serverUrl: string }> {
  const serverUrl = process.env.TEST_DATABASE_URL;
  if (serverUrl === undefined) throw new Error("TEST_DATABASE_URL must name a PostgreSQL server.");
  const name = `aapd_crash_${randomUUID().replaceAll("-", "")}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${name}`);
  // A throw-away server answers a commit before it is in the log; this one is ended without notice, and must not.
  await client.query(`alter database ${name} set synchronous_commit = on`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, serverUrl };
}

/** As this was started, with its seed. */
function againWith(): string[] {
  const given = { ...values, seed: String(seed) };
  return Object.entries(given).flatMap(([name, value]) =>
    value === false || value === undefined ? [] : value === true ? [`--${name}`] : [`--${name}`, value],
  );
}

async function main(): Promise<number> {
  say(`seed ${seed}`);
  const folder = await mkdtemp(join(tmpdir(), "aapd-crash-"));
  const begun = performance.now();
  const outcome = await playCrash({
    seed,
    kills: Number(values.kills),
    folder,
    postgres: values.database === "postgres" ? await newDatabase() : null,
    customersAtOnce: Number(values.customers),
    eachKind: values["each-kind"],
    plant: values.plant ?? null,
    say,
  });
  const { violations, ...counts } = outcome;
  const numbers = { database: values.database, seed, ...counts, violations: violations.length };
  const seconds = Number(((performance.now() - begun) / 1_000).toFixed(1));
  if (values.json) process.stdout.write(`${JSON.stringify({ ...numbers, seconds })}\n`);
  for (const violation of violations.slice(0, 20)) process.stderr.write(`  ${violation}\n`);
  for (const [name, value] of Object.entries({ ...numbers, seconds })) say(`${name} ${value}`);
  if (violations.length > 0) {
    say(`What the processes wrote: ${join(folder, "service.log")}`);
    say(`Try the same again, at other moments of the machine:\n  pnpm crash ${againWith().join(" ")}`);
  } else await rm(folder, { recursive: true, force: true });
  return violations.length === 0 ? 0 : 1;
}

process.exit(await main());
