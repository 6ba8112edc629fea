import { CARDS } from "../kit/cards.ts";
import { newPatient } from "../kit/patients.ts";
import { short } from "../support/levels.ts";
import { test } from "../support/no-storage.ts";
import { expect } from "../support/test.ts";

test(
  "a patient pays where third-party cookies are blocked and storage is denied, a reload in the middle included",
  short("patient"),
  async ({ clinic, page }) => {
    const patient = newPatient();
    await clinic.startCheckout(patient);
    // Proves that the browser really refuses, in the frame and on the page.
    for (const frame of page.frames().slice(0, 2)) {
      const kept = await frame.evaluate(() => {
        try {
          localStorage.setItem("a", "b");
          return "kept";
        } catch (error) {
          return error instanceof DOMException ? error.name : "thrown";
        }
      });
      expect(kept, frame.url()).toBe("SecurityError");
    }
    await clinic.checkout.acceptSummary();
    await clinic.checkout.register(patient, "Colmena", "clave-de-prueba");
    await clinic.checkout.proveIdentity(patient.documentSerial);
    await expect(clinic.checkout.heading("Tu tarjeta")).toBeVisible();
    await page.reload();
    await clinic.checkout.addCard(CARDS.approved);
    await clinic.checkout.pay();
    await clinic.checkout.isDone();
    await clinic.isPaid();
  },
);
