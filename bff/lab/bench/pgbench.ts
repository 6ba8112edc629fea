import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestDatabase } from "../../test/database.ts";
import { folder } from "./servers.ts";

const PGBENCH_CONNECTIONS = 10;

/** Statements per second of one kind. `:n` in it is a random number. */
export async function pgbench(
  database: TestDatabase,
  statement: string,
  { milliseconds, variables = [] }: { readonly milliseconds: number; readonly variables?: readonly string[] },
): Promise<number> {
  const file = join(folder, "statement.sql");
  await writeFile(file, `\\set n random(1, 9000000000000000000)\n${statement.replaceAll(/\s+/g, " ")};\n`);
  const seconds = Math.max(1, Math.round(milliseconds / 1_000));
  const options = ["-n", "-M", "prepared", "-c", `${PGBENCH_CONNECTIONS}`, "-j", "2", "-T", `${seconds}`, "-f", file];
  const { stdout } = await promisify(execFile)(pgbenchPath(), [...options, ...variables, database.url]);
  const rate = Number(/tps = ([\d.]+) \(without/.exec(stdout)?.[1] ?? /tps = ([\d.]+)/.exec(stdout)?.[1]);
  if (!(rate > 0)) throw new Error(`pgbench printed no rate: ${stdout}`);
  return rate;
}

function pgbenchPath(): string {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  return versions.map((version) => join(debian, version, "bin/pgbench")).find((path) => existsSync(path)) ?? "pgbench";
}
