import type { Locale } from "bff/contract/widget-tokens";
import type { ReactNode } from "react";
import { esCl } from "./es-cl.ts";
import type { LinkProblems } from "./link-problems.ts";
import { isAllWords, useWords, WordsProvider } from "./words-context.tsx";

export interface AllWordsProps {
  /** Words for error codes that the page receives, in addition to the checkout's or instead of them. */
  readonly problems?: Readonly<Record<Locale, LinkProblems>> | undefined;
  readonly children: ReactNode;
}

/** Gives the screens inside all words: the page carries no more of the Spanish ones than its first screen needs. */
export function AllWords({ problems, children }: AllWordsProps) {
  const words = useWords();
  const all = isAllWords(words) ? words : esCl;
  const value = problems === undefined ? all : { ...all, problems: { ...all.problems, ...problems[all.locale] } };
  return <WordsProvider value={value}>{children}</WordsProvider>;
}
