import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/*
 * Released versions of the embed kit: `widget/released/` holds their bytes, and `released.json` the integrity of each
 * file. `<version>.js` never changes for pages that have pinned it.
 */

/**
 * Thrown when a released file is missing or changed, or its version is released again. The message is for the
 * developer.
 */
export class ReleaseRefused extends Error {
  override readonly name = "ReleaseRefused";
}

type Released = Record<string, string>;

const listOf = (folder: string) => join(folder, "released.json");

function readList(folder: string): Released {
  return existsSync(listOf(folder)) ? (JSON.parse(readFileSync(listOf(folder), "utf8")) as Released) : {};
}

export function integrityOf(content: Buffer): string {
  return `sha384-${createHash("sha384").update(content).digest("base64")}`;
}

/** Copies every released file and returns their names. Throws `ReleaseRefused` if one is missing or has changed. */
export function copyReleased(folder: string, outFolder: string): string[] {
  const released = Object.entries(readList(folder));
  for (const [name, integrity] of released) {
    const file = join(folder, name);
    if (!existsSync(file) || integrityOf(readFileSync(file)) !== integrity)
      throw new ReleaseRefused(`${name} is released, and its bytes are not those of released.json: bring them back.`);
    copyFileSync(file, join(outFolder, name));
  }
  return released.map(([name]) => name);
}

/** Stores the current evergreen files under a version. Throws `ReleaseRefused` if it was already released. */
export function release(version: string, builtFolder: string, folder: string): string[] {
  const list = readList(folder);
  const names = { "v1.js": `${version}.js`, "v1.classic.js": `${version}.classic.js` };
  for (const name of Object.values(names)) {
    if (name in list) throw new ReleaseRefused(`${version} is released: raise the version in widget/package.json.`);
  }
  for (const [evergreen, name] of Object.entries(names)) {
    copyFileSync(join(builtFolder, evergreen), join(folder, name));
    list[name] = integrityOf(readFileSync(join(folder, name)));
  }
  writeFileSync(listOf(folder), `${JSON.stringify(list, null, 2)}\n`);
  return Object.values(names);
}
