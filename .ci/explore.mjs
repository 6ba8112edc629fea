#!/usr/bin/env node
/** `pnpm explore`: builds the product, and lets a simulated patient press any control (e2e/explore/main.ts). */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pnpm } from "./plan.mjs";
import { provision } from "./provision.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const logFolder = join(root, ".cache/explore");
mkdirSync(logFolder, { recursive: true });
const { signal } = new AbortController();
const { env } = await provision(
  { browser: true, postgres: false, nginx: false, promtool: false, pgbouncer: false, languages: false },
  { root, logFolder, signal },
);
const build = pnpm("run", "build");
const built = spawnSync(build.program, build.args, { cwd: root, stdio: ["ignore", 2, 2] });
const { program, args } = pnpm("run", "--silent", "explore", ...process.argv.slice(2));
const explore = () =>
  spawnSync(program, args, { cwd: join(root, "e2e"), stdio: "inherit", env: { ...process.env, ...env } });
process.exitCode = built.status === 0 ? (explore().status ?? 1) : 1;
