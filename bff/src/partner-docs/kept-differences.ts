import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { packageFolder } from "../platform/program.ts";

const keptReleaseSchema = z.strictObject({
  /** The day of the changelog whose words are about it, `YYYY-MM-DD`. */
  date: z.string(),
  differences: z.array(
    z.strictObject({
      /** What is different; names stand between backticks. */
      what: z.string(),
      /** Whether a partner's program that was right before may be wrong now. */
      breaks: z.boolean(),
      /** Where it is different. */
      where: z.array(z.string()),
    }),
  ),
});

/** What was different in the interface when it was kept as released (`pnpm changes --keep`). */
export type KeptRelease = z.infer<typeof keptReleaseSchema>;

export const DIFFERENCES_FILE = join(packageFolder, "docs/site/differences.json");

/** Newest first. */
export function readKeptReleases(): KeptRelease[] {
  return z.parse(z.array(keptReleaseSchema), JSON.parse(readFileSync(DIFFERENCES_FILE, "utf8")));
}
