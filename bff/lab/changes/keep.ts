import type { KeptRelease } from "../../src/partner-docs/kept-differences.ts";
import type { Difference } from "./compare.ts";

/** A difference and all its places. */
export type RecordedDifference = KeptRelease["differences"][number];

/** A difference in several places is recorded once; breaking ones come first. */
export function recordedDifference(differences: readonly Difference[]): RecordedDifference[] {
  const byWords = grouped(differences, ({ what, breaks }) => `${breaks} ${what}`);
  return [...byWords.values()]
    .flatMap((group) => {
      const [first] = group;
      return first === undefined ? [] : [{ what: first.what, breaks: first.breaks, where: placesOf(group) }];
    })
    .toSorted((a, b) => Number(b.breaks) - Number(a.breaks));
}

/** The parts of a place together: "`POST /orders` (request, answer 201, 409)". */
function placesOf(differences: readonly Difference[]): string[] {
  return [...grouped(differences, ({ where }) => where.place)].map(([place, group]) => {
    const parts = [...new Set(group.map(({ where }) => where.part))].filter((part) => part !== null);
    const answers = parts.filter((part) => part.startsWith(ANSWER)).map((part) => part.slice(ANSWER.length));
    const others = parts.filter((part) => !part.startsWith(ANSWER));
    const lines = [...others, ...(answers.length > 0 ? [`${ANSWER}${answers.join(", ")}`] : [])];
    return lines.length === 0 ? place : `${place} (${lines.join(", ")})`;
  });
}

const ANSWER = "answer ";

function grouped(
  differences: readonly Difference[],
  keyOf: (difference: Difference) => string,
): Map<string, Difference[]> {
  const groups = new Map<string, Difference[]>();
  for (const difference of differences) {
    const key = keyOf(difference);
    groups.set(key, [...(groups.get(key) ?? []), difference]);
  }
  return groups;
}

/** The changelog's text of one day. */
export interface DayOfWords {
  readonly date: string;
  readonly changes: readonly string[];
}

/** The differences that the text does not name in backticks, by field, value, code, path or another name. */
export function unnamed(differences: readonly Difference[], words: readonly string[]): Difference[] {
  const quoted = words.flatMap((line) => line.split("`").filter((_, part) => part % 2 === 1));
  const isWord = (name: string) => {
    const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const pattern = new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`);
    return quoted.some((text) => pattern.test(text));
  };
  return differences.filter(({ names }) => !names.some(isWord));
}

export type Keeping = { readonly refused: string } | { readonly releases: readonly KeptRelease[] };

/**
 * The new list of releases, newest first, or the reason why nothing is kept. Pass the changelog's text since the last
 * release, including that day, because a day may have several releases.
 */
export function decideKeeping(
  differences: readonly Difference[],
  words: readonly DayOfWords[],
  releases: readonly KeptRelease[],
  mayBreak: boolean,
): Keeping {
  const [newest] = words;
  if (newest === undefined || differences.length === 0) return { refused: "There is nothing to keep." };
  if (!mayBreak && differences.some(({ breaks }) => breaks))
    return {
      refused: "What partners have would break. If it must be so, tell them beforehand, and keep it with --breaking.",
    };
  const last = releases[0];
  const since = words.filter(({ date }) => last === undefined || date >= last.date).flatMap(({ changes }) => changes);
  const silent = unnamed(differences, since);
  if (silent.length > 0) return { refused: lackingWords(newest.date, silent) };
  const differ = recordedDifference(differences);
  if (last?.date !== newest.date) return { releases: [{ date: newest.date, differences: differ }, ...releases] };
  return { releases: [{ ...last, differences: [...differ, ...last.differences] }, ...releases.slice(1)] };
}

function lackingWords(date: string, silent: readonly Difference[]): string {
  const lines = recordedDifference(silent).map(({ what, where }) => `  ${what} (${where[0] ?? ""})`);
  return [
    "The changelog does not name these. Add words to the newest day of src/partner-docs/pages/changelog-page.ts",
    `(${date}) that a partner understands, with the name of each field, value, code or path:`,
    ...lines,
  ].join("\n");
}
