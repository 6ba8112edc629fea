import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/*
 * Compresses every built script once, at the highest level: the widget host sends the compressed file next to each
 * script instead of compressing per request. Runs after all other builds.
 */
const dist = join(import.meta.dirname, "../dist");

for (const folder of ["app/assets", "embed"]) {
  const names = readdirSync(join(dist, folder)).filter((name) => name.endsWith(".js"));
  for (const name of names) {
    const file = join(dist, folder, name);
    const content = readFileSync(file);
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
  }
}
