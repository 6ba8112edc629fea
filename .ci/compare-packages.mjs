#!/usr/bin/env node
/**
 * `node .ci/compare-packages.mjs`: whether code written against the released packages still type-checks against this
 * build. Every released export must exist and be usable as before: a function accepts at least the same arguments and
 * returns no further kinds of values. Run `pnpm build` first.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { comparePackage } from "./compare-declarations.mjs";
import { connectorKit, manifestOf, packages, releasedFolder, root, servedFolder } from "./packages.mjs";

const folder = join(root, ".cache/compare-packages");
rmSync(folder, { recursive: true, force: true });

const list = join(releasedFolder, "index.json");
/** @type {string[]} */
const released = existsSync(list) ? Object.keys(JSON.parse(readFileSync(list, "utf8"))) : [];
let broken = 0;
for (const { folder: from } of [...packages, connectorKit]) {
  const { name } = manifestOf(from);
  const file = name.slice(1).replace("/", "-");
  const before = latest(released.filter((one) => one.startsWith(`${file}-`)));
  if (before === undefined) continue;
  const unpacked = {
    before: unpack(join(releasedFolder, before), join(folder, "before", file)),
    now: unpack(nextOf(file), join(folder, "now", file)),
  };
  const breaks = comparePackage(unpacked, { root, packagesFolder: folder });
  for (const words of breaks) console.log(`${name}: ${words}`);
  broken += breaks.length;
}
if (broken > 0) console.log(`\n${broken} changes that break partners' code.`);
process.exitCode = broken > 0 ? 1 : 0;

/**
 * Two copies of a class with private members, or of a brand, never have the same type. So such members and brands are
 * removed before the comparison. The lists of error codes, event kinds, missing documents and texts are removed too, as
 * are the types that allow further words. Partners ignore unknown values, and `pnpm changes` checks that none is gone.
 *
 * @param {string} file
 */
function dropIdentity(file) {
  const text = readFileSync(file, "utf8");
  const plain = text
    .replaceAll(/^ *(?:private .*|#private);\n/gm, "")
    .replaceAll("[brand]", "brand")
    .replaceAll(" | (string & {})", "")
    .replace(/(?<=\bERROR_CODES: readonly )\[[^\]]*\]/, "string[]")
    .replaceAll(
      /(?<=ZodMiniEnum<)\{(?:\s*"order\.[a-z_]+": "order\.[a-z_]+";)+\s*\}(?=>)/g,
      "{ [kind: string]: string }",
    )
    .replaceAll(/(?<=ZodMiniEnum<)\{\s*medical_order: "medical_order";[^}]*\}(?=>)/g, "{ [document: string]: string }")
    .replaceAll(/(?<=ZodMiniEnum<)\{\s*contract: "contract";[^}]*\}(?=>)/g, "{ [text: string]: string }");
  writeFileSync(file, plain);
}

/**
 * @param {string} file A package's tarball, without its version.
 * @returns {string} The tarball of this build.
 */
function nextOf(file) {
  const folder = join(servedFolder, "next");
  const name = readdirSync(folder).find((one) => one.startsWith(`${file}-`));
  if (name === undefined) throw new Error(`${folder} has no ${file}: run pnpm build.`);
  return join(folder, name);
}

/**
 * @param {readonly string[]} files
 * @returns {string | undefined}
 */
function latest(files) {
  return files.toSorted((one, other) => one.localeCompare(other, "en", { numeric: true })).at(-1);
}

/**
 * @param {string} tarball
 * @param {string} into
 * @returns {string} The package's folder.
 */
function unpack(tarball, into) {
  mkdirSync(into, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", into]);
  for (const file of readdirSync(into, { recursive: true, encoding: "utf8" }))
    if (file.endsWith(".d.ts")) dropIdentity(join(into, file));
  return join(into, "package");
}
