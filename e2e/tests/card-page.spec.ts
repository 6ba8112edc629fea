import { CARDS as TEST_CARDS } from "host-demo/scenarios/magic-values";
import { newPatient } from "../kit/patients.ts";
import { long, short } from "../support/levels.ts";
import { startOwnClinic } from "../support/own-clinic.ts";
import { test as base, expect } from "../support/test.ts";

/* A clinic whose patients give their card on the card processor's own page. */

const test = base.extend({
  baseURL: async ({ playwright: _playwright }, use) => {
    const clinic = await startOwnClinic({ card_page: true });
    await use(clinic.origin);
    await clinic.stop();
  },
});

test.beforeEach(async ({ clinic }) => {
  const patient = newPatient();
  await clinic.startCheckout(patient);
  await clinic.checkout.acceptSummary();
  await clinic.checkout.register(patient);
  await clinic.checkout.proveIdentity(patient.documentSerial);
});

test(
  "a card given on the processor's framed page pays, after a declined one and an abandoned page are reported",
  short("patient"),
  async ({ clinic, checkAccessibility }) => {
    test.slow();
    await expect(clinic.checkout.heading("Tu tarjeta")).toBeVisible();
    await expect(clinic.checkout.frame.getByLabel("Número de tarjeta")).toHaveCount(0);
    await checkAccessibility();
    await clinic.checkout.openCardPage();
    await clinic.checkout.answerCardPage("Cancelar y volver");
    await expect(clinic.checkout.alert).toContainText("No terminaste de inscribir tu tarjeta");
    await clinic.checkout.openCardPage();
    await clinic.checkout.giveCard(TEST_CARDS.expired);
    await expect(clinic.checkout.alert).toContainText("No se cobró nada");
    await clinic.checkout.openCardPage();
    await checkAccessibility();
    await clinic.checkout.giveCard(TEST_CARDS.approved);
    await clinic.checkout.pay();
    await clinic.checkout.isDone();
    await clinic.isPaid();
  },
);

test(
  "a page that refuses to be framed is opened in a tab, and the checkout continues by itself",
  long(
    "widget/src/checkout/card/card-page.test.tsx",
    "a card page that reported its end but is still open is polled and can be reopened",
  ),
  async ({ clinic, page, isRefused }) => {
    test.slow();
    await page.route("**/card/*", async (route) => {
      const answer = await route.fetch();
      const policy = "frame-ancestors 'none'";
      await route.fulfill({ response: answer, headers: { ...answer.headers(), "content-security-policy": policy } });
    });
    await clinic.checkout.openCardPage();
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
    const opened = page.context().waitForEvent("page");
    await clinic.checkout.press(link);
    const tab = await opened;
    await expect(clinic.checkout.frame.getByText("esta página sigue sola")).toBeVisible();
    await tab.getByLabel("Número de tarjeta").fill(TEST_CARDS.approved.number);
    await tab.getByLabel("Vencimiento").fill(TEST_CARDS.approved.expiry);
    await tab.getByLabel("Código de seguridad").fill(TEST_CARDS.approved.cvc);
    await tab.getByLabel("Nombre en la tarjeta").fill(TEST_CARDS.approved.holder);
    const closed = tab.waitForEvent("close");
    await tab.getByRole("button", { name: "Inscribir la tarjeta" }).dispatchEvent("click");
    await closed;
    await clinic.checkout.pay();
    await clinic.checkout.isDone();
    await clinic.isPaid();
  },
);

test(
  "a reload in the middle reopens the processor's page, and shows a card that was given there meanwhile",
  long(
    "widget/src/checkout/card/card-page.test.tsx",
    "after a reload, the checkout continues with a card given meanwhile",
  ),
  async ({ clinic, page }) => {
    test.slow();
    await clinic.checkout.openCardPage();
    const address = await clinic.checkout.bankAddress();
    await page.reload();
    await expect(clinic.checkout.frame.getByText("Si ya la inscribiste, esta página sigue sola")).toBeVisible();
    await clinic.checkout.openCardPage();
    expect(await clinic.checkout.bankAddress()).toBe(address);
    await clinic.checkout.leaveCardPage();
    await expect(clinic.checkout.frame.getByText("Si ya la inscribiste, esta página sigue sola")).toBeVisible();
    // The card is entered elsewhere, while nothing is pressed here.
    const body = new URLSearchParams({
      choice: "register",
      number: "4051885600446623",
      expiry: "12/34",
      cvc: "123",
      holder_name: "MARIA J ORYAN",
    });
    expect((await fetch(address, { method: "POST", body })).status).toBe(200);
    await expect(clinic.checkout.heading("Revisa y paga")).toBeVisible({ timeout: 30_000 });
    await clinic.checkout.pay();
    await clinic.checkout.isDone();
    await clinic.isPaid();
  },
);
