import type * as z from "zod/mini";
import { type CheckRun, type Json, readAnswer } from "./check-run.ts";

/** One call under a new key, with one expected outcome. */
export interface ExpectedOutcome<Outcome> {
  readonly operation: { readonly path: string; readonly outcome: z.ZodMiniType<Outcome> };
  readonly check: string;
  readonly expected: string;
  readonly input: Json;
  /** Default: the provider of the run. */
  readonly providerId?: string;
  readonly isExpected: (outcome: Outcome) => boolean;
}

/** The key of the call, with its outcome if it is the expected one. */
export async function checkOutcome<Outcome>(
  run: CheckRun,
  { operation, check, expected, input, providerId, isExpected }: ExpectedOutcome<Outcome>,
): Promise<{ readonly key: string; readonly outcome: Outcome | null }> {
  const key = run.key();
  const as = providerId === undefined ? {} : { providerId };
  const reply = await run.ask({ path: operation.path, key, input, ...as });
  const read = readAnswer(run, operation.outcome, reply);
  const outcome = "answer" in read && isExpected(read.answer) ? read.answer : null;
  const fault = "fault" in read ? read.fault : run.describe(reply);
  run.note(operation.path, check, expected, outcome === null ? fault : null);
  return { key, outcome };
}
