#!/usr/bin/env node
/**
 * `pnpm bench <name> [--json]`: one of the benchmarks in bff/bench, with a throw-away PostgreSQL beside it. Each prints
 * ratios to a limit that it measures in the same run, since an absolute time says nothing on a shared machine.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const names = ["orders", "webhooks", "uploads", "collection"];
const [name, ...options] = process.argv.slice(2);
if (name === undefined || !names.includes(name)) {
  console.error(`Usage: pnpm bench ${names.join(" | ")} [--json]`);
  process.exit(2);
}
const folder = dirname(fileURLToPath(import.meta.url));
const program = ["node", "--import", "tsx", "--conditions=source", `bench/${name}.ts`, ...options];
const child = spawn(process.execPath, [join(folder, "with-postgres.mjs"), "--", ...program], {
  cwd: join(folder, "../bff"),
  stdio: "inherit",
});
const [code] = await once(child, "exit");
process.exitCode = typeof code === "number" ? code : 1;
