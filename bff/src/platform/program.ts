import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this package, which contains `package.json`: the same for the source and the build. */
export const packageFolder = nearest(dirname(fileURLToPath(import.meta.url)));

function nearest(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : nearest(dirname(folder));
}

/** Which build this process runs. */
export interface Program {
  readonly version: string;
  /** The deployment's commit, otherwise the release's; `unknown` without either. */
  readonly commit: string;
}

/** In a release `package.json` names a commit (`.ci/build-release.mjs`), but in the repository it does not. */
export function programOf({ commit }: { readonly commit: string | null }): Program {
  const manifest = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as Manifest;
  return { version: manifest.version, commit: commit ?? manifest.commit ?? "unknown" };
}

interface Manifest {
  readonly version: string;
  readonly commit?: string;
}
