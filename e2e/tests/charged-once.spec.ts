import { CARDS } from "../kit/cards.ts";
import { CheckoutPage } from "../kit/checkout-page.ts";
import { newPatient } from "../kit/patients.ts";
import { short } from "../support/levels.ts";
import { createCheckoutUrl, createTenant, productUrls } from "../support/tenant.ts";
import { expect, test } from "../support/test.ts";

test(
  "twenty clicks on Pagar and a lost answer make one charge, and the screen ends in Listo",
  short("patient"),
  async ({ page }) => {
    const tenant = await createTenant([]);
    const patient = newPatient();
    const url = await createCheckoutUrl(tenant, patient);
    const hash = new URL(url).searchParams.get("order_token");
    await page.goto(url);
    const checkout = new CheckoutPage(page);
    await checkout.acceptSummary();
    await checkout.register(patient);
    await checkout.proveIdentity(patient.documentSerial);
    await checkout.addCard(CARDS.approved);
    await expect(checkout.heading("Revisa y paga")).toBeVisible();
    await checkout.acceptConsents();

    const keys: (string | undefined)[] = [];
    await page.route("**/orders/*/payment", async (route) => {
      keys.push(route.request().headers()["idempotency-key"]);
      if (keys.length > 1) return route.continue();
      // The service receives the request and charges, but its answer never returns.
      await route.fetch();
      await route.abort("connectionreset");
    });
    await page.getByRole("button", { name: /^Pagar/ }).evaluate((button: HTMLElement) => {
      for (let click = 0; click < 20; click += 1) button.click();
    });
    await checkout.isDone();

    expect(keys[0]).toBeTruthy();
    expect(new Set(keys).size).toBe(1);
    const answer = await fetch(`${productUrls().orderApiUrl}/orders/${hash}`, {
      headers: { authorization: `Bearer ${tenant.credentials.client_secret}` },
    });
    expect(await answer.json()).toMatchObject({
      status: "paid",
      captured_amount: 11_697,
      payments: [{ kind: "first", status: "captured", amount: 11_697 }],
    });
  },
);
