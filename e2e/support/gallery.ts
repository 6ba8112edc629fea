import { readFileSync } from "node:fs";
import { test as base, expect, type Page } from "@playwright/test";
import { productUrls } from "./tenant.ts";
import { watch } from "./watch.ts";

const LIST = new URL("../../widget/dist/app/gallery.json", import.meta.url);

/** The names of all states that the built gallery shows. */
export function galleryStates(): readonly string[] {
  const { states }: { states: readonly { readonly name: string }[] } = JSON.parse(readFileSync(LIST, "utf8"));
  return states.map(({ name }) => name);
}

/** The width of the baselines' phone in CSS pixels. */
export const PHONE = { width: 360, height: 780 };

interface WatchedGallery {
  readonly page: Page;
  readonly violations: string[];
}

interface WorkerFixtures {
  /** One page for all states that a worker shows, so that the gallery's scripts are loaded and compiled once. */
  readonly watchedGallery: WatchedGallery;
}

interface Fixtures {
  /** The gallery's page, which an earlier test may have used. Anything that the browser blocks on it fails the test. */
  readonly gallery: Page;
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  gallery: async ({ watchedGallery: { page, violations } }, use) => {
    await use(page);
    expect(violations.splice(0)).toEqual([]);
  },
  watchedGallery: [
    async ({ browser }, use) => {
      const context = await browser.newContext({
        viewport: PHONE,
        deviceScaleFactor: 1,
        locale: "es-CL",
        timezoneId: "America/Santiago",
        reducedMotion: "reduce",
      });
      // The gallery's only intervals are countdowns, which would show another second on a slow machine.
      await context.addInitScript(() => Object.assign(window, { setInterval: () => 0 }));
      const violations = await watch(context);
      await use({ page: await context.newPage(), violations });
      await context.close();
    },
    { scope: "worker" },
  ],
});

function addressOf(state: string, query: Record<string, string>): string {
  return `${productUrls().widgetHostUrl}/gallery.html?${new URLSearchParams({ state, ...query })}`;
}

/** Whether the page already shows a state in a language, because an earlier test has only read it. */
export function showsState(page: Page, state: string, query: Record<string, string>): boolean {
  return page.url() === addressOf(state, query);
}

/** Shows a state of the gallery in one font, which all machines with Debian's browser have. */
export async function showState(page: Page, state: string, query: Record<string, string> = {}): Promise<void> {
  await page.goto(addressOf(state, query));
  await page.locator("html[data-gallery-state=shown]").waitFor();
  await page.evaluate((family) => {
    const sheet = new CSSStyleSheet();
    // A constructed style sheet needs no exception in the page's policy.
    sheet.replaceSync(`
      .aapd-frame.aapd-frame { --font: "${family}", monospace; --font-title: var(--font); }
      #aapd-unopened { font-family: "${family}", monospace; }
    `);
    document.adoptedStyleSheets = [sheet];
  }, BASELINE_FONT);
}

/** Metrically compatible with Arial, from Debian's `fonts-liberation`, which its Chromium recommends. */
export const BASELINE_FONT = "Liberation Sans";
