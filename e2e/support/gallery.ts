import { readFileSync } from "node:fs";
import { test as base, type Page } from "@playwright/test";
import { productUrls } from "./tenant.ts";

const LIST = new URL("../../widget/dist/app/gallery.json", import.meta.url);

/** The names of all states that the built gallery shows. */
export function galleryStates(): readonly string[] {
  const { states }: { states: readonly { readonly name: string }[] } = JSON.parse(readFileSync(LIST, "utf8"));
  return states.map(({ name }) => name);
}

/** CSS pixels of the phone that the baselines are made for. */
export const PHONE = { width: 360, height: 780 };

interface WorkerFixtures {
  /** One page for all states that a worker shows: the gallery's scripts are loaded and compiled once. */
  readonly gallery: Page;
}

export const test = base.extend<object, WorkerFixtures>({
  gallery: [
    async ({ browser }, use) => {
      const context = await browser.newContext({
        viewport: PHONE,
        deviceScaleFactor: 1,
        locale: "es-CL",
        timezoneId: "America/Santiago",
        reducedMotion: "reduce",
      });
      await use(await context.newPage());
      await context.close();
    },
    { scope: "worker" },
  ],
});

/** Shows a state of the gallery, in one font, which all machines with Debian's browser have, whatever else they have. */
export async function showState(page: Page, state: string, query: Record<string, string> = {}): Promise<void> {
  await page.goto(`${productUrls().widgetHostUrl}/gallery.html?${new URLSearchParams({ state, ...query })}`);
  await page.locator("html[data-gallery-state=shown]").waitFor();
  await page.evaluate((family) => {
    const sheet = new CSSStyleSheet();
    // A style sheet made by script needs no exception in the page's policy.
    sheet.replaceSync(`.aapd-frame.aapd-frame { --font: "${family}", monospace; --font-title: var(--font); }`);
    document.adoptedStyleSheets = [sheet];
  }, BASELINE_FONT);
}

/** Metrically Arial's twin, of Debian's `fonts-liberation`, which its Chromium recommends. */
export const BASELINE_FONT = "Liberation Sans";
