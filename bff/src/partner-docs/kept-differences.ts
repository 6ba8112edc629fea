import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { packageFolder } from "../platform/program.ts";

const keptReleaseSchema = z.strictObject({
  /** The changelog's day with the text about it, `YYYY-MM-DD`. */
  date: z.string(),
  differences: z.array(
    z.strictObject({
      /** The difference, with names between backticks. */
      what: z.string(),
      /** Whether a correct program of a partner may break. */
      breaks: z.boolean(),
      /** The places of the difference. */
      where: z.array(z.string()),
    }),
  ),
});

/** The differences of the interface when it was recorded as released (`pnpm changes --keep`). */
export type KeptRelease = z.infer<typeof keptReleaseSchema>;

export const DIFFERENCES_FILE = join(packageFolder, "docs/site/differences.json");

/** Newest first. */
export function readKeptReleases(): KeptRelease[] {
  return z.parse(z.array(keptReleaseSchema), JSON.parse(readFileSync(DIFFERENCES_FILE, "utf8")));
}
