import * as z from "zod";

/* The input of one run of Vitest, and the lines that it writes. */

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
  /** The mutant runs while files are loaded, so they are loaded again. */
  whileLoading: z.boolean(),
  /** The cases to run of each test file, in this order, up to the first failure. */
  tests: z.array(z.object({ file: z.string(), cases: z.array(z.string()) })),
});
/** A mutant and the tests that may kill it. */
export type Job = z.infer<typeof jobSchema>;

/**
 * `record` runs whole test files to record the calls of each case; `judge` runs some cases with one mutant after the
 * other.
 */
export const workSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("record"), tests: z.array(z.string()) }),
  z.object({ kind: z.literal("judge"), jobs: z.array(jobSchema) }),
]);
export type Work = z.infer<typeof workSchema>;

export const recordSchema = z.object({
  test: z.string(),
  /** Passing cases by name, with duration and calls, as positions in `functions`. */
  cases: z.array(z.object({ name: z.string(), ms: z.number(), calls: z.array(z.int()) })),
  /** Names of cases that fail without any mutant, and of the file itself if it does not load. */
  failed: z.array(z.string()),
  /** Calls made outside the cases, which count for all of them. */
  around: z.array(z.int()),
  /** Calls while files are loaded. */
  whileLoading: z.array(z.int()),
  functions: z.array(z.string()),
});
/** The calls of a test file. */
export type TestRecord = z.infer<typeof recordSchema>;

export const verdictSchema = z.object({
  number: z.int(),
  /**
   * `unclear`: the cases that fail with the mutant also fail without it; `again`: the same, but perhaps because of an
   * earlier mutant.
   */
  verdict: z.enum(["noticed", "survived", "unclear", "again"]),
  by: z.string(),
});
/** The result of a mutant, and the first case that killed it. */
export type Verdict = z.infer<typeof verdictSchema>;
