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

/** The same of a code or a document that was tried, with how many tries are left. */
export function problemWithAttempts(problem: Problem | null, words: Words): ProblemWords | null {
  if (problem === null) return null;
  const said = problemWords(problem, words);
  const attempts = problem.kind === "refused" ? problem.additions.attempts_left : undefined;
  return attempts === undefined ? said : { ...said, text: `${said.text} ${words.identity.attemptsLeft(attempts)}` };
}
