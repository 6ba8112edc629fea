#!/usr/bin/env node
/**
 * `pnpm release VERSION`: releases the kit and the four packages. It sets the version wherever it is written,
 * builds the kit, keeps its files and the packages in `widget/released/`, and has `@aapd/embed` load that kit by its
 * hash. Commit what it changed. To release again before anyone has used the version: revert that commit and repeat.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { manifestOf, packages, root } from "./packages.mjs";
import { pnpm } from "./plan.mjs";

const [version = ""] = process.argv.slice(2);
const before = manifestOf("widget").version;
if (!/^\d+\.\d+\.\d+$/.test(version) || version === before) {
  console.error(`Usage: pnpm release VERSION, later than ${before}.`);
  process.exit(2);
}

const folders = packages.map(({ folder }) => folder);
for (const folder of ["widget", ...folders]) change(`${folder}/package.json`, `"version": "${before}"`, version);
change("widget/packages/react/package.json", `"@aapd/embed": "${before}"`, version);
for (const folder of folders) {
  change(`${folder}/README.md`, `-${before}.tgz`, version);
  change(`${folder}/CHANGELOG.md`, "## Unreleased", version, "Unreleased");
}
change("bff/src/partner-docs/packages.ts", `PACKAGES_VERSION = "${before}"`, version);

const kit = "widget/packages/embed/src/released.ts";
run("--filter", "widget", "run", "build:embed");
run("--filter", "widget", "run", "release");
change(kit, `version: "${before}"`, version);
const list = JSON.parse(readFileSync(join(root, "widget/released/released.json"), "utf8"));
const text = readFileSync(join(root, kit), "utf8");
writeFileSync(join(root, kit), text.replace(/sha384-[\w+/=]+/, list[`${version}.classic.js`]));
// The build copies every released file of the kit to where it is served.
run("--filter", "widget", "run", "build:embed");
run("run", "release:packages");

/**
 * Replaces the old version in each occurrence of a text. Throws without one, so that no place is forgotten.
 *
 * @param {string} file
 * @param {string} place
 * @param {string} to
 * @param {string} [from]
 */
function change(file, place, to, from = before) {
  const path = join(root, file);
  const content = readFileSync(path, "utf8");
  if (!content.includes(place)) throw new Error(`${file} does not contain ${place}.`);
  writeFileSync(path, content.replaceAll(place, place.replace(from, to)));
}

/** @param {readonly string[]} args */
function run(...args) {
  const { program, args: all } = pnpm(...args);
  execFileSync(program, all, { cwd: root, stdio: "inherit" });
}
