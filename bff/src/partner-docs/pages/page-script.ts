import { createHash } from "node:crypto";
import { readPageScript } from "../samples.ts";

let script: { readonly text: string; readonly integrity: string } | null = null;

/** The pages' only script, with the hash by which they load it. */
export function pageScript(): { readonly text: string; readonly integrity: string } {
  if (script === null) {
    const text = readPageScript();
    script = { text, integrity: `sha384-${createHash("sha384").update(text).digest("base64")}` };
  }
  return script;
}
