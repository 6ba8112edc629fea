import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/* The packages for partners and for authors of connectors, and the folder of each, in build order. */

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** From the repository's root. `of`: the package whose versions of the same dependencies count. */
export const packages = [
  { folder: "bff/packages/server", of: "bff" },
  { folder: "widget/packages/embed", of: "widget" },
  { folder: "widget/packages/react", of: "widget" },
  { folder: "e2e/packages/e2e", of: "e2e" },
];

/** For authors of connectors. Its versions are its own: a change of it concerns no partner. */
export const connectorKit = { folder: "bff/packages/connector-kit", of: "bff" };

/** Where released packages are kept for ever, and where the widget host finds them. */
export const releasedFolder = join(root, "widget/released/packages");
export const servedFolder = join(root, "widget/dist/packages");

/**
 * @param {string} folder
 * @returns {{ name: string, version: string, dependencies?: Record<string, string>, devDependencies?: Record<string, string>, peerDependencies?: Record<string, string> }}
 */
export function manifestOf(folder) {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
}

/**
 * @param {string | Buffer} content
 * @returns {string}
 */
export function integrityOf(content) {
  return `sha512-${createHash("sha512").update(content).digest("base64")}`;
}
