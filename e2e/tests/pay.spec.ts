import { CARDS } from "../kit/cards.ts";
import { newPatient } from "../kit/patients.ts";
import { short } from "../support/levels.ts";
import { expect, test } from "../support/test.ts";

test(
  "a new patient pays, and the clinic learns it from the signed webhook and submits the receipt",
  short("patient"),
  async ({ clinic, checkAccessibility }) => {
    const patient = newPatient();
    await clinic.startCheckout(patient);
    await checkAccessibility();
    await clinic.checkout.acceptSummary();
    await checkAccessibility();
    await clinic.checkout.register(patient, "Colmena", "clave-de-prueba");
    // Driven over BiDi, Firefox reports the typed password only when its field loses the focus: its consent follows.
    await clinic.checkout.acceptConsents();
    await checkAccessibility();
    await clinic.checkout.proveIdentity(patient.documentSerial);
    await expect(clinic.checkout.heading("Tu tarjeta")).toBeVisible();
    await checkAccessibility();
    await clinic.checkout.addCard(CARDS.approved);
    await expect(clinic.checkout.heading("Revisa y paga")).toBeVisible();
    await checkAccessibility();
    await clinic.checkout.pay();
    await clinic.checkout.isDone();
    await checkAccessibility();
    await clinic.isPaid();
    await expect(clinic.happenings("webhook_received")).toHaveCount(1);
    await expect(clinic.happenings("receipt_submitted")).toHaveCount(1);
    await expect(clinic.happenings("frame").first()).toContainText("marco está listo");
    await expect(clinic.happenings("frame").filter({ hasText: "Paso 4 de 4: revisa y paga." })).toHaveCount(1);
    await clinic.hasClaim("filed");
  },
);

test(
  "a known patient types no data again, may continue without a code, and may have an address in any alphabet",
  short("patient"),
  async ({ clinic }) => {
    const known = newPatient();
    const patient = { ...known, email: known.email.replace("paciente", "ñandú").replace("example.com", "ñandú.cl") };
    await clinic.startCheckout(patient);
    await clinic.checkout.acceptSummary();
    await clinic.checkout.register(patient);
    // Until then the registration has no effect, because anyone could have made it.
    await clinic.checkout.proveIdentity(patient.documentSerial);
    await expect(clinic.checkout.heading("Tu tarjeta")).toBeVisible();

    await clinic.startCheckout(patient, "medicina-general");
    await clinic.checkout.skipRecognition();
    await clinic.checkout.proveIdentity(patient.documentSerial);
    await clinic.checkout.addCard(CARDS.approved);
    await clinic.checkout.pay();
    await clinic.checkout.isDone();
    await clinic.isPaid();
  },
);
