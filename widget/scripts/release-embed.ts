import { mkdirSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import { release } from "./released.ts";

/* Releases the current build of the embed kit under the package's version. `<version>.js` is then served for ever. */
const widgetFolder = join(import.meta.dirname, "..");
const folder = join(widgetFolder, "released");
mkdirSync(folder, { recursive: true });
for (const name of release(packageJson.version, join(widgetFolder, "dist/embed"), folder)) {
  console.log(`released/${name}`);
}
