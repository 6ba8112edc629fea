import { CARDS } from "../kit/cards.ts";
import { CheckoutPage } from "../kit/checkout-page.ts";
import { newPatient } from "../kit/patients.ts";
import { short } from "../support/levels.ts";
import { moveClock } from "../support/sandbox-clock.ts";
import { createCheckoutUrl, createTenant, productUrls } from "../support/tenant.ts";
import { expect, test } from "../support/test.ts";

test("an unknown link says so, and what to do", short("patient"), async ({ page }) => {
  const { credentials } = await createTenant([]);
  const query = new URLSearchParams({
    widget_token: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    public_key: credentials.public_key,
  });
  await page.goto(`${productUrls().widgetHostUrl}/?${query}`);
  const checkout = new CheckoutPage(page);
  await expect(checkout.heading("Este enlace no existe")).toBeVisible();
});

test("an expired link says so, and claims nothing about money", short("patient"), async ({ page }) => {
  const tenant = await createTenant([]);
  const url = await createCheckoutUrl(tenant, newPatient());
  await moveClock(tenant.credentials, "61m");
  await page.goto(url);
  await expect(new CheckoutPage(page).heading("Tu sesión venció")).toBeVisible();
  await expect(page.getByText("No se cobró nada")).toHaveCount(0);
});

test("a used link shows the outcome, and cannot pay again", short("patient"), async ({ page }) => {
  const tenant = await createTenant([]);
  const patient = newPatient();
  const url = await createCheckoutUrl(tenant, patient);
  await page.goto(url);
  const checkout = new CheckoutPage(page);
  await checkout.acceptSummary();
  await checkout.register(patient);
  await checkout.proveIdentity(patient.documentSerial);
  await checkout.addCard(CARDS.approved);
  await checkout.pay();
  await checkout.isDone();
  await page.goto(url);
  await expect(checkout.heading(/Pago hecho|Este pago ya está hecho/)).toBeVisible();
  await expect(page.getByRole("button", { name: /^Pagar/ })).toHaveCount(0);
});
