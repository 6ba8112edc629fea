import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { VERSION } from "../embed/protocol.ts";
import packageJson from "../package.json" with { type: "json" };

/*
 * Builds the embed kit into dist/embed: v1.js and v1.classic.js (evergreen), the same bytes under the package's version
 * (immutable), react.js, and manifest.json with the integrity of each. Runs after the widget's own build, which empties dist.
 */
const widgetFolder = join(import.meta.dirname, "..");
const outFolder = join(widgetFolder, "dist/embed");
const { version } = packageJson;

const immutableNames = { "v1.js": `${version}.js`, "v1.classic.js": `${version}.classic.js` };

const describeFile = (name: string) => {
  const content = readFileSync(join(outFolder, name));
  return {
    integrity: `sha384-${createHash("sha384").update(content).digest("base64")}`,
    bytes: content.length,
    gzip_bytes: gzipSync(content).length,
  };
};

rmSync(outFolder, { recursive: true, force: true });
for (const mode of ["esm", "classic", "react"]) {
  await build({ root: widgetFolder, configFile: join(widgetFolder, "vite.embed.config.ts"), mode, logLevel: "warn" });
}
for (const [evergreen, immutable] of Object.entries(immutableNames)) {
  copyFileSync(join(outFolder, evergreen), join(outFolder, immutable));
}

const names = [...Object.entries(immutableNames).flat(), "react.js"];
const manifest = {
  version,
  protocol: VERSION,
  evergreen: Object.keys(immutableNames),
  immutable: Object.values(immutableNames),
  files: Object.fromEntries(names.map((name) => [name, describeFile(name)])),
};
writeFileSync(join(outFolder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
for (const [name, { bytes, gzip_bytes }] of Object.entries(manifest.files)) {
  console.log(`dist/embed/${name}  ${bytes} B, gzip ${gzip_bytes} B`);
}
