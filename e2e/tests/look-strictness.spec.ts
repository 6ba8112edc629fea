import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { galleryStates, showState, test } from "../support/gallery.ts";
import { long, PICTURE } from "../support/levels.ts";
import { expectLook } from "../support/look.ts";
import { stylesByOrder } from "../support/style-order.ts";

const BASELINES = new URL("../baselines/", import.meta.url).pathname;
const MOST_BYTES = 8_000_000;

/** A tall, light state, where a thin line is only a tiny part of the picture. */
const STATE = "review";

const CONSENT = "div:has(> input[type=checkbox])";

/** A plane, words of two sizes, and a line of one pixel. */
const COLOURS = [
  { what: "the main button", selector: "button[type=submit]", property: "background-color" },
  { what: "the title's words", selector: "h1", property: "color" },
  { what: "a card's words", selector: "strong", property: "color" },
  { what: "a consent's border", selector: CONSENT, property: "border-bottom-color" },
];

for (const scheme of ["light", "dark"] as const) {
  test(
    `a consent's border one pixel thicker on one side differs from the ${scheme} baseline`,
    long(PICTURE),
    async ({ gallery: page }) => {
      await showIn(page, scheme);
      await expectLook(page, scheme, STATE);
      const widthPx = await page.evaluate(thickenBorder, CONSENT);
      expect(widthPx).toBeGreaterThan(0);
      await expectFault(page, scheme);
    },
  );

  for (const { what, selector, property } of COLOURS) {
    test(
      `the colour of ${what} changed by 3 % differs from the ${scheme} baseline`,
      long(PICTURE),
      async ({ gallery: page }) => {
        await showIn(page, scheme);
        await page.evaluate(shiftColour, { selector, property });
        await expectFault(page, scheme);
      },
    );
  }
}

test(
  "two style modules that give one element the same property are found",
  long(PICTURE),
  async ({ gallery: page }) => {
    await showState(page, STATE);
    await page.evaluate(() => {
      const sheet = document.querySelector("style")?.sheet;
      for (const rule of [".second{color:blue}", ".first{color:red}"]) sheet?.insertRule(rule);
      document.querySelector("h1")?.classList.add("first", "second");
    });
    expect(await page.evaluate(stylesByOrder, { first: "one.module.css", second: "one.module.css" })).toEqual([]);
    const found = await page.evaluate(stylesByOrder, { first: "one.module.css", second: "another.module.css" });
    expect(found.join()).toMatch(/<h1 class="[^"]*first second"> color: rgb\(0, 0, 255\) or .* rgb\(255, 0, 0\)/);
  },
);

/** The pictures of mails and documents, which `mail-looks` makes. */
const SHEETS = ["mails", "documents"];

test("baselines weigh at most 8 MB together, and each shows a state of the gallery", long(PICTURE), () => {
  const files = readdirSync(BASELINES, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MOST_BYTES);
  const states = new Set(galleryStates().map((state) => `${state}.webp`));
  const ofStates = files.filter(({ parentPath }) => !SHEETS.includes(basename(parentPath)));
  expect(ofStates.map(({ name }) => name).filter((name) => !states.has(name))).toEqual([]);
});

async function showIn(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await showState(page, STATE, { locale: "es-CL" });
}

async function expectFault(page: Page, scheme: string): Promise<void> {
  // A planted change must not become a baseline.
  expect(test.info().config.updateSnapshots, "update baselines with --project looks").not.toMatch(/all|changed/);
  await expect(expectLook(page, scheme, STATE)).rejects.toThrow(/pixels .* are different/);
}

/**
 * Runs in the page: makes the lower border of the box one pixel thicker, and moves nothing. Returns the border's
 * length.
 */
function thickenBorder(selector: string): number {
  const box = document.querySelector<HTMLElement>(selector);
  if (box === null) return 0;
  box.style.boxShadow = `0 1px 0 ${getComputedStyle(box).borderBottomColor}`;
  return Number.parseFloat(getComputedStyle(box).borderBottomWidth) > 0 ? box.offsetWidth : 0;
}

/** Runs in the page: moves each channel by 8 of 255 towards the middle. */
function shiftColour({ selector, property }: { readonly selector: string; readonly property: string }): void {
  const element = document.querySelector<HTMLElement>(selector);
  if (element === null) throw new Error(`Not found: ${selector}`);
  const channels =
    getComputedStyle(element)
      .getPropertyValue(property)
      .match(/[\d.]+/g) ?? [];
  const shifted = channels.slice(0, 3).map((channel) => Number(channel) + (Number(channel) < 128 ? 8 : -8));
  element.style.setProperty(property, `rgb(${shifted.join(" ")})`);
}
