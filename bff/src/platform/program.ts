import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "./package-folder.ts";

/** Which build this process runs. */
export interface Program {
  readonly version: string;
  /** As who deploys it says, else as the release says that this was made by; `unknown` where nobody does. */
  readonly commit: string;
}

/** `package.json` names a commit in a release (`.ci/build-release.mjs`), and in the repository none. */
export function programOf({ commit }: { readonly commit: string | null }): Program {
  const manifest = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as Manifest;
  return { version: manifest.version, commit: commit ?? manifest.commit ?? "unknown" };
}

interface Manifest {
  readonly version: string;
  readonly commit?: string;
}
