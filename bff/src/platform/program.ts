import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "./package-folder.ts";

/** Which build this process runs. */
export interface Program {
  readonly version: string;
  /** As who deploys it says; `unknown` where nobody does. */
  readonly commit: string;
}

export function programOf({ commit }: { readonly commit: string | null }): Program {
  const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as { version: string };
  return { version, commit: commit ?? "unknown" };
}
