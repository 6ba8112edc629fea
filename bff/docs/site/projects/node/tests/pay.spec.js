import { CARDS, CheckoutFrame, newPatient } from "@aapd/e2e";
import { expect, test } from "@playwright/test";

test("a patient pays, the webhook arrives, and the receipt is submitted", async ({ page }) => {
  const patient = newPatient();
  await page.goto("/");
  await page.getByLabel("RUT").fill(patient.rut);
  await page.getByRole("button", { name: "Pagar" }).click();
  const checkout = new CheckoutFrame(page);
  await checkout.isOpen();
  await checkout.acceptSummary();
  await checkout.register(patient, "Colmena");
  await checkout.proveIdentity(patient.documentSerial);
  await checkout.addCard(CARDS.approved);
  await checkout.pay();
  await checkout.isDone();
  await expect(page.getByText("Pagada. Boleta enviada.")).toBeVisible({ timeout: 30_000 });
});

test("a forged webhook is refused", async ({ request }) => {
  const headers = { "webhook-id": "1", "webhook-timestamp": "1", "webhook-signature": "v1,forged" };
  expect((await request.post("/webhooks", { data: {}, headers })).status()).toBe(401);
});

test("a RUT with a wrong check digit is named", async ({ page }) => {
  await page.goto("/");
  await page.getByLabel("RUT").fill("11.111.111-2");
  await page.getByRole("button", { name: "Pagar" }).click();
  await expect(page.getByText("Revisa el RUT.")).toBeVisible();
});
