import { expect } from "@playwright/test";
import { showState, test } from "../support/gallery.ts";
import { short } from "../support/levels.ts";
import { readScreen } from "../support/words-in-page.ts";

/**
 * The screens of a new patient whose clinic has sent their data, and the maximum number of words that each shows at
 * first.
 */
const SCREENS = { summary: 90, patient: 120, card: 60, review: 170 } as const;
const DONE_WORDS_MAX = 120;
const WORDS_MAX = 450;
const WORDS_IN_ALL_MAX = 900;
const PHONE_SCREENS_MAX = 5;
const PHONE = { width: 360, height: 740 };
/** English text is longer. */
const ENGLISH = 1.1;

for (const [locale, factor] of [
  ["es-CL", 1],
  ["en", ENGLISH],
] as const) {
  test(
    `a new patient reads no more than the design allows before paying, in ${locale}`,
    short("patient"),
    async ({ gallery: page }) => {
      await page.setViewportSize(PHONE);
      const sum = { words: 0, wordsInAll: 0, screens: 0 };
      for (const [state, limit] of Object.entries({ ...SCREENS, done: DONE_WORDS_MAX })) {
        await showState(page, state, { locale });
        const reading = await page.locator("html").evaluate(readScreen, PHONE.height);
        expect.soft(reading.words, `words of ${state}`).toBeLessThanOrEqual(limit * factor);
        if (state === "done") continue;
        sum.words += reading.words;
        sum.wordsInAll += reading.wordsInAll;
        sum.screens += reading.screens;
      }
      expect.soft(sum.words, "words at first").toBeLessThanOrEqual(WORDS_MAX * factor);
      expect.soft(sum.wordsInAll, "words with every fold open").toBeLessThanOrEqual(WORDS_IN_ALL_MAX * factor);
      expect.soft(sum.screens, "phone screens").toBeLessThanOrEqual(PHONE_SCREENS_MAX);
    },
  );
}
