import type { Route } from "@playwright/test";
import { CheckoutPage } from "../kit/checkout-page.ts";
import { newPatient } from "../kit/patients.ts";
import { createCheckoutUrl, createTenant, productUrls } from "../support/tenant.ts";
import { expect, test } from "../support/test.ts";

test("what is ticked and pressed before the scripts have come counts once they are there", async ({ page }) => {
  const tenant = await createTenant([]);
  const url = await createCheckoutUrl(tenant, newPatient());
  const held: Route[] = [];
  await page.route("**/assets/index-*.js", (route) => void held.push(route));
  await page.goto(url, { waitUntil: "commit" });
  const box = page.getByRole("checkbox").first();
  await box.check();
  // Nobody can act on it yet: it must not leave the page.
  await page.getByRole("button", { name: "Continuar" }).click();
  await expect(box).toBeChecked();

  await expect.poll(() => held.length).toBeGreaterThan(0);
  for (const route of held) await route.continue();
  const checkout = new CheckoutPage(page);
  await expect(checkout.heading("Tus datos y tu isapre")).toBeVisible();
});

test("a checkout on a wide page has the look that it keeps before any script, framed and as a page of its own", async ({
  clinic,
  page,
}) => {
  const held: Route[] = [];
  await page.route(`${productUrls().widgetHostUrl}/assets/index-*.js`, (route) => void held.push(route));
  await clinic.startCheckout(newPatient());
  const framed = clinic.checkout.frame.locator(".aapd-frame");
  await expect(framed).toHaveAttribute("data-standalone", "false");
  await expect(framed).toHaveCSS("padding-top", "0px");
  await expect.poll(() => held.length).toBeGreaterThan(0);

  const frame = page.frame({ url: /widget_token=/ });
  const url = frame?.url() ?? "";
  for (const route of held.splice(0)) await route.continue();
  await clinic.checkout.acceptSummary();
  await expect(framed).toHaveCSS("padding-top", "0px");

  await page.goto(url, { waitUntil: "commit" });
  const alone = page.locator(".aapd-frame");
  await expect(alone).toHaveAttribute("data-standalone", "true");
  await expect(alone).toHaveCSS("padding-top", "32px");
  for (const route of held) await route.continue();
});

test("a box that is ticked and unticked while React takes over is as the patient left it", async ({ page }) => {
  const tenant = await createTenant([]);
  const url = await createCheckoutUrl(tenant, newPatient());
  // Presses at every moment of the take-over: by the page's own timer, the last one leaves the box ticked.
  await page.addInitScript(() => {
    let presses = 0;
    const timer = setInterval(() => {
      const box = document.querySelector<HTMLInputElement>("input[type=checkbox]");
      if (box === null) return;
      box.click();
      presses += 1;
      const isTaken = Object.keys(box).some((key) => key.startsWith("__reactProps$"));
      if (box.checked !== (presses % 2 === 1)) document.documentElement.dataset.lost = String(presses);
      if (isTaken && presses > 20 && presses % 2 === 1) {
        clearInterval(timer);
        document.documentElement.dataset.presses = String(presses);
      }
    });
  });
  await page.goto(url);
  await page.locator("html[data-presses]").waitFor();
  expect(await page.locator("html").getAttribute("data-lost")).toBeNull();
  await expect(page.getByRole("checkbox").first()).toBeChecked();
});

test("what seals a card has come while the patient still reads the first screen", async ({ page }) => {
  const tenant = await createTenant([]);
  const sealing = page.waitForResponse(/\/assets\/webapi-[^/]+\.js$/);
  await page.goto(await createCheckoutUrl(tenant, newPatient()));
  expect((await sealing).ok()).toBe(true);
  await expect(new CheckoutPage(page).heading("Atiéndete ahora, paga después")).toBeVisible();
});
