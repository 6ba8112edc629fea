#!/usr/bin/env node
/**
 * `node .ci/pack-packages.mjs [--release | --release-connector-kit]`: builds the packages for partners, and the one for
 * authors of connectors. Packs each as a tarball that npm and pnpm install by its address. The widget host serves this
 * build's packages under `/packages/next/` and released ones under `/packages/`, with the integrity hash of each in
 * `/packages/index.json`. `--release` keeps this build's packages for partners as released, `--release-connector-kit`
 * the connector kit; a released package never changes. A build that differs from the released one gets a version with a
 * hash, so that a version never has two contents.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectorKit, integrityOf, manifestOf, packages, releasedFolder, root, servedFolder } from "./packages.mjs";

const nextFolder = join(servedFolder, "next");
const listPath = join(releasedFolder, "index.json");

/** @typedef {{ version: string, packages: { folder: string, of: string }[], option: string }} Group */

/** Packages that are released together. @type {Group[]} */
const groups = [
  { version: requireOneVersion(), packages, option: "--release" },
  { version: manifestOf(connectorKit.folder).version, packages: [connectorKit], option: "--release-connector-kit" },
];
rmSync(servedFolder, { recursive: true, force: true });
mkdirSync(nextFolder, { recursive: true });
for (const group of groups) {
  const workFolder = mkdtempSync(join(tmpdir(), "aapd-packages-"));
  try {
    for (const { folder, of } of group.packages) build(folder, of);
    packAs(group, group.version, workFolder);
    if (process.argv.includes(group.option)) release(workFolder);
    packNext(group, workFolder);
  } finally {
    rmSync(workFolder, { recursive: true, force: true });
  }
}
serveReleased();

/** Packages that belong together share one version, so that partners need not match versions. */
function requireOneVersion() {
  const versions = new Set(["widget", ...packages.map(({ folder }) => folder)].map((one) => manifestOf(one).version));
  if (versions.size > 1) fail(`The kit and the packages must have one version, and have ${[...versions].join(", ")}.`);
  return manifestOf("widget").version;
}

/**
 * @param {string} folder
 * @param {string} of
 */
function build(folder, of) {
  const { dependencies = {} } = manifestOf(folder);
  const { dependencies: used, devDependencies } = manifestOf(of);
  /** @type {Record<string, string>} */
  const tested = { ...devDependencies, ...used };
  for (const [name, version] of Object.entries(dependencies))
    if (tested[name] !== version) fail(`${folder} asks for ${name} ${version}, and is tested with ${tested[name]}.`);
  const place = join(root, folder);
  rmSync(join(place, "lib"), { recursive: true, force: true });
  run(join(root, "node_modules/.bin/tsc"), ["-p", join(place, "tsconfig.json")], root);
}

/**
 * Packs the packages of a group under one version, which they also use for their dependencies on each other.
 *
 * @param {Group} group
 * @param {string} version
 * @param {string} into
 */
function packAs({ packages }, version, into) {
  const own = new Set(packages.map(({ folder }) => manifestOf(folder).name));
  for (const { folder } of packages) {
    const copy = mkdtempSync(join(tmpdir(), "aapd-package-"));
    cpSync(join(root, folder), copy, { recursive: true });
    const manifest = manifestOf(folder);
    const { peerDependencies } = manifest;
    const peers = Object.entries(peerDependencies ?? {}).map(([name, range]) => [
      name,
      own.has(name) ? version : range,
    ]);
    const changed = { ...manifest, version, ...(peerDependencies && { peerDependencies: Object.fromEntries(peers) }) };
    writeFileSync(join(copy, "package.json"), `${JSON.stringify(changed, null, 2)}\n`);
    run("npm", ["pack", "--silent", "--pack-destination", into], copy);
    rmSync(copy, { recursive: true });
  }
}

/** @param {string} workFolder */
function release(workFolder) {
  const list = readList();
  mkdirSync(releasedFolder, { recursive: true });
  for (const file of tarballsIn(workFolder)) {
    if (file in list) fail(`${file} is released: raise the version.`);
    copyFileSync(join(workFolder, file), join(releasedFolder, file));
    list[file] = integrityOf(readFileSync(join(releasedFolder, file)));
    console.log(`released/packages/${file}`);
  }
  writeFileSync(listPath, `${JSON.stringify(list, null, 2)}\n`);
}

/**
 * Packages equal to the released ones keep their version. All others get a later version that includes a hash of their
 * content.
 *
 * @param {Group} group
 * @param {string} workFolder
 */
function packNext(group, workFolder) {
  const { version } = group;
  const list = readList();
  const contents = tarballsIn(workFolder).map((file) => ({ file, bytes: readFileSync(join(workFolder, file)) }));
  if (contents.every(({ file, bytes }) => list[file] === integrityOf(bytes))) {
    for (const { file, bytes } of contents) writeFileSync(join(nextFolder, file), bytes);
    return;
  }
  const hash = createHash("sha256");
  for (const { bytes } of contents) hash.update(bytes);
  const [major, minor, patch] = version.split(".");
  const isReleased = contents.some(({ file }) => file in list);
  const base = isReleased ? `${major}.${minor}.${Number(patch) + 1}` : version;
  packAs(group, `${base}-next-${hash.digest("hex").slice(0, 10)}`, nextFolder);
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
