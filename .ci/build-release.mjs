#!/usr/bin/env node
/**
 * `pnpm build:release [--cpu x64|arm64] [--to <folder>] [--uncommitted]`: packs the production files into one archive,
 * with a bill of materials, the changelog and the checksums of all three. The same commit, built by the same Node with
 * the same `VITE_SEALING_KEY_PINS`, always gives the same bytes. Run `pnpm build` first.
 *
 * Uncommitted changes are refused, because such a release could not be rebuilt. `--uncommitted` packs them for a trial,
 * without a commit's name.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { root } from "./packages.mjs";
import { pnpm } from "./plan.mjs";
import { isPackageFileNeeded, packageOf, parts } from "./release-files.mjs";
import { billOfMaterials } from "./sbom.mjs";

/** Production must install so few packages that a person can know all of them. */
const packagesMax = 250;
/** With Node and the base image below it, the container's image has at most 200 MB. */
const megabytesMax = 50;

const { values: options } = parseArgs({
  options: {
    cpu: { type: "string", default: process.arch },
    to: { type: "string", default: join(root, ".cache/release") },
    uncommitted: { type: "boolean", default: false },
  },
});

const { version, engines, dependencies } = readJson(join(root, "bff/package.json"));
const commit = commitOf();
const name = `aapd-${version}${commit === null ? "-uncommitted" : ""}`;
const place = mkdtempSync(join(tmpdir(), "aapd-release-"));
try {
  const folder = join(place, name);
  for (const part of parts) copyPart(part, folder);
  const packages = copyPackages(folder);
  writeManifests(folder);
  const bill = writeBill(folder, packages);
  copy(join(root, "bff/CHANGELOG.md"), join(folder, "CHANGELOG.md"));
  const measured = measure(folder, packages.size);
  writeSums(folder, filesIn(folder));
  console.log(measured);
  keep(folder, bill);
} finally {
  rmSync(place, { recursive: true, force: true });
}

/** @returns {string | null} The commit of this build; null for a build of no commit. */
function commitOf() {
  if (git("status", "--porcelain") === "") return git("rev-parse", "HEAD");
  if (options.uncommitted) return null;
  return fail("There is work that is not committed: commit it, or try it with --uncommitted.");
}

/**
 * @param {typeof parts[number]} part
 * @param {string} folder
 */
function copyPart({ folder: part, takes }, folder) {
  const from = join(root, part);
  if (!existsSync(from)) fail(`${part} is missing: run pnpm build first.`);
  for (const file of filesIn(from))
    if (takes(file) && !isLeftOver(join(part, file))) copy(join(from, file), join(folder, part, file));
}

/**
 * The compiler removes nothing, so a file without a source is left over from an earlier build.
 *
 * @param {string} path
 */
function isLeftOver(path) {
  const source = path.replace(/^bff\/dist\/(.+)\.js$/, "bff/$1.ts");
  return source !== path && !existsSync(join(root, source));
}

/**
 * Installs the production packages from the lock file, and copies those of their files that Node may load.
 *
 * @param {string} folder
 * @returns {Set<string>} Each package, as `name@version`.
 */
function copyPackages(folder) {
  const installed = join(place, "installed");
  const { program, args } = pnpm(
    ...["--filter", "bff", "deploy", "--prod", "--os=linux", `--cpu=${options.cpu}`, "--libc=glibc"],
    // Plain folders, without the package manager's links and records, which contain the place and time of its run.
    ...["--config.node-linker=hoisted", "--config.inject-workspace-packages=true", installed],
  );
  execFileSync(program, args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  const packages = new Set();
  for (const path of filesIn(installed).filter((file) => file.startsWith("node_modules/"))) {
    const of = packageOf(path);
    if (of === null || !isPackageFileNeeded(of.name, of.file)) continue;
    copy(join(installed, path), join(folder, "bff", path));
    if (of.file === "package.json") packages.add(`${of.name}@${readJson(join(installed, path)).version}`);
  }
  return packages;
}

/** @param {string} folder */
function writeManifests(folder) {
  const common = { version, private: true, type: "module", engines };
  writeJson(join(folder, "bff/package.json"), {
    name: "bff",
    ...common,
    ...(commit !== null && { commit }),
    dependencies,
  });
  // The package manifest makes the renderer in the build a module.
  writeJson(join(folder, "widget/package.json"), { name: "widget", ...common });
}

/**
 * @param {string} folder
 * @param {Set<string>} packages
 */
function writeBill(folder, packages) {
  const lockfile = readFileSync(join(root, "pnpm-lock.yaml"), "utf8");
  const shipped = new Set([...packages, ...bundledPackages()]);
  const bill = billOfMaterials({ name: "aapd", version }, lockfile, shipped);
  const unknown = shipped.size - bill.components.length;
  if (unknown !== 0) fail(`${unknown} of the packages are not in the lock file.`);
  const path = join(folder, "sbom.cdx.json");
  writeJson(path, bill);
  return path;
}

/** @returns {string[]} The packages that are bundled into the widget's scripts. */
function bundledPackages() {
  const { program, args } = pnpm("--filter", "widget", "list", "--prod", "--depth=Infinity", "--json");
  const [widget] = JSON.parse(execFileSync(program, args, { cwd: root, encoding: "utf8" }));
  /** @param {Record<string, Listed>} [listed] @returns {string[]} */
  const walk = (listed = {}) =>
    Object.entries(listed).flatMap(([each, one]) => [`${one.from ?? each}@${one.version}`, ...walk(one.dependencies)]);
  return walk(widget.dependencies).filter((each) => !each.startsWith("@types/"));
}

/** @typedef {{ from?: string, version: string, dependencies?: Record<string, Listed> }} Listed */

/**
 * @param {string} folder
 * @param {number} packages
 */
function measure(folder, packages) {
  const bytes = filesIn(folder).reduce((sum, file) => sum + readFileSync(join(folder, file)).length, 0);
  const megabytes = bytes / 1_000_000;
  if (packages > packagesMax) fail(`Production needs ${packages} packages; at most ${packagesMax} are wanted.`);
  if (megabytes > megabytesMax) fail(`The release has ${megabytes.toFixed(1)} MB; at most ${megabytesMax} are wanted.`);
  return `${packages} packages, ${megabytes.toFixed(1)} MB unpacked`;
}

/**
 * @param {string} folder
 * @param {string} bill
 */
function keep(folder, bill) {
  const to = resolve(process.env.INIT_CWD ?? process.cwd(), options.to);
  mkdirSync(to, { recursive: true });
  const archive = `${name}-linux-${options.cpu}.tar.gz`;
  const kept = [archive, `${name}.cdx.json`, "CHANGELOG.md"];
  pack(folder, join(to, archive));
  copyFileSync(bill, join(to, `${name}.cdx.json`));
  copyFileSync(join(folder, "CHANGELOG.md"), join(to, "CHANGELOG.md"));
  writeSums(to, kept);
  console.log(readFileSync(join(to, "SHA256SUMS"), "utf8").trim());
  console.log(to);
}

/**
 * Sorted, with fixed time and owner, so that only the files' contents make a difference.
 *
 * @param {string} folder
 * @param {string} archive
 */
function pack(folder, archive) {
  const same = ["--format=ustar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];
  const time = `--mtime=@${git("log", "-1", "--format=%ct")}`;
  const compress = "--use-compress-program=gzip -9 -n";
  execFileSync("tar", ["-C", dirname(folder), ...same, time, compress, "-cf", archive, name], { stdio: "inherit" });
}

/**
 * `SHA256SUMS`, which `sha256sum --check` reads.
 *
 * @param {string} folder
 * @param {readonly string[]} files
 */
function writeSums(folder, files) {
  const sum = (/** @type {string} */ file) =>
    createHash("sha256")
      .update(readFileSync(join(folder, file)))
      .digest("hex");
  writeFileSync(
    join(folder, "SHA256SUMS"),
    files
      .toSorted()
      .map((file) => `${sum(file)}  ${file}\n`)
      .join(""),
  );
}

/**
 * @param {string} folder
 * @returns {string[]} From the folder, with `/` between names.
 */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted();
}

/**
 * @param {string} from
 * @param {string} to
 */
function copy(from, to) {
  makeFolder(dirname(to));
  copyFileSync(from, to);
  chmodSync(to, 0o644);
}

/**
 * @param {string} path
 * @param {object} value
 */
function writeJson(path, value) {
  makeFolder(dirname(path));
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
  chmodSync(path, 0o644);
}

/** @param {string} path */
function makeFolder(path) {
  mkdirSync(path, { recursive: true });
}

/** @param {string} path */
function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

/** @param {...string} args */
function git(...args) {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
}

/**
 * @param {string} words
 * @returns {never}
 */
function fail(words) {
  console.error(words);
  process.exit(1);
}
