import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../program.ts";

/** The style sheet of one kind of pages, after the base styles that all pages share. */
export function readPageStylesheet(kind: "docs" | "console"): string {
  return ["base", kind].map((name) => readFileSync(join(packageFolder, `docs/site/${name}.css`), "utf8")).join("\n");
}
