import { createHash } from "node:crypto";
import { relative } from "node:path";

const LETTERS = /[a-z]/;

/** A class's name on the page: short, since every patient's phone loads them all, and the same in both builds. */
export function scopedName(name: string, file: string): string {
  const from = relative(`${import.meta.dirname}/..`, file);
  const digest = createHash("sha256").update(`${from}.${name}`).digest("hex");
  const short = BigInt(`0x${digest.slice(0, 12)}`)
    .toString(36)
    .slice(0, 4);
  return LETTERS.test(short.charAt(0)) ? short : `z${short}`;
}
