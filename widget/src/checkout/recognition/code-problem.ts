import { isRefusedAs, type Problem } from "../../api/problem.ts";
import { esCl } from "../../words/es-cl.ts";
import { problemLine, problemWithAttempts } from "../../words/problem-words.ts";
import type { FirstWords } from "../../words/words.ts";
import { isAllWords } from "../../words/words-context.tsx";

/** The problem with a code, in one line. An invalid code has the same text, whatever invalidated it. */
export function codeProblem(problem: Problem, words: FirstWords): string {
  const all = isAllWords(words) ? words : esCl;
  const isOver = isRefusedAs(problem, "recovery_code_expired");
  return problemLine(isOver ? all.recognised.codeOver : (problemWithAttempts(problem, all) ?? all.otherProblem));
}
