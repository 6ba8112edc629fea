import type { Page, Route } from "@playwright/test";
import { CheckoutPage } from "../kit/checkout-page.ts";
import { newPatient } from "../kit/patients.ts";
import { short } from "../support/levels.ts";
import { createCheckoutUrl, createTenant, productUrls } from "../support/tenant.ts";
import { expect, test } from "../support/test.ts";

test(
  "buttons pressed before the scripts have loaded take effect once they have, the language too",
  short("patient"),
  async ({ page }) => {
    const tenant = await createTenant([]);
    const url = await createCheckoutUrl(tenant, newPatient());
    const held: Route[] = [];
    await page.route("**/assets/index-*.js", (route) => void held.push(route));
    await page.goto(url, { waitUntil: "commit" });
    // Nothing can handle them yet, so they must not leave the page.
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("button", { name: "Continuar" }).click();

    await expect.poll(() => held.length).toBeGreaterThan(0);
    for (const route of held) await route.continue();
    await expect(page.getByRole("heading", { name: "Your details" })).toBeVisible();
  },
);

test(
  "a checkout on a wide page looks the same before and after its scripts run, framed and standalone",
  short("patient"),
  async ({ clinic, page }) => {
    const held: Route[] = [];
    let areHeld = true;
    await page.route(`${productUrls().widgetHostUrl}/assets/index-*.js`, (route) =>
      areHeld ? void held.push(route) : route.continue(),
    );
    await clinic.startCheckout(newPatient());
    const framed = clinic.checkout.frame.locator(".aapd-frame");
    await expect(framed).toHaveAttribute("data-standalone", "false");
    await expect(framed).toHaveCSS("padding-top", "0px");
    await expect.poll(() => held.length).toBeGreaterThan(0);

    const frame = page.frame({ url: /widget_token=/ });
    const url = frame?.url() ?? "";
    // The page has requested the checkout before the press, and may request it again.
    areHeld = false;
    for (const route of held.splice(0)) await route.continue();
    await clinic.checkout.acceptSummary();
    await expect(framed).toHaveCSS("padding-top", "0px");

    areHeld = true;
    await page.goto(url, { waitUntil: "commit" });
    const alone = page.locator(".aapd-frame");
    await expect(alone).toHaveAttribute("data-standalone", "true");
    await expect(alone).toHaveCSS("padding-top", "32px");
    for (const route of held) await route.continue();
  },
);

test(
  "a fold that is opened and closed while React takes over stays as the patient left it",
  short("patient"),
  async ({ page }) => {
    const tenant = await createTenant([]);
    const url = await createCheckoutUrl(tenant, newPatient());
    // Presses at every moment of the hydration, by the page's own timer. The last press leaves the fold open.
    await page.addInitScript(() => {
      let presses = 0;
      const timer = setInterval(() => {
        const title = document.querySelector<HTMLElement>("details > summary");
        const fold = title?.closest("details");
        if (!title || !fold) return;
        title.click();
        presses += 1;
        const isTaken = Object.keys(title).some((key) => key.startsWith("__reactProps$"));
        if (fold.open !== (presses % 2 === 1)) document.documentElement.dataset.lost = String(presses);
        if (isTaken && presses > 20 && presses % 2 === 1) {
          clearInterval(timer);
          document.documentElement.dataset.presses = String(presses);
        }
      });
    });
    await page.goto(url);
    await page.locator("html[data-presses]").waitFor();
    expect(await page.locator("html").getAttribute("data-lost")).toBeNull();
    await expect(page.locator("details").first()).toHaveAttribute("open");
  },
);

/** The first request for a script fails, as on a phone that has briefly lost its network. */
async function loseOnce(page: Page, url: string): Promise<void> {
  await page.route(url, (route) => route.abort(), { times: 1 });
}

test(
  "a page whose script does not load says so, and works once it is loaded again",
  short("patient"),
  async ({ page }) => {
    await loseOnce(page, "**/assets/index-*.js");
    await page.goto(await createCheckoutUrl(await createTenant([]), newPatient()));
    const notice = page.getByRole("alert");
    await expect(notice).toBeInViewport();
    await expect(notice).toContainText("No pudimos terminar de abrir esta página.");
    await expect(notice).not.toContainText("We could not", { useInnerText: true });
    await notice.getByRole("link", { name: "vuelve a cargarla" }).click();
    const checkout = new CheckoutPage(page);
    await checkout.acceptSummary();
    await expect(checkout.heading("Tus datos")).toBeVisible();
    await expect(notice).toHaveCount(0);
  },
);

test("an error page whose own script does not load says so too", short("patient"), async ({ page }) => {
  await loseOnce(page, "**/assets/checkout-module-*.js");
  await page.goto(`${productUrls().widgetHostUrl}/?widget_token=3f2504e0-4f89-41d3-9a0c-0305e82c3301`);
  await expect(page.getByRole("alert")).toContainText("vuelve a cargarla");
  await page.getByRole("link", { name: "vuelve a cargarla" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test(
  "trying again after the next screens failed to load once continues the checkout",
  short("patient"),
  async ({ page }) => {
    await loseOnce(page, "**/assets/checkout-module-*.js");
    await page.goto(await createCheckoutUrl(await createTenant([]), newPatient()));
    const checkout = new CheckoutPage(page);
    await checkout.acceptSummary();
    await expect(checkout.heading("No pudimos conectarnos")).toBeVisible();
    await page.getByRole("button", { name: "Reintentar" }).click();
    await expect(checkout.heading("Tus datos")).toBeVisible();
  },
);

test(
  "trying again reloads the page if the browser keeps treating the next screens as failed",
  short("patient"),
  async ({ page }) => {
    let documents = 0;
    page.on("request", (request) => {
      if (request.isNavigationRequest()) documents += 1;
    });
    await page.route("**/assets/checkout-module-*.js", (route) => (documents > 1 ? route.continue() : route.abort()));
    await page.goto(await createCheckoutUrl(await createTenant([]), newPatient()));
    const checkout = new CheckoutPage(page);
    await checkout.acceptSummary();
    await expect(checkout.heading("No pudimos conectarnos")).toBeVisible();
    // Without a network the page stays, and can be tried again.
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Reintentar" }).click();
    await expect(page.getByText("Cargando…")).toHaveCount(0);
    await expect(checkout.heading("No pudimos conectarnos")).toBeVisible();
    await page.context().setOffline(false);
    await page.getByRole("button", { name: "Reintentar" }).click();
    await expect(checkout.heading("Tus datos")).toBeVisible();
  },
);
