import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import { namesIn, retiredIn } from "../words.ts";
import { type FoundText, textsOf } from "./texts.ts";

export const SENTENCE_WORDS_MAX = 30;
export const LINE_LENGTH_MAX = 120;
export const TITLE_LENGTH_MAX = 110;
export const README_LINES_MAX = 130;

export const rules = [
  "retired words",
  "retired names",
  "long sentences",
  "long lines",
  "long titles",
  "titles without subject",
  "long readmes",
] as const;
export type Rule = (typeof rules)[number];

export interface Finding {
  readonly rule: Rule;
  readonly path: string;
  readonly line: number;
  /** The word, sentence, line or title. */
  readonly text: string;
}

const retired = Object.entries(
  z.parse(
    z.record(z.string(), z.string()),
    JSON.parse(readFileSync(new URL("./retired-words.json", import.meta.url), "utf8")),
  ),
).map(([word, pattern]) => ({ word, pattern: new RegExp(pattern, "i") }));

/** Words that names no longer contain, because a reader would have to guess their meaning. */
const RETIRED_NAMES: readonly (readonly string[])[] = [
  ["told"],
  ["untold"],
  ["said"],
  ["letgo"],
  ["let", "go"],
  ["standing"],
  ["made", "of"],
  ["remake"],
  ["amiss"],
  ["worn"],
  ["whoever"],
  ["nobody"],
  ["somebody"],
  ["anew"],
];

/** Every finding in a file. */
export function findingsIn(path: string, content: string): Finding[] {
  const { texts, lines } = textsOf(path, content);
  const at = (rule: Rule, line: number, text: string): Finding => ({ rule, path, line, text });
  const isReadme = /(?:^|\/)README\.md$/.test(path);
  const physicalLines = content.trimEnd().split("\n");
  const lineCount = physicalLines.length;
  return [
    ...texts.flatMap((text) => textFindings(text).map(([rule, found]) => at(rule, text.line, found))),
    ...lines
      .filter(({ line, text }) => text.trim() !== "" && (physicalLines[line - 1] ?? "").length > LINE_LENGTH_MAX)
      .filter(({ text }) => !/https?:\/\/|\]\(/.test(text))
      .map(({ line, text }) => at("long lines", line, text.trim())),
    ...(/\.(?:tsx?|mjs)$/.test(path) ? retiredIn(namesIn(content), RETIRED_NAMES) : []).map((name) =>
      at("retired names", 1, name),
    ),
    ...(isReadme && lineCount > README_LINES_MAX ? [at("long readmes", lineCount, `${lineCount} lines`)] : []),
  ];
}

function textFindings({ kind, text }: FoundText): [Rule, string][] {
  const found = sentencesIn(text).flatMap((sentence): [Rule, string][] => [
    ...retired
      .filter(({ pattern }) => pattern.test(sentence))
      .map(({ word }): [Rule, string] => ["retired words", `${word}: ${sentence}`]),
    ...(wordCount(sentence) > SENTENCE_WORDS_MAX ? [["long sentences", sentence] satisfies [Rule, string]] : []),
  ]);
  if (kind !== "title") return found;
  if (text.length > TITLE_LENGTH_MAX) found.push(["long titles", text]);
  if (FRAGMENT.test(text)) found.push(["titles without subject", text]);
  return found;
}

/** The beginnings of a title that continues another: its reader would have to find the other first. */
const FRAGMENT = /^(?:and|but|nor|or|so|then|also|not|neither|than|which|whose|that|of|with|without|where|but for)\b/;

function sentencesIn(text: string): string[] {
  return text.split(/(?<=[.!?])\)?\s+/);
}

function wordCount(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
