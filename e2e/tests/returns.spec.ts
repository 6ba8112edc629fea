import type { BrowserContext, Page } from "@playwright/test";
import { CARDS as TEST_CARDS } from "host-demo/scenarios/magic-values";
import { CheckoutFrame } from "../kit/checkout-frame.ts";
import { CheckoutPage } from "../kit/checkout-page.ts";
import { newPatient, type Patient } from "../kit/patients.ts";
import { hostPage, mount } from "../support/host-page.ts";
import { long, short } from "../support/levels.ts";
import { moveClock } from "../support/sandbox-clock.ts";
import { createOrder, createTenant, mintCheckoutUrl, productUrls, type Tenant } from "../support/tenant.ts";
import { expect, test } from "../support/test.ts";
import { openTestOrigin } from "../support/test-pages.ts";

/* Returns from pages of the bank and of the card processor that open outside of the checkout's dialog. */

const PAID = "¡Listo! Tu pago está hecho";
/** The text of a used checkout. */
const PAID_BEFORE = "Este pago ya está hecho";

/** Simulates that banks refuse to be framed. */
async function refuseFrames(context: BrowserContext): Promise<void> {
  await context.route(/\/(challenge|card)\/[^/]+$/, async (route) => {
    const answer = await route.fetch({ maxRedirects: 0 });
    await route.fulfill({ response: answer, headers: { ...answer.headers(), "x-frame-options": "DENY" } });
  });
}

/** The wait for the bank's page ends at once when the network is back. */
async function endWaits(page: Page): Promise<void> {
  for (const frame of page.frames().filter((each) => each.url().includes("widget_token")))
    await frame.evaluate(() => window.dispatchEvent(new Event("online")));
}

async function payWithChallenge(checkout: CheckoutFrame, patient: Patient): Promise<void> {
  await checkout.acceptSummary();
  await checkout.register(patient);
  await checkout.proveIdentity(patient.documentSerial);
  await checkout.addCard(TEST_CARDS.challenge);
  await checkout.pay();
}

/** The link that leads out of the dialog, after the bank's page has failed to appear there. */
async function linkToBank(checkout: CheckoutFrame) {
  await checkout.bankAddress();
  await endWaits(checkout.page);
  const link = checkout.frame.getByRole("link", { name: "Ábrela en otra pestaña" });
  await expect(link).toBeVisible();
  return link;
}

async function bankInTab(checkout: CheckoutFrame): Promise<Page> {
  const link = await linkToBank(checkout);
  const opened = checkout.page.context().waitForEvent("page");
  await checkout.press(link);
  return opened;
}

// A click would wait for the navigation that closes the tab.
const confirm = (bank: Page) => bank.getByRole("button", { name: "Confirmar la compra" }).dispatchEvent("click");
const reject = (bank: Page) => bank.getByRole("button", { name: "No fui yo: rechazar" }).dispatchEvent("click");

/** A standalone checkout, as opened by a mail or a QR code. */
async function openAlone(page: Page): Promise<{ tenant: Tenant; order: string; checkout: CheckoutPage }> {
  const tenant = await createTenant([]);
  const patient = newPatient();
  const order = await createOrder(tenant, patient);
  await page.goto(await mintCheckoutUrl(tenant, patient, order));
  const checkout = new CheckoutPage(page);
  await payWithChallenge(checkout, patient);
  return { tenant, order, checkout };
}

async function isPaid({ aapd }: Tenant, order: string): Promise<void> {
  await expect.poll(async () => (await aapd.getOrder(order)).status).toBe("paid");
  expect((await aapd.getOrder(order)).payments).toHaveLength(1);
}

/** Checks that the page neither offers to pay again nor calls the link invalid. */
async function invitesNoPayment(page: Page): Promise<void> {
  await expect(page.getByText(/no existe|vuelve a abrir/i)).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Pagar/ })).toHaveCount(0);
}

test.beforeEach(async ({ context, isRefused: _isRefused, expectedRefusals }) => {
  // Each test uses pages that refuse to be framed, so the browser's report about that is expected.
  expectedRefusals.push("X-Frame-Options", "Refused to display");
  await refuseFrames(context);
});

test.describe("a bank's page in a tab", () => {
  test(
    "has no opener, closes itself after the confirmation, and the checkout shows the end",
    short("patient"),
    async ({ clinic }) => {
      const patient = newPatient();
      await clinic.startCheckout(patient);
      await payWithChallenge(clinic.checkout, patient);
      const bank = await bankInTab(clinic.checkout);
      await bank.waitForLoadState();
      expect(await bank.evaluate(() => window.opener)).toBeNull();
      const closed = bank.waitForEvent("close");
      await confirm(bank);
      await closed;
      await clinic.checkout.isDone();
      await clinic.isPaid();
    },
  );

  test(
    "is opened by the press alone if the processor's page needs its own window, and reports no expiry",
    long(
      "widget/src/checkout/card/card-page.test.tsx",
      "a card page that needs its own window opens in one at the patient's press, without a frame",
    ),
    async ({ clinic }) => {
      const patient = newPatient();
      await clinic.startCheckout(patient);
      await clinic.checkout.acceptSummary();
      await clinic.checkout.register(patient);
      await clinic.checkout.proveIdentity(patient.documentSerial);
      await clinic.checkout.addCard({ ...TEST_CARDS.approved, number: "4051 8856 0000 0255" });
      const link = clinic.checkout.frame.getByRole("link", { name: "Ábrela en otra pestaña" });
      await expect(link).toBeVisible();
      await expect(clinic.checkout.frame.locator("iframe")).toHaveCount(0);
      const opened = clinic.checkout.page.context().waitForEvent("page");
      await clinic.checkout.press(link);
      const window = await opened;
      const closed = window.waitForEvent("close");
      await window.getByRole("button", { name: "Confirmar la tarjeta" }).dispatchEvent("click");
      await closed;
      await expect(clinic.checkout.frame.getByText("••0255")).toBeVisible();
      await expect(clinic.checkout.frame.getByText("vence")).toHaveCount(0);
      await clinic.checkout.pay();
      await clinic.checkout.isDone();
      await clinic.isPaid();
    },
  );

  test(
    "shows that the order is paid, and the checkout continues, if the clinic's page isolates its tabs",
    long("widget/src/return/return-page.test.tsx", "stays open when the checkout announces itself late"),
    async ({ page }) => {
      const partner = await openTestOrigin();
      const tenant = await createTenant([partner.origin]);
      const patient = newPatient();
      const order = await createOrder(tenant, patient);
      const { html } = hostPage(`${productUrls().widgetHostUrl}/embed/v1.js`);
      await page.goto(partner.put("/", { html, headers: { "cross-origin-opener-policy": "same-origin" } }));
      await mount(page, { url: await mintCheckoutUrl(tenant, patient, order) });
      const checkout = new CheckoutFrame(page);
      await checkout.isOpen();
      await payWithChallenge(checkout, patient);
      const bank = await bankInTab(checkout);
      await confirm(bank);
      await expect(bank.getByRole("heading", { level: 1 })).toHaveText(PAID);
      await invitesNoPayment(bank);
      await checkout.isDone();
      await isPaid(tenant, order);
      await partner.close();
    },
  );

  test(
    "closes itself next to a checkout without a frame, also when a second tab was opened",
    long(
      "widget/src/return/return-window.test.ts",
      "answers only a checkout of our origin that announces that it waits",
    ),
    async ({ page }) => {
      const { tenant, order, checkout } = await openAlone(page);
      const first = await bankInTab(checkout);
      const opened = page.context().waitForEvent("page");
      await checkout.press(checkout.frame.getByRole("link", { name: "Ábrela en otra pestaña" }));
      const second = await opened;
      const closed = second.waitForEvent("close");
      await confirm(second);
      await closed;
      await checkout.isDone();
      await isPaid(tenant, order);
      // The other tab shows the same outcome, and starts nothing.
      const alsoClosed = first.waitForEvent("close");
      await first.reload({ waitUntil: "commit" });
      await alsoClosed;
      await isPaid(tenant, order);
    },
  );

  test(
    "closes itself when the bank returns by posting a form",
    long(
      "bff/test/http/self-service/returns.test.ts",
      "answers a form that a bank posts, of any kind and size, by a redirect to itself",
    ),
    async ({ page, context }) => {
      await context.route(/\/challenge\/[^/]+$/, async (route) => {
        const answer = await route.fetch({ maxRedirects: 0 });
        const text = await answer.text();
        const returnUrl = /data-ended="true" data-return-url="([^"]+)"/.exec(text)?.[1];
        const headers = { ...answer.headers(), "x-frame-options": "DENY" };
        if (returnUrl === undefined) return route.fulfill({ response: answer, headers });
        const body = `<form method="post" action="${returnUrl}"><input name="PaRes" value="x"></form><script>document.forms[0].submit()</script>`;
        await route.fulfill({ contentType: "text/html", body });
      });
      const { tenant, order, checkout } = await openAlone(page);
      const bank = await bankInTab(checkout);
      const closed = bank.waitForEvent("close");
      await confirm(bank);
      await closed;
      await checkout.isDone();
      await isPaid(tenant, order);
    },
  );

  test(
    "resumes the checkout whose tab was closed, which shows that the order is paid",
    long(
      "widget/src/return/return-page.test.tsx",
      "resumes a checkout that was closed meanwhile, once no open one has answered",
    ),
    async ({ page }) => {
      const { tenant, order, checkout } = await openAlone(page);
      const bank = await bankInTab(checkout);
      await page.close();
      await confirm(bank);
      await expect(bank.getByRole("heading", { level: 1 })).toHaveText(PAID_BEFORE);
      await expect(bank).toHaveURL(/widget_token/);
      await invitesNoPayment(bank);
      await isPaid(tenant, order);
    },
  );

  test(
    "shows that the order is paid if the clinic's page with the checkout was closed",
    long("widget/src/return/return-page.test.tsx", "shows the payment's state when the checkout's token has expired"),
    async ({ clinic, page, checkAccessibility }) => {
      const patient = newPatient();
      await clinic.startCheckout(patient);
      await payWithChallenge(clinic.checkout, patient);
      const bank = await bankInTab(clinic.checkout);
      await page.close();
      await confirm(bank);
      await expect(bank.getByRole("heading", { level: 1 })).toHaveText(PAID);
      await expect(bank).toHaveURL(/\/return\/[\w.-]+$/);
      await checkAccessibility(bank);
      await invitesNoPayment(bank);
      await bank.reload();
      await expect(bank.getByRole("heading", { level: 1 })).toHaveText(PAID);
    },
  );
});

/** The user agents of in-app browsers that open no tabs. */
const APPS = {
  "Instagram on an iPhone":
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Instagram 350.0",
  "Facebook on Android":
    "Mozilla/5.0 (Linux; Android 14; wv) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/480.0]",
  "Instagram on Android":
    "Mozilla/5.0 (Linux; Android 14; wv) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36 Instagram 350.0 Android",
};

for (const [app, userAgent] of Object.entries(APPS))
  test.describe(`in the browser of ${app}`, () => {
    test.use({ userAgent });

    test(
      "the bank's page replaces the checkout, which returns and shows that the order is paid",
      app === "Instagram on an iPhone"
        ? short("patient")
        : long(
            "e2e/tests/returns.spec.ts",
            "the bank's page replaces the checkout, which returns and shows that the order is paid",
          ),
      async ({ page }) => {
        const { tenant, order, checkout } = await openAlone(page);
        await checkout.press(await linkToBank(checkout));
        await confirm(page);
        await expect(page.getByRole("heading", { level: 1 })).toHaveText(PAID_BEFORE);
        await invitesNoPayment(page);
        await page.reload();
        await expect(page.getByRole("heading", { level: 1 })).toHaveText(PAID_BEFORE);
        // Goes back to the bank's page, which has ended and leads here again.
        await page.goBack();
        await expect(page.getByRole("heading", { level: 1 })).toHaveText(PAID_BEFORE);
        await isPaid(tenant, order);
      },
    );
  });

test.describe("in an app's browser, which opens no tabs", () => {
  test.use({ userAgent: APPS["Instagram on an iPhone"] });

  test(
    "a payment that was not confirmed continues in the checkout with another card",
    long(
      "widget/src/return/return-page.test.tsx",
      "resumes the checkout that it replaced, with the token of this window",
    ),
    async ({ page }) => {
      const { tenant, order, checkout } = await openAlone(page);
      await checkout.press(await linkToBank(checkout));
      await reject(page);
      await expect(page).toHaveURL(/widget_token/);
      await expect(checkout.heading("Revisa y paga")).toBeVisible();
      await checkout.changeCard(TEST_CARDS.approved);
      await checkout.pay();
      await checkout.isDone();
      await expect.poll(async () => (await tenant.aapd.getOrder(order)).status).toBe("paid");
    },
  );

  test(
    "the back button from the bank's page leads to the checkout, where the payment can be confirmed",
    long(
      "widget/src/checkout/checkout.test.tsx",
      "returns to the last step when left, denies no charge, and can be resumed",
    ),
    async ({ page }) => {
      const { tenant, order, checkout } = await openAlone(page);
      await checkout.press(await linkToBank(checkout));
      await expect(page.getByRole("button", { name: "Confirmar la compra" })).toBeVisible();
      await page.goBack();
      await checkout.press(await linkToBank(checkout));
      await confirm(page);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText(PAID_BEFORE);
      await isPaid(tenant, order);
    },
  );

  test(
    "the bank's page replaces the clinic's, and the return page shows that the order is paid",
    long(
      "widget/src/return/return-window.test.ts",
      "never replaces only the frame of a framed checkout",
      "replaces the whole window in in-app browsers without tabs",
    ),
    async ({ clinic, page }) => {
      const patient = newPatient();
      await clinic.startCheckout(patient);
      await payWithChallenge(clinic.checkout, patient);
      await clinic.checkout.press(await linkToBank(clinic.checkout));
      await confirm(page);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText(PAID);
      await invitesNoPayment(page);
    },
  );

  test(
    "the return page shows that the order is paid even if storage is denied",
    long("widget/src/return/return-window.test.ts", "stores no way back if storage is denied or there is no token"),
    async ({ page }) => {
      await page.addInitScript(() => {
        Object.defineProperty(window, "sessionStorage", {
          get() {
            throw new DOMException("denied", "SecurityError");
          },
        });
      });
      const { tenant, order, checkout } = await openAlone(page);
      await checkout.press(await linkToBank(checkout));
      await confirm(page);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText(PAID);
      await expect(page).toHaveURL(/\/return\//);
      await isPaid(tenant, order);
    },
  );
});

test(
  "a return after the checkout's token has expired shows the payment and does not lead to that checkout",
  long("widget/src/return/return-page.test.tsx", "shows the payment's state when the checkout's token has expired"),
  async ({ page }) => {
    const { tenant, order, checkout } = await openAlone(page);
    const address = await checkout.bankAddress();
    const html = await (await fetch(address)).text();
    const returnUrl = /data-return-url="([^"]+)"/.exec(html)?.[1] ?? "";
    await fetch(address, { method: "POST", body: new URLSearchParams({ choice: "approve" }) });
    await page.close();
    await moveClock(tenant.credentials, "2h");
    const later = await page.context().newPage();
    await later.goto(returnUrl);
    await expect(later.getByRole("heading", { level: 1 })).toHaveText(PAID);
    await invitesNoPayment(later);
    await isPaid(tenant, order);
  },
);

test(
  "an unknown return address says where to look and does not invite to pay",
  short("patient"),
  async ({ page, checkAccessibility }) => {
    await page.goto(`${productUrls().widgetHostUrl}/return/nothing`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Esta página ya no muestra cómo quedó");
    await checkAccessibility();
    await invitesNoPayment(page);
  },
);

test("a bank that returns in its frame ends the dialog around it", short("patient"), async ({ page, context }) => {
  await context.unrouteAll();
  await context.route(/\/challenge\/[^/]+$/, async (route) => {
    const answer = await route.fetch({ maxRedirects: 0 });
    const text = await answer.text();
    const returnUrl = /data-ended="true" data-return-url="([^"]+)"/.exec(text)?.[1];
    if (returnUrl === undefined) return route.fulfill({ response: answer });
    await route.fulfill({ status: 303, headers: { location: returnUrl } });
  });
  const { tenant, order, checkout } = await openAlone(page);
  await checkout.answerBank("Confirmar la compra");
  await checkout.isDone();
  await isPaid(tenant, order);
});

test(
  "a patient who leaves the bank's page learns when another card can be used",
  short("patient"),
  async ({ page }) => {
    const { checkout } = await openAlone(page);
    await checkout.bankAddress();
    await checkout.leaveBank();
    const time = /Con otra tarjeta podrás pagar desde las (\d{2}:\d{2})/;
    await expect(page.getByText(time)).toBeVisible();
    const [, from] = time.exec((await page.getByText(time).textContent()) ?? "") ?? [];
    await checkout.changeCard(TEST_CARDS.approved);
    await expect(checkout.alert).toContainText(`desde las ${from} (hora de Chile)`);
  },
);
