import { AxeBuilder } from "@axe-core/playwright";
import type { Locator, Page } from "@playwright/test";
import { newPatient } from "../kit/patients.ts";
import { findingLines } from "../support/axe-in-page.ts";
import { long, short } from "../support/levels.ts";
import { createCheckoutUrl, createTenant, productUrls } from "../support/tenant.ts";
import { expect, test } from "../support/test.ts";
import { openTestOrigin } from "../support/test-pages.ts";

/*
 * The demo's playground for the appearance: the effect of its controls on the real checkout, and the code that they
 * produce.
 */

const STATES = ["summary", "patient", "card-faults", "review", "done"];

const preview = (page: Page, state: string): Locator =>
  page.locator(`[data-preview="${state}"] iframe`).contentFrame().locator(".aapd-frame");
const accent = (page: Page) => page.getByRole("textbox", { name: "Acento", exact: true });
const snippet = (page: Page) => page.getByRole("textbox", { name: "Código" });

/** Accents in the dark scheme: as light as white text permits. */
const LIFTED = { "#6a1b9a": "rgb(151, 95, 184)", "#b3261e": "rgb(194, 81, 75)" } as const;

const buttonColour = (frame: Locator) =>
  frame.getByRole("button", { name: "Continuar" }).evaluate((button) => getComputedStyle(button).backgroundColor);

// A colour transition in a frame that is scrolled out of sight would not end until it is scrolled back.
test.use({ colorScheme: "light", contextOptions: { reducedMotion: "reduce" } });

/** Only here do five checkouts share a page, so their landmarks have the same name and their frames different ones. */
async function hasNoFaults(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).disableRules(["landmark-unique"]).analyze();
  expect(findingLines(violations)).toEqual([]);
}

test(
  "every control changes the checkout in the previews at once, and the code too",
  long(
    "e2e/tests/appearance-page.spec.ts",
    "the copied code makes a partner's page mount the checkout with that appearance",
  ),
  async ({ page }) => {
    await page.goto("/#/apariencia");
    const card = preview(page, "card-faults");
    await expect(card).toHaveAttribute("data-standalone", "false");
    for (const state of STATES) await expect(preview(page, state).getByRole("heading", { level: 1 })).toBeAttached();
    await expect(snippet(page)).not.toHaveValue(/appearance/);
    await hasNoFaults(page);
    // If the frame were reloaded while a control is used, it would lose this mark.
    await card.evaluate((element) => element.setAttribute("data-mark", "first"));

    const knobs = [
      { label: "Bordes", words: "Grandes", code: 'radius: "large"', attribute: "data-radius", value: "large" },
      { label: "Letra", words: "Con serifa", code: 'font: "serif"', attribute: "data-font", value: "serif" },
      { label: "Densidad", words: "Compacta", code: 'density: "compact"', attribute: "data-density", value: "compact" },
      {
        label: "Etiquetas",
        words: "Dentro",
        code: 'labels: "inside"',
        attribute: "data-labels",
        value: "inside",
      },
      { label: "Colores", words: "Oscuros", code: 'color_scheme: "dark"', attribute: "data-scheme", value: "dark" },
    ] as const;
    const heightBefore = (await card.boundingBox())?.height ?? 0;
    for (const { label, words, code, attribute, value } of knobs) {
      await page.getByLabel(label).selectOption({ label: words });
      for (const state of STATES) await expect(preview(page, state)).toHaveAttribute(attribute, value);
      await expect(snippet(page)).toHaveValue(new RegExp(code));
    }
    expect((await card.boundingBox())?.height).toBeLessThan(heightBefore);

    // The colours are dark by now.
    await accent(page).fill("#6A1B9A");
    await expect.poll(() => buttonColour(card)).toBe(LIFTED["#6a1b9a"]);
    await expect(snippet(page)).toHaveValue(/accent: "#6a1b9a"/);
    await page.getByLabel("Elegir el acento").fill("#b3261e");
    await expect.poll(() => buttonColour(card)).toBe(LIFTED["#b3261e"]);
    await page.getByLabel("Ancho").selectOption({ label: "Escritorio" });
    await expect.poll(async () => (await card.boundingBox())?.width).toBeGreaterThan(500);
    await expect(card).toHaveAttribute("data-mark", "first");
    await hasNoFaults(page);

    await page.reload();
    await expect(preview(page, "card-faults")).toHaveAttribute("data-labels", "inside");
    await page.getByRole("button", { name: "Restablecer" }).click();
    await expect(preview(page, "card-faults")).toHaveAttribute("data-labels", "above");
    await expect(preview(page, "card-faults")).toHaveAttribute("data-scheme", "light");
    await expect.poll(() => buttonColour(preview(page, "card-faults"))).toBe("rgb(11, 107, 97)");
    await expect(snippet(page)).not.toHaveValue(/appearance/);
  },
);

test(
  "an unreadable accent is reported, and the checkout keeps the default accent",
  long(
    "widget/embed/accent.test.ts",
    "replaces an accent too light for white text with the default, and reports the default's contrasts",
  ),
  async ({ page }) => {
    await page.goto("/#/apariencia");
    const contrast = page.getByRole("region", { name: "Contraste" });
    await expect(contrast.getByRole("status")).toContainText("Alcanza. El texto blanco sobre #0b6b61 tiene 6,38:1");
    await accent(page).fill("#777777");
    // 4.478 is below the limit, and must not be rounded up to it.
    await expect(contrast.getByRole("status")).toContainText("No alcanza. El texto blanco sobre #777777 tiene 4,47:1");
    await expect(contrast.getByRole("status")).toContainText("no usa este color ni lo corrige");
    await expect.poll(() => buttonColour(preview(page, "card-faults"))).toBe("rgb(11, 107, 97)");
    await accent(page).fill("#767676");
    await expect(contrast.getByRole("status")).toContainText("Alcanza. El texto blanco sobre #767676 tiene 4,54:1");
    await expect.poll(() => buttonColour(preview(page, "card-faults"))).toBe("rgb(118, 118, 118)");

    await accent(page).fill("verde");
    await expect(page.getByText("Escríbelo como #0a7d55.")).toBeVisible();
    await hasNoFaults(page);
    await accent(page).blur();
    await expect(accent(page)).toHaveValue("#767676");
  },
);

test(
  "the copied code makes a partner's page mount the checkout with that appearance",
  short("partner"),
  async ({ page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(
      "/#/apariencia?accent=%236a1b9a&radius=none&font=humanist&density=compact&labels=inside&color_scheme=dark",
    );
    await page.getByRole("button", { name: "Copiar el código" }).click();
    await expect(page.getByText("Copiado.")).toBeVisible();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`${productUrls().widgetHostUrl}/embed/v1.js`);

    const partner = await openTestOrigin();
    const tenant = await createTenant([partner.origin]);
    const url = JSON.stringify(await createCheckoutUrl(tenant, newPatient()));
    const html = `<!doctype html><html lang="es"><title>Una clínica</title><h1>Una clínica</h1><div id="checkout"></div>
    <script type="module">const url = ${url};\n${copied}</script></html>`;
    await page.goto(partner.put("/", { html }));
    const frame = page.locator("iframe").contentFrame().locator(".aapd-frame");
    for (const [name, value] of [
      ["radius", "none"],
      ["font", "humanist"],
      ["density", "compact"],
      ["labels", "inside"],
      ["scheme", "dark"],
    ] as const) {
      await expect(frame).toHaveAttribute(`data-${name}`, value);
    }
    await expect.poll(() => buttonColour(frame)).toBe(LIFTED["#6a1b9a"]);
    await partner.close();
  },
);

test("the playground works by keyboard alone, and fits a phone", short("partner"), async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 780 });
  await page.goto("/#/apariencia");
  await accent(page).focus();
  for (const name of ["Elegir el acento", "Bordes", "Letra", "Densidad"]) {
    await page.keyboard.press("Tab");
    await expect(page.getByLabel(name)).toBeFocused();
  }
  await page.keyboard.press("ArrowDown");
  await expect(snippet(page)).toHaveValue(/density: "compact"/);
  await expect(page.getByLabel("Densidad")).toBeFocused();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await hasNoFaults(page);
});
