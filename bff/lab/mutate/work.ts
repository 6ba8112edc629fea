import * as z from "zod";

/* What one run of Vitest is given to do, and the lines that it writes about it. */

const mutantSchema = z.object({
  file: z.string(),
  line: z.int(),
  start: z.int(),
  end: z.int(),
  replacement: z.string(),
  around: z.object({ start: z.int(), end: z.int() }),
  isStatement: z.boolean(),
  change: z.string(),
  inFunction: z.string().nullable(),
  context: z.string(),
});

const jobSchema = z.object({
  number: z.int().positive(),
  mutant: mutantSchema,
  /** The mutant runs while files are loaded: they are loaded again. */
  whileLoading: z.boolean(),
  /** Which cases of which test files are run, in this order, up to the first that fails. */
  tests: z.array(z.object({ file: z.string(), cases: z.array(z.string()) })),
});
/** A mutant and the tests that may notice it. */
export type Job = z.infer<typeof jobSchema>;

/**
 * `record` runs whole test files to see what each of their cases calls; `judge` runs some cases with one mutant after
 * the other.
 */
export const workSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("record"), tests: z.array(z.string()) }),
  z.object({ kind: z.literal("judge"), jobs: z.array(jobSchema) }),
]);
export type Work = z.infer<typeof workSchema>;

export const recordSchema = z.object({
  test: z.string(),
  /** Cases that pass, by name, with how long each takes and what it calls, as places in `functions`. */
  cases: z.array(z.object({ name: z.string(), ms: z.number(), calls: z.array(z.int()) })),
  /** Names of cases that fail without any mutant, and of the file itself if it does not load. */
  failed: z.array(z.string()),
  /** Calls around the cases, for all of them. */
  around: z.array(z.int()),
  /** Calls while files are loaded. */
  whileLoading: z.array(z.int()),
  functions: z.array(z.string()),
});
/** What a test file calls. */
export type TestRecord = z.infer<typeof recordSchema>;

export const verdictSchema = z.object({
  number: z.int(),
  /**
   * `unclear`: the cases that fail with the mutant fail without it too; `again`: so they do, but perhaps for an earlier
   * one.
   */
  verdict: z.enum(["noticed", "survived", "unclear", "again"]),
  by: z.string(),
});
/** What became of a mutant, and the first case that noticed it. */
export type Verdict = z.infer<typeof verdictSchema>;
