import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const packageFolder = fileURLToPath(new URL("..", import.meta.url));
/** Inside the package, so that lookups of its files and of other packages work from there. */
const builtFolder = join(packageFolder, ".cache/programs");
const built = new Map<string, string>();

/**
 * Builds a program of this package (`src/main.ts`) from its current sources into one file that Node runs. Other
 * packages stay where they are. Starting from sources takes three times as long, because a process loads a thousand
 * modules one by one.
 */
export function builtProgram(entry: string): string {
  const program = built.get(entry) ?? buildProgram(entry);
  built.set(entry, program);
  return program;
}

/** The programs that a bundled module starts, at their paths next to it. */
const CHILDREN: Readonly<Record<string, string>> = {
  "documents/print-document.js": "src/orders/documents/print-document.ts",
  "pictures/convert-picture.js": "src/claims/pictures/convert-picture.ts",
};

function buildProgram(entry: string): string {
  for (const [path, child] of Object.entries(CHILDREN)) bundle(child, join(builtFolder, path));
  return bundle(entry, join(builtFolder, entry.replaceAll("/", ".").replace(/\.ts$/, ".js")));
}

function bundle(entry: string, path: string): string {
  // Other workers may build or start the same program meanwhile.
  const draft = join(builtFolder, `${randomUUID()}.js`);
  buildSync({
    entryPoints: [join(packageFolder, entry)],
    outfile: draft,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    conditions: ["source"],
    logLevel: "silent",
  });
  mkdirSync(dirname(path), { recursive: true });
  renameSync(draft, path);
  return path;
}
