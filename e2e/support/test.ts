import { AxeBuilder } from "@axe-core/playwright";
import { test as base, expect, type Page } from "@playwright/test";
import { ClinicPage } from "../kit/clinic-page.ts";
import { findingLines } from "./axe-in-page.ts";
import { watch } from "./watch.ts";

interface Fixtures {
  readonly clinic: ClinicPage;
  /** Fails the test if axe finds anything on the page or in its frame; by default on the test's own page. */
  readonly checkAccessibility: (of?: Page) => Promise<void>;
  /**
   * Everything that the browser blocked on any page or frame of the test. Must stay empty, except for what the test
   * expects.
   */
  readonly violations: readonly string[];
  /**
   * Waits until the browser has blocked `times` requests or scripts whose messages contain `what`; 1 by default. Later
   * ones do not fail the test.
   */
  readonly isRefused: (what: string, times?: number) => Promise<void>;
  readonly expectedRefusals: string[];
}

/**
 * Every test watches its pages, including those opened by a link or in another tab: no policy violation, no console
 * error.
 */
export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern what a fixture needs.
  expectedRefusals: async ({}, use) => {
    await use([]);
  },
  violations: [
    async ({ context, expectedRefusals }, use) => {
      const violations = await watch(context);
      await use(violations);
      expect(violations.filter((text) => !expectedRefusals.some((what) => text.includes(what)))).toEqual([]);
    },
    { auto: true },
  ],
  isRefused: async ({ violations, expectedRefusals }, use) => {
    await use(async (what, times = 1) => {
      const refusals = () => violations.filter((text) => text.includes(what)).length;
      await expect.poll(refusals, { message: `refusals of ${what}` }).toBeGreaterThanOrEqual(times);
      expectedRefusals.push(what);
    });
  },
  clinic: async ({ page }, use) => {
    await use(new ClinicPage(page));
  },
  checkAccessibility: async ({ page }, use) => {
    await use(async (of = page) => {
      await motionsEnded(of);
      const { violations } = await new AxeBuilder({ page: of }).analyze();
      expect(findingLines(violations)).toEqual([]);
    });
  },
});

/**
 * A screen that fades in has too little contrast until it is complete. Endless animations, such as a spinner's, are
 * ignored.
 */
async function motionsEnded(page: Page): Promise<void> {
  const isMoving = () =>
    document
      .getAnimations()
      .some(({ playState, effect }) => playState === "running" && effect?.getComputedTiming().endTime !== Infinity);
  for (const frame of page.frames()) await expect.poll(() => frame.evaluate(isMoving)).toBe(false);
}

export { expect };
