import type { Locale } from "bff/contract/widget-tokens";
import type { ReactNode } from "react";
import { esCl } from "./es-cl.ts";
import type { LinkProblems } from "./link-problems.ts";
import { isAllWords, useWords, WordsProvider } from "./words-context.tsx";

export interface AllWordsProps {
  /** Texts for error codes that the page receives, in addition to the checkout's or instead of them. */
  readonly problems?: Readonly<Record<Locale, LinkProblems>> | undefined;
  readonly children: ReactNode;
}

/** Provides all texts to the screens inside. The page itself only contains the Spanish ones of its first screen. */
export function AllWords({ problems, children }: AllWordsProps) {
  const words = useWords();
  const all = isAllWords(words) ? words : esCl;
  const value = problems === undefined ? all : { ...all, problems: { ...all.problems, ...problems[all.locale] } };
  return <WordsProvider value={value}>{children}</WordsProvider>;
}
