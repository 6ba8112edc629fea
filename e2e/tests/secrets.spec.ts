import { CARDS } from "../kit/cards.ts";
import { newPatient } from "../kit/patients.ts";
import { long } from "../support/levels.ts";
import { searchPage } from "../support/search-page.ts";
import { expect, test } from "../support/test.ts";

test(
  "the typed card, document and password are nowhere in the page after the payment",
  long(
    "widget/src/checkout/secrets.test.tsx",
    "input is sent only with its own calls, and sealed input is neither cached nor sent in the clear",
  ),
  async ({ clinic, page }) => {
    const patient = newPatient({ documentSerial: "987.123.654" });
    // The demo's page names the sandbox's own cards.
    const card = { ...CARDS.approved, number: "4970 1111 2222 3335" };
    const password = "clave-plantada-71";
    await clinic.startCheckout(patient);
    await clinic.checkout.acceptSummary();
    await clinic.checkout.register(patient, "Colmena", password);
    await clinic.checkout.proveIdentity(patient.documentSerial);
    await clinic.checkout.addCard(card);
    await clinic.checkout.pay();
    await clinic.checkout.isDone();
    const secrets = [card.number, patient.documentSerial, password];
    expect(await searchPage(page, [...secrets, ...secrets.map((secret) => secret.replaceAll(/[ .]/g, ""))])).toEqual(
      [],
    );
    expect(await searchPage(page, [patient.email])).toContain("memory");
  },
);
