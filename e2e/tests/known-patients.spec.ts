import { CARDS } from "../kit/cards.ts";
import type { CheckoutFrame } from "../kit/checkout-frame.ts";
import { ClinicPage } from "../kit/clinic-page.ts";
import { newPatient } from "../kit/patients.ts";
import { long } from "../support/levels.ts";
import { expect, test } from "../support/test.ts";
import { withoutDrawnNames } from "../support/without-drawn-names.ts";

/*
 * A returning patient, and a stranger with that patient's data from a clinic. The catalogue's scenario
 * `tarjeta-guardada` covers saving a card and paying with a code.
 */

function recognised(checkout: CheckoutFrame) {
  return checkout.frame.getByRole("heading", { name: "Confirmamos que eres tú", level: 2 });
}

test(
  "a stranger with the RUT and another visit's code learns nothing, while the patient uses another card",
  long(
    "bff/test/http/hostile/known-patients.test.ts",
    "is wrong if it is from another visit, too old, or replaced by a newer one",
  ),
  async ({ clinic, context, checkAccessibility }) => {
    test.slow();
    const patient = newPatient();
    await clinic.startCheckout(patient);
    await clinic.checkout.acceptSummary();
    await clinic.checkout.register(patient);
    await clinic.checkout.proveIdentity(patient.documentSerial);
    await clinic.checkout.addCard(CARDS.approved, true);
    await clinic.checkout.pay();
    await clinic.checkout.isDone();
    await clinic.page.getByRole("tab", { name: "Avisos" }).click();
    await expect(clinic.notice("Guardamos tu tarjeta")).toBeAttached();
    await clinic.startCheckout(patient, "medicina-general");
    await clinic.checkout.requestRecognition();
    const code = await clinic.recognitionCode();

    const stranger = new ClinicPage(await context.newPage());
    await stranger.startCheckout(patient, "dermatologia");
    const { checkout } = stranger;
    await checkout.requestRecognition();
    await checkout.answerRecognition(code);
    await expect(checkout.alert).toContainText("El código no es correcto");
    await expect(checkout.alert).toContainText("Te quedan 4 intentos.");
    await checkAccessibility(stranger.page);
    for (let left = 4; left > 0; left -= 1) {
      await checkout.answerRecognition(String(100_000 + left));
      await checkout.press(checkout.frame.getByRole("button", { name: "Confirmar" }));
      await expect(checkout.alert).toContainText(left > 1 ? `${left - 1} intento` : "Pide uno nuevo");
    }
    const shown = await checkout.frame.locator("html").innerHTML();
    expect(withoutDrawnNames(shown)).not.toMatch(/6623|last4/);
    await checkout.skipRecognition();
    await expect(checkout.heading("Confirma tu identidad")).toBeVisible();
    await stranger.page.close();

    // The other visit had separate attempts.
    await clinic.checkout.answerRecognition(code);
    await expect(recognised(clinic.checkout)).toBeFocused();
    await expect(clinic.checkout.frame.getByText("Vence 12/34")).toBeVisible();
    await checkAccessibility();
    await clinic.checkout.press(clinic.checkout.frame.getByRole("button", { name: "Usar otra tarjeta" }));
    await clinic.checkout.addCard({ ...CARDS.approved, number: "4051 8842 3993 7763" });
    await expect(clinic.checkout.frame.getByText(/••7763/)).toBeVisible();
    await clinic.checkout.pay();
    await clinic.checkout.isDone();
  },
);

test(
  "another saved card needs a separate code, whose message names that card and the amounts",
  long("bff/test/http/hostile/known-patients.test.ts", "can pay only with the saved card that the message named"),
  async ({ clinic, checkAccessibility }) => {
    test.slow();
    const patient = newPatient();
    const { checkout } = clinic;
    const otherCard = checkout.frame.getByRole("button", { name: "Usar otra tarjeta" });
    await clinic.startCheckout(patient);
    await checkout.acceptSummary();
    await checkout.register(patient);
    await checkout.proveIdentity(patient.documentSerial);
    await checkout.addCard(CARDS.approved, true);
    await checkout.pay();
    await checkout.isDone();
    await clinic.page.getByRole("tab", { name: "Avisos" }).click();
    await expect(clinic.notice("Guardamos tu tarjeta")).toBeAttached();

    await clinic.startCheckout(patient, "medicina-general");
    await checkout.requestRecognition();
    await checkout.answerRecognition(await clinic.recognitionCode());
    await checkout.press(otherCard);
    await checkout.addCard({ ...CARDS.approved, number: "4051 8842 3993 7763" }, true);
    await checkout.pay();
    await checkout.isDone();
    await expect(clinic.notice("Guardamos tu tarjeta")).toHaveCount(2);

    await clinic.startCheckout(patient, "dermatologia");
    await checkout.requestRecognition();
    await checkout.answerRecognition(
      await clinic.recognitionCode(/hoy \$[\d.]+ de un total de \$[\d.]+, con la tarjeta terminada en 7763/),
    );
    await expect(checkout.frame.getByText(/••7763/)).toBeVisible();
    await checkout.press(otherCard);
    await checkout.frame.getByRole("radio", { name: /Visa ••6623/ }).check();
    await checkout.press(checkout.frame.getByRole("button", { name: "Continuar" }));
    await expect(checkout.frame.getByText(/Cada código sirve para una sola tarjeta/)).toBeVisible();
    await checkAccessibility();
    const code = await clinic.recognitionCode(/hoy \$[\d.]+ de un total de \$[\d.]+, con la tarjeta terminada en 6623/);
    await checkout.answerRecognition(code);
    await expect(recognised(checkout)).toBeFocused();
    await expect(checkout.frame.getByText(/••6623/)).toBeVisible();
    await checkout.pay();
    await checkout.isDone();
  },
);
