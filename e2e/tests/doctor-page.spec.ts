import { payByApi } from "../support/begin-by-api.ts";
import { short } from "../support/levels.ts";
import { type OwnClinic, startOwnClinic } from "../support/own-clinic.ts";
import { test as base, expect } from "../support/test.ts";

/** A separate clinic, so that unpaid orders and missing receipts of other tests cause no findings here. */
const test = base.extend<{ readonly ownClinic: OwnClinic }>({
  ownClinic: async ({ playwright: _playwright }, use) => {
    const clinic = await startOwnClinic();
    await use(clinic);
    await clinic.stop();
  },
  baseURL: ({ ownClinic }, use) => use(ownClinic.origin),
});

test(
  "the doctor's page finds no fault in the demo's own integration once an order is paid",
  short("partner"),
  async ({ page, clinic, ownClinic, checkAccessibility }) => {
    await page.goto("/#/revision");
    const examine = page.getByRole("button", { name: "Revisar ahora" });
    await examine.click();
    // There is no event to send yet. The report says so, and gives no full score.
    await expect(page.getByText("No order has been paid yet")).toBeVisible();
    await expect(page.getByTestId("score")).toHaveText("95");
    await checkAccessibility();

    await clinic.openPurchase(await payByApi(ownClinic.origin));
    await clinic.isPaid();
    await page.goto("/#/revision");
    await examine.click();
    await expect(page.getByText("The signature is checked over the bytes as they came.")).toBeVisible();
    await expect(page.locator("[data-verdict]:not([data-verdict=fine])")).toHaveCount(0);
    await expect(page.getByTestId("score")).toHaveText("100");
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  },
);
