import type { ReactNode } from "react";
import { esCl } from "./es-cl.ts";
import { isAllWords, useWords, WordsProvider } from "./words-context.tsx";

export interface AllWordsProps {
  /** For a self-service link: its end is put in other words than that of a checkout. */
  readonly isLink?: boolean;
  readonly children: ReactNode;
}

/** Gives the screens inside all words: the page carries no more of the Spanish ones than its first screen needs. */
export function AllWords({ isLink = false, children }: AllWordsProps) {
  const words = useWords();
  const all = isAllWords(words) ? words : esCl;
  const value = isLink ? { ...all, problems: { ...all.problems, ...all.links } } : all;
  return <WordsProvider value={value}>{children}</WordsProvider>;
}
