import { describe, expect, it } from "vitest";
import { CARD_CHANGE_WORDS } from "./card-change-words.ts";
import { UPCOMING_WORDS } from "./upcoming-words.ts";

/** Every text of a page's words. Functions are called with values of the right types. */
function textsOf(words: unknown): string[] {
  if (typeof words === "string") return [words];
  if (typeof words === "function") return textsOf(words("$30.022"));
  return Object.values(words ?? {}).flatMap(textsOf);
}

describe("the words for changing a card", () => {
  it.each(["es-CL", "en"] as const)(
    "promise in %s no moment without a charge, which may fall due meanwhile",
    (language) => {
      const texts = [CARD_CHANGE_WORDS, UPCOMING_WORDS].flatMap((words) => textsOf(words[language]));
      expect(texts.length).toBeGreaterThan(20);
      for (const text of texts) expect(text).not.toMatch(/no se cobra|nothing is charged/i);
    },
  );
});
