import { expect, type Page } from "@playwright/test";
import { axeFindings } from "../support/axe-in-page.ts";
import { BASELINE_FONT, galleryStates, PHONE, showState, showsState, test } from "../support/gallery.ts";
import { long, PICTURE } from "../support/levels.ts";
import { expectLook } from "../support/look.ts";
import { boxesWithoutBorder, brokenNumbers, putLargestAmounts, unalignedAmounts } from "../support/numbers-in-page.ts";
import { styleModules, stylesByOrder } from "../support/style-order.ts";

const SPANISH = { locale: "es-CL" };
const COLOURS_ALONE = { runOnly: ["color-contrast"] };

/** Every state of every screen, as the gallery shows it: its picture, and the findings of axe. */
function looksAsItDid(state: string): void {
  test(`${state} looks unchanged, light and dark, and axe finds nothing`, long(PICTURE), async ({ gallery: page }) => {
    for (const scheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      if (scheme === "light") await showState(page, state, SPANISH);
      await expectLook(page, scheme, state);
      // The other scheme only differs in colours.
      expect(await axeFindings(page, scheme === "light" ? {} : COLOURS_ALONE)).toEqual([]);
    }
  });
}

function wordsOf(look: Record<string, string>): string {
  const words = Object.entries(look).map(([name, value]) => `, ${name} ${value}`);
  return words.join("");
}

const PHONE_WIDTHS = [390, 360, 320];
const TEXT_SIZES = ["100%", "130%", "200%"];

function fitsEveryPhone(state: string, look: Record<string, string> = {}): void {
  test(
    `${state}${wordsOf(look)} fits phones at every text size, no number broken, amounts in line`,
    long(PICTURE),
    async ({ gallery: page }) => {
      const faults: string[] = [];
      for (const locale of ["es-CL", "en"]) {
        const query = { locale, ...look };
        if (!showsState(page, state, query)) await showState(page, state, query);
        const measure = async (width: number, amounts = "") => {
          for (const size of TEXT_SIZES) {
            const found = [...(await misfits(page, size)), ...(await page.evaluate(unalignedAmounts))];
            faults.push(...found.map((fault) => `${locale}, ${width} px, ${size}${amounts}: ${fault}`));
          }
        };
        for (const width of PHONE_WIDTHS) {
          await page.setViewportSize({ ...PHONE, width });
          await measure(width);
        }
        if (look.labels === "inside") faults.push(...(await page.evaluate(coveredByLabels)));
        await page.evaluate(putLargestAmounts);
        await measure(320, ", largest amounts");
        faults.push(...(await page.evaluate(boxesWithoutBorder)).map((box) => `forced colours drop ${box}`));
      }
      await page.setViewportSize(PHONE);
      expect(faults).toEqual([]);
    },
  );
}

const STYLE_MODULES = styleModules();

function looksTheSameInAnyOrder(state: string, look: Record<string, string> = {}): void {
  test(
    `${state}${wordsOf(look)} looks the same in any order of its style modules`,
    long(PICTURE),
    async ({ gallery: page }) => {
      const query = { locale: "en", ...look };
      if (!showsState(page, state, query)) await showState(page, state, query);
      expect(await page.evaluate(stylesByOrder, STYLE_MODULES)).toEqual([]);
    },
  );
}

/** The elements that overflow once everything is open, at one of the browser's text sizes. */
async function misfits(page: Page, fontSize: string): Promise<readonly string[]> {
  const overflow = await page.evaluate(async (size) => {
    const { documentElement } = document;
    documentElement.style.fontSize = size;
    for (const details of document.querySelectorAll("details")) details.open = true;
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    // An element whose size is still in transition would be measured at its initial size.
    await Promise.all(document.getAnimations().map(({ finished }) => finished));
    return documentElement.scrollWidth - innerWidth;
  }, fontSize);
  const broken = await page.evaluate(brokenNumbers, true);
  // Horizontal scrolling, which must never be necessary (WCAG 2.2, 1.4.10).
  return [...(overflow > 0 ? [`${overflow} px too wide`] : []), ...broken.map((number) => `${number} is broken`)];
}

for (const state of galleryStates()) {
  test.describe(() => {
    // The tests run one after the other in one page, because later ones measure the state that the first one has shown.
    test.describe.configure({ mode: "default" });
    looksAsItDid(state);
    fitsEveryPhone(state);
    looksTheSameInAnyOrder(state);
  });
}

/** Runs in the page: the fields whose label overlaps the typed text or an adjacent element. */
function coveredByLabels(): readonly string[] {
  return [...document.querySelectorAll<HTMLLabelElement>("label[for]")].flatMap((label) => {
    const control = label.control;
    if (!(control instanceof HTMLInputElement || control instanceof HTMLSelectElement)) return [];
    if (control.type === "checkbox" || control.type === "radio") return [];
    const text = document.createRange();
    text.selectNodeContents(label);
    const letters = text.getBoundingClientRect();
    const box = control.getBoundingClientRect();
    const { borderTopWidth, paddingTop } = getComputedStyle(control);
    const valueTop = box.top + Number.parseFloat(borderTopWidth) + Number.parseFloat(paddingTop);
    const isAtRest = control.value === "" && control !== document.activeElement;
    const siblings = [...(control.parentElement?.children ?? [])].filter((element) => element !== control);
    const isCovered = siblings.some((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      return letters.right > left && letters.left < right && letters.bottom > top + 1 && letters.top < bottom;
    });
    return (!isAtRest && letters.bottom > valueTop + 1) || isCovered ? [control.id] : [];
  });
}

/** Appearances that move elements: their pictures, the findings of axe, target sizes, and whether everything fits. */
const LOOKS = [
  {
    name: "compact",
    look: { density: "compact" },
    states: ["summary", "patient", "card", "review", "done", "my-data"],
  },
  {
    name: "labels-inside",
    look: { labels: "inside" },
    states: ["patient", "patient-faults", "patient-with-access", "identity", "recovery-code", "card", "card-faults"],
  },
  {
    name: "compact-labels-inside",
    look: { density: "compact", labels: "inside" },
    states: ["patient-faults", "card-typed", "insurer-access-form"],
  },
] as const;
for (const { name, look, states } of LOOKS) {
  for (const state of states) {
    test.describe(() => {
      test.describe.configure({ mode: "default" });
      test(
        `${state}${wordsOf(look)} looks unchanged, and axe finds nothing, light and dark`,
        long(PICTURE),
        async ({ gallery: page }) => {
          for (const scheme of ["light", "dark"] as const) {
            await page.emulateMedia({ colorScheme: scheme });
            if (scheme === "light") {
              await showState(page, state, { ...SPANISH, ...look });
              await expectLook(page, name, state);
              expect(await page.evaluate(coveredByLabels)).toEqual([]);
            }
            expect(await axeFindings(page, { rules: { "target-size": { enabled: true } } }), scheme).toEqual([]);
          }
          await page.emulateMedia({ colorScheme: "light" });
          for (const button of await page.locator("form > div > button[type=submit]").all()) {
            expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
          }
        },
      );
      fitsEveryPhone(state, look);
      looksTheSameInAnyOrder(state, look);
    });
  }
}

test(
  "a label inside its field moves up for the caret and for typed text, and returns",
  long(PICTURE),
  async ({ gallery: page }) => {
    await showState(page, "card", { ...SPANISH, labels: "inside" });
    const field = page.getByRole("textbox", { name: "Nombre en la tarjeta" });
    const label = page.getByText("Nombre en la tarjeta", { exact: true });
    const places = async () => {
      const [letters, box] = [await label.boundingBox(), await field.boundingBox()];
      return letters === null || box === null ? NaN : letters.y + letters.height / 2 - (box.y + box.height / 2);
    };
    expect(Math.abs(await places())).toBeLessThan(4);
    // A press on the label inside the field is a press on the field.
    await label.click({ force: true });
    await expect(field).toBeFocused();
    expect(await places()).toBeLessThan(-8);
    expect(await page.evaluate(coveredByLabels)).toEqual([]);
    await field.fill("CAMILA ROJAS");
    await field.blur();
    expect(await places()).toBeLessThan(-8);
    await field.fill("");
    await field.blur();
    expect(Math.abs(await places())).toBeLessThan(4);
  },
);

for (const state of ["summary", "card", "paying"]) {
  test(`${state} does not move when reduced motion is set`, long(PICTURE), async ({ gallery: page }) => {
    await showState(page, state);
    const motions = await page.evaluate(() => {
      document.documentElement.style.fontSize = "200%";
      return document.getAnimations().map((motion) => ({
        isTransition: motion instanceof CSSTransition,
        endsAfterMs: Number(motion.effect?.getComputedTiming().endTime),
      }));
    });
    // Spinning elements make one turn of a millisecond, and all changes are instant.
    expect(motions.filter(({ isTransition, endsAfterMs }) => isTransition || endsAfterMs > 1)).toEqual([]);
  });
}

test("a focused heading shows no ring", long(PICTURE), async ({ gallery: page }) => {
  await showState(page, "patient");
  // After a key press, browsers show the focus wherever a script puts it.
  await page.keyboard.press("Tab");
  const heading = page.getByRole("heading", { level: 1 });
  await heading.focus();
  await expect(heading).toHaveCSS("outline-style", "none");
});

const ACCENTS = ["#767676", "#000000", "#0000ff", "#c2185b", "#ffd400"];
for (const accent of ACCENTS) {
  test(`every word can be read with the accent ${accent}, light and dark`, long(PICTURE), async ({ gallery: page }) => {
    for (const state of ["summary", "review-consent-missing", "done"]) {
      for (const scheme of ["light", "dark"]) {
        await showState(page, state, { accent, scheme });
        expect(await axeFindings(page, COLOURS_ALONE), `${state}, ${scheme}`).toEqual([]);
      }
    }
  });
}

for (const state of ["summary", "review-consent-missing", "card-faults", "done"]) {
  test(
    `${state} in forced colours shows ticked boxes and errors distinctly`,
    long(PICTURE),
    async ({ gallery: page }) => {
      await page.emulateMedia({ colorScheme: "light", forcedColors: "active" });
      await showState(page, state);
      await expectLook(page, "forced-colours", state);
      await page.emulateMedia({ forcedColors: "none" });
    },
  );
}

test("a printed receipt shows the second charge, and no buttons", long(PICTURE), async ({ gallery: page }) => {
  await page.emulateMedia({ colorScheme: "light", media: "print" });
  await showState(page, "done");
  for (const button of await page.getByRole("button").all()) await expect(button).toBeHidden();
  await expect(page.getByRole("heading", { name: "Comprobante" })).toBeVisible();
  await expectLook(page, "print", "done");
  await page.emulateMedia({ media: "screen" });
});

test("the font of the baselines is on this machine", long(PICTURE), async ({ gallery: page }) => {
  await showState(page, "summary");
  const widths = await page.evaluate((family) => {
    const pen = document.createElement("canvas").getContext("2d");
    return [`"${family}", monospace`, "monospace"].map((font) => {
      if (pen !== null) pen.font = `40px ${font}`;
      return pen?.measureText("Atiéndete ahora, paga después").width;
    });
  }, BASELINE_FONT);
  expect(widths[0], `install ${BASELINE_FONT} (Debian: apt-get install fonts-liberation)`).not.toBe(widths[1]);
});
