import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this package, where `package.json` stands: the same from the source and from the build. */
export const packageFolder = nearest(dirname(fileURLToPath(import.meta.url)));

function nearest(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : nearest(dirname(folder));
}
