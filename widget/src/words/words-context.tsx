import type { Locale } from "bff/contract/widget-tokens";
import { createContext, type ReactNode, useContext, useEffect } from "react";
import type { FirstWords, Words } from "./words.ts";

const WordsContext = createContext<FirstWords | Words | null>(null);

export interface WordsProviderProps {
  readonly value: FirstWords | Words;
  readonly children: ReactNode;
}

/**
 * Provides the texts to the components inside, and sets the page's language, so that screen readers pronounce it
 * correctly.
 */
export function WordsProvider({ value, children }: WordsProviderProps) {
  useEffect(() => {
    document.documentElement.lang = value.locale;
  }, [value.locale]);
  return <WordsContext value={value}>{children}</WordsContext>;
}

const LocaleSwitchContext = createContext<((locale: Locale) => void) | null>(null);

export const LocaleSwitchProvider = LocaleSwitchContext.Provider;

/** Switches the page's language and keeps the form's input; null if that is not possible. */
export function useLocaleSwitch(): ((locale: Locale) => void) | null {
  return useContext(LocaleSwitchContext);
}

/** The texts of the first screen, in the patient's language. Throws outside of a `WordsProvider`. */
export function useWords(): FirstWords {
  const words = useContext(WordsContext);
  if (words === null) throw new Error("no WordsProvider");
  return words;
}

/** All texts, for screens whose code includes them. Throws if only those of the first screen are loaded. */
export function useAllWords(): Words {
  const words = useWords();
  if (!isAllWords(words)) throw new Error("words not loaded");
  return words;
}

export function isAllWords(words: FirstWords): words is Words {
  return "problems" in words;
}
