/**
 * Kills processes of the service under load, and checks the invariants:
 *
 *     pnpm crash [--database postgres|pglite] [--kills N] [--each-kind] [--customers N] [--seed N] [--plant NAME] [--json]
 *
 * On PostgreSQL two processes run behind nginx. Occasionally the database restarts or runs out of connections, or the
 * disk has no room for uploads. On PGlite it is one process. Needs `pnpm build`, nginx, and prlimit. The seed
 * determines the faults but not the results, because processes and their clocks are real. See lab/README.md.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCommandLine, refuse, seedFrom, wholeNumber } from "../command-line.ts";
import { newCrashDatabase } from "./new-database.ts";
import { playCrash } from "./play-crash.ts";

const { values } = readCommandLine(import.meta.filename, {
  options: {
    database: { type: "string", default: "postgres" },
    kills: { type: "string" },
    seed: { type: "string" },
    customers: { type: "string" },
    "each-kind": { type: "boolean", default: false },
    plant: { type: "string" },
    json: { type: "boolean", default: false },
  },
});

const seed = seedFrom(values.seed);
if (!["postgres", "pglite"].includes(values.database)) refuse("--database takes postgres or pglite.");
const say = (line: string) => {
  if (!values.json) process.stdout.write(`${line}\n`);
};

/** The command line that repeats this run with its seed. */
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
    kills: wholeNumber("--kills", values.kills, 20),
    folder,
    postgres: values.database === "postgres" ? await newCrashDatabase() : null,
    customersAtOnce: wholeNumber("--customers", values.customers, 6),
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
