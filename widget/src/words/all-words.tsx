import type { ReactNode } from "react";
import { esCl } from "./es-cl.ts";
import { isAllWords, useWords, WordsProvider } from "./words-context.tsx";

/** Gives the screens inside all words: the page carries no more of the Spanish ones than its first screen needs. */
export function AllWords({ children }: { readonly children: ReactNode }) {
  const words = useWords();
  return <WordsProvider value={isAllWords(words) ? words : esCl}>{children}</WordsProvider>;
}
