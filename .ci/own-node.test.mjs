import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (/** @type {string} */ path) => readFileSync(join(root, path), "utf8");
const folder = mkdtempSync(join(tmpdir(), "own-node-"));
after(() => rmSync(folder, { recursive: true }));

/**
 * @param {string} path
 * @param {string} script
 */
function program(path, script) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

/**
 * @param {string} name
 * @param {{ node: string, npm?: string }} found The path's programs: a Node of this version, and npm's behaviour.
 */
function machine(name, { node, npm = "exit 1" }) {
  const place = join(folder, name);
  program(join(place, "path/node"), `echo ${node}`);
  program(join(place, "path/npm"), npm);
  mkdirSync(join(place, ".ci/node"), { recursive: true });
  copyFileSync(join(root, ".pnpmfile.cjs"), join(place, ".pnpmfile.cjs"));
  return place;
}

/**
 * @param {string} place
 * @returns {string} The output of `node --version` in a script there.
 */
function nodeOfScripts(place) {
  const script = `require("./.pnpmfile.cjs").hooks.updateConfig({ nodeVersion: "24.0.0" });
    process.stdout.write(require("node:child_process").execSync("node --version"));`;
  const env = { PATH: `${join(place, "path")}:/usr/bin:/bin` };
  const options = { cwd: place, env, encoding: /** @type {const} */ ("utf8"), stdio: /** @type {const} */ ("pipe") };
  return execFileSync(process.execPath, ["--eval", script], options).trim();
}

const installs = (/** @type {string} */ version) =>
  `mkdir -p node_modules/node-here/bin && echo 'echo ${version}' > node_modules/node-here/bin/node
   chmod +x node_modules/node-here/bin/node; echo once >> installed`;

test("a new enough Node on the path runs the scripts, and nothing is installed", () => {
  for (const node of ["v24.0.0", "v26.1.0"])
    assert.equal(nodeOfScripts(machine(`new-${node}`, { node, npm: installs("v24.21.0") })), node);
  assert.equal(existsSync(join(folder, "new-v24.0.0/.ci/node/installed")), false);
});

test("an older Node on the path gets one from the registry, installed once, for its scripts", () => {
  const place = machine("old", { node: "v20.20.2", npm: installs("v24.21.0") });
  assert.equal(nodeOfScripts(place), "v24.21.0");
  assert.equal(nodeOfScripts(place), "v24.21.0");
  assert.equal(readFileSync(join(place, ".ci/node/installed"), "utf8"), "once\n");
});

test("an installed Node that does not run is installed again", () => {
  const place = machine("broken", { node: "v22.1.0", npm: installs("v24.21.0") });
  program(join(place, ".ci/node/node_modules/node-here/bin/node"), "exit 126");
  assert.equal(nodeOfScripts(place), "v24.21.0");
});

test("an older Node without a registry is refused with the required version", () => {
  assert.throws(() => nodeOfScripts(machine("offline", { node: "v20.20.2" })), /Install Node 24 or newer/);
});

test("each Node for older machines has an exact version, is new enough, and comes from the registry with a hash", () => {
  const wanted = JSON.parse(read(".ci/node/package.json")).optionalDependencies;
  const { "": own, ...locked } = JSON.parse(read(".ci/node/package-lock.json")).packages;
  assert.deepEqual(own.optionalDependencies, wanted);
  assert.deepEqual(
    Object.keys(locked),
    Object.keys(wanted).map((name) => `node_modules/${name}`),
  );
  for (const { version, integrity, resolved = "" } of Object.values(locked)) {
    assert.match(version, /^(?:2[4-9]|[3-9]\d)\.\d+\.\d+$/);
    assert.match(integrity, /^sha512-[\w+/]{86}==$/);
    assert.match(resolved, /^(?:https:\/\/registry\.npmjs\.org\/.*)?$/);
  }
});

test("packages, types, image, README and pnpm name the same oldest Node", () => {
  const [, oldest = ""] = /^nodeVersion: (\d+)\.0\.0$/m.exec(read("pnpm-workspace.yaml")) ?? [];
  for (const of of [".", "bff", "widget", "host-demo", "e2e"])
    assert.equal(JSON.parse(read(join(of, "package.json"))).engines.node, `>=${oldest}`);
  assert.match(JSON.parse(read("package.json")).devDependencies["@types/node"], new RegExp(`^${oldest}\\.`));
  assert.match(read("bff/deploy/Containerfile"), new RegExp(`^FROM \\S+/nodejs${oldest}-`, "m"));
  assert.match(read("README.md"), new RegExp(`Node ${oldest} or newer`));
});
