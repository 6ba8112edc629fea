import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { VERSION } from "../embed/protocol.ts";
import packageJson from "../package.json" with { type: "json" };
import { copyReleased, integrityOf } from "./released.ts";
import { tokensJson } from "./tokens.ts";

/*
 * Builds the embed kit into dist/embed. v1.js, v1.classic.js, preload.js, message.js and diagnose.js are evergreen, and
 * every version that was released is immutable. manifest.json has the integrity of each, and tokens.json is for design
 * tools. Runs after the widget's own build, which empties dist.
 */
const widgetFolder = join(import.meta.dirname, "..");
const outFolder = join(widgetFolder, "dist/embed");
const { version } = packageJson;

const evergreen = ["v1.js", "v1.classic.js", "preload.js", "message.js", "diagnose.js"];

const describeFile = (name: string) => {
  const content = readFileSync(join(outFolder, name));
  return {
    integrity: integrityOf(content),
    bytes: content.length,
    gzip_bytes: gzipSync(content).length,
  };
};

rmSync(outFolder, { recursive: true, force: true });
for (const mode of ["esm", "classic", "preload", "message", "diagnose"]) {
  await build({ root: widgetFolder, configFile: join(widgetFolder, "vite.embed.config.ts"), mode, logLevel: "warn" });
}
const immutable = copyReleased(join(widgetFolder, "released"), outFolder);

const names = [...evergreen, ...immutable];
const manifest = {
  version,
  protocol: VERSION,
  evergreen,
  immutable,
  files: Object.fromEntries(names.map((name) => [name, describeFile(name)])),
};
writeFileSync(join(outFolder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
writeFileSync(join(outFolder, "tokens.json"), `${JSON.stringify(tokensJson(), null, 2)}\n`);
for (const [name, { bytes, gzip_bytes }] of Object.entries(manifest.files)) {
  console.log(`dist/embed/${name}  ${bytes} B, gzip ${gzip_bytes} B`);
}
