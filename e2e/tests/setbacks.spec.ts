import { CARDS } from "../kit/cards.ts";
import { newPatient } from "../kit/patients.ts";
import { expect, test } from "../support/test.ts";

test("a reload in the middle comes back to the same step, and what was done stays done", async ({ clinic, page }) => {
  const patient = newPatient();
  await clinic.startCheckout(patient);
  await clinic.checkout.acceptSummary();
  await clinic.checkout.register(patient);
  await clinic.checkout.proveIdentity(patient.documentSerial);
  await expect(clinic.checkout.heading("Tu tarjeta")).toBeVisible();
  await page.reload();
  await clinic.checkout.addCard(CARDS.approved);
  await clinic.checkout.pay();
  await clinic.checkout.isDone();
  await clinic.isPaid();
});

test("a declined card is explained, and another one pays", async ({ clinic }) => {
  const patient = newPatient();
  await clinic.startCheckout(patient);
  await clinic.checkout.acceptSummary();
  await clinic.checkout.register(patient);
  await clinic.checkout.proveIdentity(patient.documentSerial);
  await clinic.checkout.addCard(CARDS.declined);
  await clinic.checkout.pay();
  await expect(clinic.checkout.alert).toContainText("Tu banco no aprobó la tarjeta");
  await clinic.checkout.changeCard(CARDS.approved);
  await clinic.checkout.pay();
  await clinic.checkout.isDone();
  await clinic.isPaid();
});

test("a wrong document number is explained, and the right one goes on", async ({ clinic }) => {
  const patient = newPatient();
  await clinic.startCheckout(patient);
  await clinic.checkout.acceptSummary();
  await clinic.checkout.register(patient);
  await clinic.checkout.proveIdentity("12345");
  await expect(clinic.checkout.alert).toContainText("9 dígitos");
  await clinic.checkout.proveIdentity(patient.documentSerial);
  await expect(clinic.checkout.heading("Tu tarjeta")).toBeVisible();
});
