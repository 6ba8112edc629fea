import type { Problem } from "../api/problem.ts";
import type { ProblemWords, Words } from "./words.ts";

/** What to tell the patient of a problem: a declined card by its reason, everything else by its code. */
export function problemWords(problem: Problem, words: Words): ProblemWords {
  if (problem.kind === "no_answer") return words.connection[problem.fault];
  const reason = problem.additions.decline_reason;
  return problem.code === "card_declined" && reason !== undefined
    ? words.declines[reason]
    : words.problems[problem.code];
}
