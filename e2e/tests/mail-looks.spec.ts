import { expect, type Page } from "@playwright/test";
import { axeFindings } from "../support/axe-in-page.ts";
import { PHONE, test } from "../support/gallery.ts";
import { long, PICTURE } from "../support/levels.ts";
import { brokenNumbers } from "../support/numbers-in-page.ts";
import { productUrls } from "../support/tenant.ts";

/* The sandbox's gallery of mails and documents. */

const NARROWEST_PX = 320;
/** Landmarks and a main heading belong to the mail program, which puts a mail into its own page. */
const WCAG = { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] };

test(
  "every mail fits the smallest phone, breaks no number, shows its logo and passes axe, light and dark",
  long(PICTURE),
  async ({ gallery: page }) => {
    test.setTimeout(600_000);
    const { mailsGalleryUrl } = productUrls();
    await page.goto(mailsGalleryUrl);
    expect(await axeFindings(page)).toEqual([]);
    const paths = await page
      .locator("iframe[sandbox]")
      .evaluateAll((frames) => frames.map((frame) => frame.getAttribute("src") ?? ""));
    expect(paths.length).toBeGreaterThan(50);
    const faults: string[] = [];
    await page.setViewportSize({ ...PHONE, width: NARROWEST_PX });
    for (const path of paths) {
      await page.goto(new URL(path, mailsGalleryUrl).href);
      faults.push(...(await faultsOf(page)).map((fault) => `${path}: ${fault}`));
    }
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: "light" });
    expect(faults).toEqual([]);
  },
);

async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.emulateMedia({ colorScheme: "light" });
  const { overflow, logoWidth } = await page.evaluate(() => ({
    overflow: document.documentElement.scrollWidth - innerWidth,
    logoWidth: document.querySelector<HTMLImageElement>("img.logo")?.naturalWidth ?? 0,
  }));
  const broken = await page.evaluate(brokenNumbers, false);
  const light = await axeFindings(page, WCAG);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await axeFindings(page, { runOnly: ["color-contrast"] });
  return [
    ...(overflow > 0 ? [`${overflow} px too wide`] : []),
    ...(logoWidth > 0 ? [] : ["no logo"]),
    ...broken.map((number) => `${number} is broken`),
    ...light,
    ...dark.map((finding) => `dark: ${finding}`),
  ];
}
