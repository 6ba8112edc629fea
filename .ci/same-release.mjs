#!/usr/bin/env node
/**
 * `node .ci/same-release.mjs`: checks that the commit builds the same release twice, in two new clones with different
 * names, each installed, built and packed separately. It prints the checksums, and exits with 1 if they differ.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./packages.mjs";
import { pnpm } from "./plan.mjs";

const place = mkdtempSync(join(tmpdir(), "aapd-same-release-"));
try {
  const [first = "", second = ""] = ["once", "and-once-more"].map(release);
  process.stdout.write(first === second ? first : `${first}\n${second}`);
  process.exitCode = first === second ? 0 : 1;
} finally {
  rmSync(place, { recursive: true, force: true });
}

/**
 * @param {string} name
 * @returns {string} Its `SHA256SUMS`.
 */
function release(name) {
  const clone = join(place, name);
  run("git", ["clone", "--quiet", "--no-hardlinks", root, clone], place);
  runPnpm(clone, "install", "--frozen-lockfile", "--prefer-offline");
  runPnpm(clone, "--filter=bff", "run", "build");
  runPnpm(clone, "--filter=widget", "run", "build");
  runPnpm(clone, "run", "pack:packages");
  run(process.execPath, [".ci/build-release.mjs", "--to", join(place, `release-${name}`)], clone);
  return readFileSync(join(place, `release-${name}`, "SHA256SUMS"), "utf8");
}

/**
 * @param {string} folder
 * @param {...string} args
 */
function runPnpm(folder, ...args) {
  const { program, args: before } = pnpm(...args);
  run(program, before, folder);
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {string} cwd
 */
function run(program, args, cwd) {
  execFileSync(program, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}
