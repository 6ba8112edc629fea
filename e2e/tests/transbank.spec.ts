import type { Page } from "@playwright/test";
import type { ClinicPage } from "../kit/clinic-page.ts";
import { newPatient } from "../kit/patients.ts";
import { long } from "../support/levels.ts";
import { test as base, expect } from "../support/test.ts";
import { startTransbankProduct } from "../support/transbank-product.ts";

/* The service with the Transbank connector, in front of a stand-in of Transbank, on a small telephone. */

const test = base.extend({
  viewport: { width: 360, height: 740 },
  baseURL: async ({ playwright: _playwright }, use) => {
    const product = await startTransbankProduct();
    await use(product.origin);
    await product.stop();
  },
});

// Includes the start of six programs.
test.describe.configure({ timeout: 360_000 });

/** Transbank's test card that its bank approves. */
const VISA = "4051885600446623";

test(
  "a card enrolled in Webpay's window pays after a closed, a cancelled and a refused attempt",
  long(
    "widget/src/checkout/card/card-page.test.tsx",
    "the card step says that the card page was left or declined, and that nothing was charged",
  ),
  async ({ clinic, page, checkAccessibility }) => {
    page.context().setDefaultTimeout(30_000);
    const { checkout } = clinic;
    const patient = newPatient();
    await clinic.startCheckout(patient);
    await checkout.acceptSummary();
    await checkout.register(patient);
    await checkout.proveIdentity(patient.documentSerial);

    const first = await windowOf(clinic, () => checkout.openCardPage());
    await checkAccessibility();
    await checkAccessibility(first);
    await expect(first.getByText(/Atención de \$[\d.]+$/)).toBeVisible();
    await first.close();

    // The dialog's link opens the same page again.
    const cancelled = await windowOf(clinic, () => checkout.press(checkout.frame.getByRole("link", { name: OPENS })));
    await cancelled.getByRole("button", { name: "Continuar a Webpay" }).click();
    await answerWebpay(cancelled, "Anular y volver");
    await expect(checkout.alert).toContainText("No terminaste de inscribir tu tarjeta");

    const refused = await windowOf(clinic, () => checkout.openCardPage());
    await refused.getByRole("button", { name: "Continuar a Webpay" }).click();
    await refused.getByLabel("Tarjeta de prueba").fill(VISA);
    await answerWebpay(refused, "Rechazar");
    await expect(checkout.alert).toContainText("No se cobró nada");

    const enrolled = await windowOf(clinic, () => checkout.openCardPage());
    await enrolled.getByRole("button", { name: "Continuar a Webpay" }).click();
    await enrolled.getByLabel("Tarjeta de prueba").fill(VISA);
    await answerWebpay(enrolled, "Inscribir");
    await expect(checkout.heading("Revisa y paga")).toBeVisible();
    await checkout.pay();
    await checkout.isDone();
    await clinic.isPaid();
  },
);

const OPENS = "Ábrela en otra pestaña";

/** The window that one press opens. */
async function windowOf({ page }: ClinicPage, press: () => Promise<void>): Promise<Page> {
  const opened = page.context().waitForEvent("page");
  await press();
  const window = await opened;
  await expect(window.getByRole("heading", { name: "Inscribe tu tarjeta" })).toBeVisible();
  return window;
}

/** Presses a button at Webpay, which sends the browser back; the window then closes by itself. */
async function answerWebpay(window: Page, button: string): Promise<void> {
  const closed = window.waitForEvent("close");
  await window.getByRole("button", { name: button, exact: true }).click();
  await closed;
}
