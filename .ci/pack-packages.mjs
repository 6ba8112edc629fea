#!/usr/bin/env node
/**
 * `node .ci/pack-packages.mjs [--release]`: builds the packages for partners and packs each as a tarball that npm and pnpm install
 * by its address. The widget host serves those of this build under `/packages/next/`, and what was released under `/packages/`, with
 * the integrity of each in `/packages/index.json`. `--release` keeps this build's as released; nothing released ever changes.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { integrityOf, manifestOf, packages, releasedFolder, root, servedFolder } from "./packages.mjs";

const nextFolder = join(servedFolder, "next");
const listPath = join(releasedFolder, "index.json");

requireOneVersion();
rmSync(servedFolder, { recursive: true, force: true });
mkdirSync(nextFolder, { recursive: true });
for (const { folder, of } of packages) pack(folder, of);
if (process.argv.includes("--release")) release();
serveReleased();

/** What goes together has one number, so that nobody has to find out which goes with which. */
function requireOneVersion() {
  const versions = new Set(["widget", ...packages.map(({ folder }) => folder)].map((one) => manifestOf(one).version));
  if (versions.size > 1) fail(`The kit and the packages must have one version, and have ${[...versions].join(", ")}.`);
}

/**
 * @param {string} folder
 * @param {string} of
 */
function pack(folder, of) {
  const { dependencies = {} } = manifestOf(folder);
  const tested = manifestOf(of).dependencies ?? {};
  for (const [name, version] of Object.entries(dependencies))
    if (tested[name] !== version) fail(`${folder} asks for ${name} ${version}, and is tested with ${tested[name]}.`);
  const place = join(root, folder);
  rmSync(join(place, "lib"), { recursive: true, force: true });
  run(join(root, "node_modules/.bin/tsc"), ["-p", join(place, "tsconfig.json")], root);
  run("npm", ["pack", "--silent", "--pack-destination", nextFolder], place);
}

function release() {
  const list = readList();
  mkdirSync(releasedFolder, { recursive: true });
  for (const file of tarballsIn(nextFolder)) {
    if (file in list) fail(`${file} is released: raise the version.`);
    copyFileSync(join(nextFolder, file), join(releasedFolder, file));
    list[file] = integrityOf(readFileSync(join(releasedFolder, file)));
    console.log(`released/packages/${file}`);
  }
  writeFileSync(listPath, `${JSON.stringify(list, null, 2)}\n`);
}

function serveReleased() {
  const list = readList();
  for (const [file, integrity] of Object.entries(list)) {
    const bytes = existsSync(join(releasedFolder, file)) ? readFileSync(join(releasedFolder, file)) : "";
    if (integrityOf(bytes) !== integrity) fail(`${file} is released, and its bytes are not those of index.json.`);
    copyFileSync(join(releasedFolder, file), join(servedFolder, file));
  }
  const next = tarballsIn(nextFolder).map((file) => [
    `next/${file}`,
    integrityOf(readFileSync(join(nextFolder, file))),
  ]);
  writeFileSync(
    join(servedFolder, "index.json"),
    `${JSON.stringify({ ...list, ...Object.fromEntries(next) }, null, 2)}\n`,
  );
}

/** @returns {Record<string, string>} */
function readList() {
  return existsSync(listPath) ? JSON.parse(readFileSync(listPath, "utf8")) : {};
}

/** @param {string} folder */
function tarballsIn(folder) {
  return readdirSync(folder).filter((file) => file.endsWith(".tgz"));
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {string} cwd
 */
function run(program, args, cwd) {
  execFileSync(program, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}

/**
 * @param {string} words
 * @returns {never}
 */
function fail(words) {
  console.error(words);
  process.exit(1);
}
