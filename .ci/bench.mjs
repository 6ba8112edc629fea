#!/usr/bin/env node
/**
 * `pnpm bench <name> [--json]`: runs one benchmark. Each prints ratios to a limit that it measures in the same run,
 * since absolute times mean nothing on a shared machine. Those of bff/lab/bench get a throw-away PostgreSQL, the
 * widget's a browser. Benchmarks that need a build run it first.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pnpm } from "./plan.mjs";
import { provision } from "./provision.mjs";

const names = [
  "orders",
  "hostile",
  "webhooks",
  "uploads",
  "collection",
  "growth",
  "scale",
  "widget",
  "visit",
  "press",
  "integrate",
];
const namesInBrowser = ["widget", "visit", "press", "integrate"];
const [name, ...options] = process.argv.slice(2);
if (name === undefined || !names.includes(name)) {
  console.error(`Usage: pnpm bench ${names.join(" | ")} [--json]`);
  process.exit(2);
}
const folder = dirname(fileURLToPath(import.meta.url));
const root = dirname(folder);
const place = namesInBrowser.includes(name) ? "bench" : "lab/bench";
const program = ["--conditions=source", `${place}/${name}.ts`, ...options];
process.exitCode = await (namesInBrowser.includes(name) ? inBrowser() : beside());

/** @returns {Promise<number>} */
async function beside() {
  // A checkout needs the built page.
  if ((name === "orders" || name === "scale") && !build()) return 1;
  return run([join(folder, "with-postgres.mjs"), "--", "node", ...program], join(root, "bff"), {});
}

/** @returns {Promise<number>} */
async function inBrowser() {
  const logFolder = join(root, ".cache/bench");
  mkdirSync(logFolder, { recursive: true });
  const { signal } = new AbortController();
  const { env } = await provision(
    { browser: true, postgres: false, nginx: false, promtool: false, pgbouncer: false, languages: false },
    { root, logFolder, signal },
  );
  return build() ? run(program, join(root, "e2e"), env) : 1;
}

/** Builds everything; the build's output is not part of a benchmark's. */
function build() {
  const { program: tool, args } = pnpm("run", "build");
  return spawnSync(tool, args, { cwd: root, stdio: ["ignore", 2, 2] }).status === 0;
}

/**
 * @param {readonly string[]} args
 * @param {string} cwd
 * @param {Record<string, string>} env
 * @returns {Promise<number>}
 */
async function run(args, cwd, env) {
  const child = spawn(process.execPath, args, { cwd, stdio: "inherit", env: { ...process.env, ...env } });
  const [code] = await once(child, "exit");
  return typeof code === "number" ? code : 1;
}
