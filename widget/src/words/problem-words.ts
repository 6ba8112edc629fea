import type { ErrorCode } from "bff/contract/errors";
import { isCodeRefused, type Problem } from "../api/problem.ts";
import { minuteOf } from "./format.ts";
import type { ProblemWords, Words } from "./words.ts";

/** The text for a problem: by its limit or reason for a declined card, by its code otherwise. */
export function problemWords(problem: Problem, words: Words): ProblemWords {
  if (problem.kind === "no_answer") return words.connection[problem.fault];
  const { decline_reason: reason, decline_limit: limit, challenge_ends_at: challengeEndsAt } = problem.additions;
  if (problem.code !== "card_declined" || reason === undefined) {
    const explained = wordsOfCode(problem.code, words);
    return challengeEndsAt === undefined ? explained : withOtherCardFrom(explained, challengeEndsAt, words);
  }
  return limit === undefined ? words.declines[reason] : words.declineLimits[limit];
}

/** Adds when another card can be used: once the issuer's challenge ends. */
export function withOtherCardFrom(explained: ProblemWords, challengeEndsAt: string, { paying }: Words): ProblemWords {
  return extended(explained, paying.otherCardFrom(minuteOf(challengeEndsAt)));
}

function extended({ title, text }: ProblemWords, more: string): ProblemWords {
  return { title, text: `${text} ${more}` };
}

/** Codes that only partners get share one text. */
export function wordsOfCode(code: ErrorCode, words: Words): ProblemWords {
  const problems: Readonly<Partial<Record<ErrorCode, ProblemWords>>> = words.problems;
  return problems[code] ?? words.otherProblem;
}

/** The text for a refused code or document, with the attempts left, the time of the next attempt, or what to do now. */
export function problemWithAttempts(problem: Problem | null, words: Words): ProblemWords | null {
  if (problem === null) return null;
  const plain = problemWords(problem, words);
  if (problem.kind !== "refused") return plain;
  const { attempts_left: left, retry_after_seconds: seconds } = problem.additions;
  if (seconds !== undefined) return extended(plain, words.identity.retryIn(Math.ceil(seconds / 60)));
  if (left === undefined) return plain;
  // Without an attempt left, the text must not ask for another one.
  const next = isCodeRefused(problem) ? "recovery_code_expired" : "identity_attempts_exhausted";
  const text = words.identity.attemptsLeft(left);
  return left === 0 ? { ...plain, text: `${text} ${words.problems[next].text}` } : extended(plain, text);
}

/** One line for the field: what went wrong, and what to do next. */
export function problemLine({ title, text }: ProblemWords): string {
  return `${title}. ${text}`;
}
