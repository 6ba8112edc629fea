/** How serious a finding is: a mistake breaks payments or leaks secrets, a warning will cause trouble later. */
export type Verdict = "fine" | "warning" | "mistake";

export interface Finding {
  /** The permanent name of the rule. */
  readonly id: string;
  readonly verdict: Verdict;
  readonly words: string;
  /** The line to change; null if nothing is wrong. */
  readonly change: string | null;
}

export const fine = (id: string, words: string): Finding => ({ id, verdict: "fine", words, change: null });
export const warning = (id: string, words: string, change: string): Finding => ({
  id,
  verdict: "warning",
  words,
  change,
});
export const mistake = (id: string, words: string, change: string): Finding => ({
  id,
  verdict: "mistake",
  words,
  change,
});

export interface Report {
  readonly findings: readonly Finding[];
  /** 100 without findings; a mistake costs 15, a warning 5. */
  readonly score: number;
  /** What could not be examined here, and what would make it possible. */
  readonly notExamined: readonly string[];
}

const COSTS: Readonly<Record<Verdict, number>> = { fine: 0, warning: 5, mistake: 15 };

export function reportOf(findings: readonly Finding[], notExamined: readonly string[] = []): Report {
  const lost = findings.reduce((sum, { verdict }) => sum + COSTS[verdict], 0);
  return { findings, score: Math.max(0, 100 - lost), notExamined };
}

const MARKS: Readonly<Record<Verdict, string>> = { fine: "✓", warning: "!", mistake: "✗" };

export function reportLines({ findings, score, notExamined }: Report): string[] {
  const lines = findings.flatMap(({ id, verdict, words, change }) => [
    `${MARKS[verdict]} ${words} (${id})`,
    ...(change === null ? [] : [`    ${change}`]),
  ]);
  return [...lines, ...notExamined.map((words) => `? ${words}`), `${score} of 100`];
}
