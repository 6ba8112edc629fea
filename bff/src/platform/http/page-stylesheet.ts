import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../program.ts";

/** The style sheet of a kind of pages, behind what all pages of ours look like. */
export function readPageStylesheet(kind: "docs" | "console"): string {
  return ["base", kind].map((name) => readFileSync(join(packageFolder, `docs/site/${name}.css`), "utf8")).join("\n");
}
