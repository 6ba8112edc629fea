import { CARDS as TEST_CARDS } from "host-demo/scenarios/magic-values";
import { CARDS } from "../kit/cards.ts";
import { newPatient } from "../kit/patients.ts";
import { long, short } from "../support/levels.ts";
import { expect, test } from "../support/test.ts";

test(
  "a reload in the middle returns to the same step and keeps the finished ones",
  short("patient"),
  async ({ clinic, page }) => {
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
  },
);

test(
  "a declined card is explained, and another one pays",
  long(
    "widget/src/checkout/checkout.test.tsx",
    "leads back to the card with the decline's reason, and pays with another one under a new key",
  ),
  async ({ clinic }) => {
    const patient = newPatient();
    await clinic.startCheckout(patient);
    await clinic.checkout.acceptSummary();
    await clinic.checkout.register(patient);
    await clinic.checkout.proveIdentity(patient.documentSerial);
    await clinic.checkout.addCard(CARDS.declined);
    await clinic.checkout.pay();
    await expect(clinic.checkout.alert).toContainText(/Tu banco rechazó el pago de \$[\d.]+ con la Mastercard ••0568/);
    await clinic.checkout.changeCard(CARDS.approved);
    await clinic.checkout.pay();
    await clinic.checkout.isDone();
    await clinic.isPaid();
  },
);

test(
  "a wrong document number is explained, and the right one continues",
  long("widget/src/checkout/checkout.test.tsx", "is not sent with an impossible document number"),
  async ({ clinic }) => {
    const patient = newPatient();
    await clinic.startCheckout(patient);
    await clinic.checkout.acceptSummary();
    await clinic.checkout.register(patient);
    await clinic.checkout.proveIdentity("12345");
    await expect(clinic.checkout.alert).toContainText("9 dígitos");
    await clinic.checkout.proveIdentity(patient.documentSerial);
    await expect(clinic.checkout.heading("Tu tarjeta")).toBeVisible();
  },
);

test(
  "a bank's page that refuses to be framed is opened in a tab, and the checkout shows its outcome",
  long(
    "e2e/tests/returns.spec.ts",
    "has no opener, closes itself after the confirmation, and the checkout shows the end",
  ),
  async ({ clinic, page, checkAccessibility, isRefused }) => {
    const patient = newPatient();
    await page.route("**/challenge/*", async (route) => {
      const answer = await route.fetch();
      const policy = "frame-ancestors 'none'";
      await route.fulfill({ response: answer, headers: { ...answer.headers(), "content-security-policy": policy } });
    });
    await clinic.startCheckout(patient);
    await clinic.checkout.acceptSummary();
    await clinic.checkout.register(patient);
    await clinic.checkout.proveIdentity(patient.documentSerial);
    await clinic.checkout.addCard(TEST_CARDS.challenge);
    await clinic.checkout.pay();
    const address = await clinic.checkout.bankAddress();
    await isRefused("frame-ancestors");
    // The wait ends at once when the network is back.
    const goOn = async () => {
      const frames = page.frames().filter((frame) => frame.url().includes("widget_token"));
      for (const frame of frames) await frame.evaluate(() => window.dispatchEvent(new Event("online")));
    };
    await goOn();
    const link = clinic.checkout.frame.getByRole("link", { name: "Ábrela en otra pestaña" });
    await expect(link).toHaveAttribute("href", address);
    await checkAccessibility();
    const opened = page.context().waitForEvent("page");
    await clinic.checkout.press(link);
    const bank = await opened;
    await expect(clinic.checkout.frame.getByText("esta página sigue sola")).toBeVisible();
    const closed = bank.waitForEvent("close");
    await bank.getByRole("button", { name: "Confirmar la compra" }).dispatchEvent("click");
    await closed;
    await clinic.checkout.isDone();
    await clinic.isPaid();
  },
);

test(
  "a patient who confirms elsewhere and leaves the bank's page here sees the payment succeed",
  long(
    "widget/src/checkout/checkout.test.tsx",
    "returns to the last step when left, denies no charge, and can be resumed",
  ),
  async ({ clinic, page }) => {
    const patient = newPatient();
    await clinic.startCheckout(patient);
    await clinic.checkout.acceptSummary();
    await clinic.checkout.register(patient);
    await clinic.checkout.proveIdentity(patient.documentSerial);
    await clinic.checkout.addCard(TEST_CARDS.challenge);
    await clinic.checkout.pay();
    const address = await clinic.checkout.bankAddress();
    await clinic.checkout.leaveBank();
    await expect(clinic.checkout.heading("Revisa y paga")).toBeVisible();
    await expect(clinic.checkout.frame.getByText("el pago puede completarse")).toBeVisible();
    await expect(clinic.checkout.frame.getByText("No se cobró nada")).toHaveCount(0);

    const bank = await page.context().newPage();
    await bank.goto(address);
    await bank.getByRole("button", { name: "Confirmar la compra" }).click();
    await expect(bank.getByRole("button", { name: "Confirmar la compra" })).toHaveCount(0);
    await bank.close();
    // Nothing is pressed here: the widget polls until the outcome is known.
    await clinic.checkout.isDone();
    await clinic.isPaid();
  },
);
