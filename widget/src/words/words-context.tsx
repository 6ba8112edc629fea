import { createContext, useContext } from "react";
import type { Words } from "./words.ts";

const WordsContext = createContext<Words | null>(null);

export const WordsProvider = WordsContext.Provider;

/** The words in the patient's language; throws outside of a `WordsProvider`. */
export function useWords(): Words {
  const words = useContext(WordsContext);
  if (words === null) throw new Error("useWords needs a WordsProvider above it");
  return words;
}
