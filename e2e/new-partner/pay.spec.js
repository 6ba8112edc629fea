// @ts-check
import { CARDS, CheckoutFrame, newPatient } from "@aapd/e2e";
import { expect, test } from "@playwright/test";

test("a patient pays, and the webhook and both receipts arrive", async ({ page, request }) => {
  const patient = newPatient();
  await page.goto(`/?rut=${patient.rut}`);
  const checkout = new CheckoutFrame(page);
  await checkout.isOpen();
  await checkout.acceptSummary();
  await checkout.register(patient, "Colmena");
  await checkout.proveIdentity(patient.documentSerial);
  await checkout.addCard(CARDS.approved);
  await checkout.pay();
  await checkout.isDone();
  await expect
    .poll(async () => (await request.get("/sale")).json(), { timeout: 30_000 })
    .toMatchObject({ webhook: "order.paid", receipt: "paid 45952", expense: expect.stringMatching(/./) });
});
