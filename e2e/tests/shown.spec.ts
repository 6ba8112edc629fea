import type { Page } from "@playwright/test";
import { CARDS } from "../kit/cards.ts";
import { CheckoutPage } from "../kit/checkout-page.ts";
import { newPatient } from "../kit/patients.ts";
import { short } from "../support/levels.ts";
import { createCheckoutUrl, createTenant } from "../support/tenant.ts";
import { expect, test } from "../support/test.ts";

/*
 * What counts as shown to the patient, as evidence of the texts that they accept. Mail scanners and link previews open
 * links, and some run the page's scripts. Only a person's actions on the page count.
 */

const REPORT = "/api/spot/widget/shown";

/** The purposes of the texts in each report of a page. */
function reportsOf(page: Page): string[][] {
  const reports: string[][] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname !== REPORT) return;
    const { texts }: { texts: { purpose: string }[] } = request.postDataJSON();
    reports.push(texts.map(({ purpose }) => purpose));
  });
  return reports;
}

/** Waits until React has hydrated the page, so that all its initial work is done. */
async function isHydrated(page: Page): Promise<void> {
  const button = page.locator("#app button").first();
  await expect
    .poll(() => button.evaluate((element) => Object.keys(element).some((key) => key.startsWith("__react"))))
    .toBe(true);
  await page.waitForLoadState("networkidle");
}

/** Everything that a script can do to imitate a person. */
async function actByScript(page: Page): Promise<void> {
  await page.evaluate(() => {
    scrollTo(0, document.body.scrollHeight);
    document.querySelector("input")?.focus();
    for (const event of [
      new PointerEvent("pointerdown", { bubbles: true }),
      new KeyboardEvent("keydown", { key: "Tab", bubbles: true }),
      new WheelEvent("wheel", { deltaY: 100, bubbles: true }),
      new MouseEvent("click", { bubbles: true }),
    ])
      document.body.dispatchEvent(event);
    document.querySelector("summary")?.click();
  });
  await page.waitForLoadState("networkidle");
}

test(
  "a scanner's scripted acts do not count as showing a text; a later patient's act does",
  short("patient"),
  async ({ page, browser }) => {
    const patient = newPatient();
    const url = await createCheckoutUrl(await createTenant([]), patient);
    const scanner = await (await browser.newContext()).newPage();
    const scanned = reportsOf(scanner);
    await scanner.goto(url);
    await isHydrated(scanner);
    await actByScript(scanner);
    expect(scanned).toEqual([]);
    await scanner.context().close();

    const reports = reportsOf(page);
    await page.goto(url);
    await isHydrated(page);
    expect(reports).toEqual([]);
    const checkout = new CheckoutPage(page);
    await checkout.acceptSummary();
    await checkout.register(patient, "Colmena", null);
    await checkout.proveIdentity(patient.documentSerial);
    await expect(checkout.heading("Tu tarjeta")).toBeVisible();
    expect(reports[0]).toEqual([]);
    // The text about the isapre's password is only shown to a patient who enters one.
    expect(reports.flat().toSorted()).toEqual(["claim_mandate", "health_data"]);
    await checkout.addCard(CARDS.approved);
    await checkout.pay();
    await checkout.isDone();
    expect(reports.flat().toSorted()).toEqual(["claim_mandate", "health_data", "later_charge", "terms_and_credit"]);
  },
);

test(
  "a prerendered page is not reported before it is shown and the patient acts",
  short("patient"),
  async ({ page }) => {
    const url = await createCheckoutUrl(await createTenant([]), newPatient());
    const reports = reportsOf(page);
    await page.addInitScript(() => {
      let isPrerendering = true;
      Object.defineProperty(document, "prerendering", { get: () => isPrerendering });
      Reflect.set(window, "show", () => {
        isPrerendering = false;
        document.dispatchEvent(new Event("prerenderingchange"));
      });
    });
    await page.goto(url);
    await isHydrated(page);
    await page.mouse.wheel(0, 200);
    await page.waitForLoadState("networkidle");
    expect(reports).toEqual([]);
    await page.evaluate(() => Reflect.get(window, "show")());
    await page.waitForLoadState("networkidle");
    expect(reports).toEqual([]);
    await page.mouse.wheel(0, -200);
    await expect.poll(() => reports.length).toBe(1);
  },
);
