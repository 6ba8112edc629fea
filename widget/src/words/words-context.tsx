import type { Locale } from "bff/contract/widget-tokens";
import { createContext, type ReactNode, useContext, useEffect } from "react";
import type { FirstWords, Words } from "./words.ts";

const WordsContext = createContext<FirstWords | Words | null>(null);

export interface WordsProviderProps {
  readonly value: FirstWords | Words;
  readonly children: ReactNode;
}

/**
 * The words for all that is inside. The page takes their language too, so that a screen reader pronounces them rightly.
 */
export function WordsProvider({ value, children }: WordsProviderProps) {
  useEffect(() => {
    document.documentElement.lang = value.locale;
  }, [value.locale]);
  return <WordsContext value={value}>{children}</WordsContext>;
}

const LocaleSwitchContext = createContext<((locale: Locale) => void) | null>(null);

export const LocaleSwitchProvider = LocaleSwitchContext.Provider;

/** Switches the page's language and keeps the form's input; null where that is not possible. */
export function useLocaleSwitch(): ((locale: Locale) => void) | null {
  return useContext(LocaleSwitchContext);
}

/** The words of the first screen, in the patient's language; throws outside of a `WordsProvider`. */
export function useWords(): FirstWords {
  const words = useContext(WordsContext);
  if (words === null) throw new Error("no WordsProvider");
  return words;
}

/** All words; for screens whose code comes with them. Throws where only the first screen's are there. */
export function useAllWords(): Words {
  const words = useWords();
  if (!isAllWords(words)) throw new Error("words not loaded");
  return words;
}

export function isAllWords(words: FirstWords): words is Words {
  return "problems" in words;
}
