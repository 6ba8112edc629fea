import { CARDS } from "../kit/cards.ts";
import { CheckoutFrame } from "../kit/checkout-frame.ts";
import { newPatient } from "../kit/patients.ts";
import { hostPage, mount, POLICIES } from "../support/host-page.ts";
import { short } from "../support/levels.ts";
import { createCheckoutUrl, createTenant, productUrls } from "../support/tenant.ts";
import { test as base, expect } from "../support/test.ts";
import { openTestOrigin, type TestOrigin } from "../support/test-pages.ts";

const BEFORE = { html: "<!doctype html><html lang=es><title>Antes</title><h1>Antes</h1></html>" };

/* The browser's Back and Forward, on a standalone checkout and on one in a frame. */

const test = base.extend<{ readonly partner: TestOrigin }>({
  partner: async ({ page: _page }, use) => {
    const partner = await openTestOrigin();
    await use(partner);
    await partner.close();
  },
});

test(
  "Back on a standalone checkout is one step back, and leaves after the payment",
  short("partner"),
  async ({ page, partner }) => {
    const patient = newPatient();
    const before = partner.put("/before", BEFORE);
    const url = await createCheckoutUrl(await createTenant([partner.origin]), patient);
    await page.goto(before);
    await page.goto(url);
    const checkout = new CheckoutFrame(page, page);
    await checkout.acceptSummary();
    await expect(checkout.heading("Tus datos")).toBeVisible();
    await page.getByRole("button", { name: "Editar" }).click();
    await page.getByLabel("Nombres").fill("Escrita Antes");
    await page.goBack();
    await expect(checkout.heading("Atiéndete ahora, paga después")).toBeVisible();
    await page.goForward();
    await expect(page.getByText("Escrita Antes")).toBeVisible();
    await checkout.register(patient);
    await checkout.proveIdentity(patient.documentSerial);
    await expect(checkout.heading("Tu tarjeta")).toBeVisible();
    await page.reload();
    await expect(checkout.heading("Tu tarjeta")).toBeVisible();
    await page.goBack();
    await expect(checkout.heading("Atiéndete ahora, paga después")).toBeVisible();
    await checkout.acceptSummary();
    await checkout.addCard(CARDS.approved);
    await checkout.pay();
    await checkout.isDone();
    await page.goBack();
    await expect(page.getByRole("heading", { name: "Antes" })).toBeVisible();
    await page.goForward();
    await expect(checkout.heading(/Este pago ya está hecho|¡Listo! Tu pago está hecho/)).toBeVisible();
  },
);

test(
  "Back on a page with a checkout is one step back in it, and leaves the page after the payment",
  short("partner"),
  async ({ page, partner }) => {
    const patient = newPatient();
    const before = partner.put("/before", BEFORE);
    const widgetHost = productUrls().widgetHostUrl;
    const host = partner.put(
      "/",
      hostPage(`${widgetHost}/embed/v1.js`, POLICIES.trustedTypes(new URL(widgetHost).origin)),
    );
    const url = await createCheckoutUrl(await createTenant([partner.origin]), patient);
    await page.goto(before);
    await page.goto(host);
    await mount(page, { url });
    const checkout = new CheckoutFrame(page);
    await checkout.acceptSummary();
    await checkout.register(patient);
    await checkout.proveIdentity(patient.documentSerial);
    await expect(checkout.heading("Tu tarjeta")).toBeVisible();
    // The browser's own Back waits for a navigation of the page, which a step in the frame is not.
    await page.evaluate(() => history.back());
    await expect(checkout.heading("Atiéndete ahora, paga después")).toBeVisible();
    expect(page.url()).toBe(host);
    await checkout.acceptSummary();
    await checkout.addCard(CARDS.approved);
    await checkout.pay();
    await checkout.isDone();
    await page.goBack();
    await expect(page.getByRole("heading", { name: "Antes" })).toBeVisible();
  },
);
