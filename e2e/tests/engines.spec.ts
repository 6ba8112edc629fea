import { test as base, expect } from "@playwright/test";
import { CARDS as TEST_CARDS } from "host-demo/scenarios/magic-values";
import { CARDS } from "../kit/cards.ts";
import { newPatient, type Patient } from "../kit/patients.ts";
import { hostPage } from "../support/host-page.ts";
import { ELSEWHERE, long } from "../support/levels.ts";
import { newCode } from "../support/recognition-codes.ts";
import { createOrder, createTenant, mintCheckoutUrl, productUrls, type Tenant } from "../support/tenant.ts";
import { openTestOrigin } from "../support/test-pages.ts";
import { type BrowserWishes, type Engine, startBrowser } from "../support/webdriver/browser.ts";
import { CheckoutTab } from "../support/webdriver/checkout-tab.ts";
import { KEYS } from "../support/webdriver/tab.ts";

/*
 * A patient's visits in browsers whose vendors' versions Playwright cannot drive, on a partner's page of another site
 * than the checkout's.
 */

interface Visit {
  readonly checkout: CheckoutTab;
  readonly tenant: Tenant;
  /** Creates an order for the patient, and opens its checkout on the partner's page. */
  open(patient: Patient, mode?: "inline" | "dialog"): Promise<string>;
  /** Reloads the page, which shows the same checkout. */
  reload(): Promise<void>;
  isPaid(order: string): Promise<void>;
}

const test = base.extend<{ wishes: BrowserWishes; visit: Visit }>({
  wishes: [{}, { option: true }],
  visit: async ({ wishes }, use, { project }) => {
    const clinic = await openTestOrigin();
    const pageUrl = clinic.put("/", hostPage(`${productUrls().widgetHostUrl}/embed/v1.js`));
    const tenant = await createTenant([clinic.origin], [], { known_patients: true });
    const { tab, close } = await startBrowser(project.metadata.engine as Engine, wishes);
    const checkout = new CheckoutTab(tab);
    let shown: Parameters<CheckoutTab["mount"]> = [""];
    const show = async (): Promise<void> => {
      await tab.open(pageUrl);
      await checkout.mount(...shown);
    };
    await use({
      checkout,
      tenant,
      async open(patient, mode = "inline") {
        const order = await createOrder(tenant, patient);
        shown = [await mintCheckoutUrl(tenant, patient, order), mode];
        await show();
        return order;
      },
      reload: show,
      async isPaid(order) {
        await expect.poll(async () => (await tenant.aapd.getOrder(order)).status).toBe("paid");
      },
    });
    await close();
    await clinic.close();
  },
});

/** The keyboard type and autofill attributes of the visible fields. */
const FIELDS = `return [...document.querySelectorAll("input:not([type=checkbox], [type=radio])")].map(
  (field) => [field.labels[0].textContent.split(" ·")[0], field.getAttribute("autocomplete"), field.inputMode || field.type]);`;

const FOCUS = `const { activeElement: focused } = document;
return focused.closest("[role=alert]") ? "alert" : (focused.labels?.[0]?.textContent ?? focused.tagName);`;

test(
  "a new patient pays: an error takes the focus, fields describe themselves, and a reload resumes the visit",
  long(ELSEWHERE),
  async ({ visit }) => {
    const { checkout, open, reload, isPaid } = visit;
    const { tab } = checkout;
    const patient = newPatient();
    const order = await open(patient);
    await checkout.acceptSummary();

    await checkout.at("Tus datos");
    await tab.press("Editar");
    expect(await tab.run(FIELDS)).toEqual([
      ["RUT", "off", "text"],
      ["Nombres", "given-name", "text"],
      ["Apellidos", "family-name", "text"],
      ["Correo electrónico", "email", "email"],
      ["Celular", "tel-national", "tel"],
      ["Número de documento", "off", "text"],
      ["Clave de tu isapre", "off", "password"],
    ]);
    await tab.press("Continuar");
    await tab.until("the focus in the summary of faults", async () => (await tab.run(FOCUS)) === "alert");
    await tab.type("Nombres", patient.firstName + KEYS.tab);
    expect(await tab.run(FOCUS)).toBe("Apellidos");
    await checkout.register();
    await tab.type("Número de documento", patient.documentSerial + KEYS.enter);
    await checkout.at("Tu tarjeta");
    await reload();
    await checkout.at("Tu tarjeta");
    expect(await tab.run(FIELDS)).toEqual([
      ["Número de tarjeta", "cc-number", "numeric"],
      ["Vencimiento", "cc-exp", "numeric"],
      ["Código CVV", "cc-csc", "numeric"],
      ["Nombre en la tarjeta", "cc-name", "text"],
    ]);
    await checkout.addCard(CARDS.approved);
    await checkout.pay();
    await checkout.isDone();
    await isPaid(order);
  },
);

test(
  "a patient recognised by a code pays with another card after a declined one",
  long(ELSEWHERE),
  async ({ visit }) => {
    const { checkout, tenant, open, isPaid } = visit;
    const patient = newPatient();
    await open(patient);
    await checkout.acceptSummary();
    await checkout.register();
    await checkout.proveIdentity(patient);
    await checkout.at("Tu tarjeta");

    const order = await open(patient);
    await checkout.at("Revisa y paga");
    expect(await checkout.tab.run(FIELDS)).toEqual([["Código de 6 dígitos", "one-time-code", "numeric"]]);
    // Touching the field requests the code.
    await checkout.tab.type("Código de 6 dígitos", " ");
    // The code is submitted automatically, and the document is not required again.
    await checkout.tab.type("Código de 6 dígitos", await newCode(tenant, patient, 0));
    await checkout.addCard(CARDS.declined);
    await checkout.pay();
    await checkout.tab.see({ what: "text", words: "con la Mastercard ••0568" });
    await checkout.addCard(CARDS.approved, "other");
    await checkout.pay();
    await checkout.isDone();
    await isPaid(order);
  },
);

test(
  "in a dialog over the page, the bank's page is answered in the frame within the frame",
  long(ELSEWHERE),
  async ({ visit }) => {
    const { checkout, open, isPaid } = visit;
    const patient = newPatient();
    const order = await open(patient, "dialog");
    await checkout.acceptSummary();
    await checkout.register();
    await checkout.proveIdentity(patient);
    await checkout.addCard(TEST_CARDS.challenge);
    await checkout.pay();
    await checkout.answerBank("Confirmar la compra");
    await checkout.isDone();
    await isPaid(order);
  },
);

test.describe("a browser in which third parties may store nothing", () => {
  test.use({ wishes: { isStorageBlocked: true } });

  test("lets a patient pay, and a reload resumes the visit", long(ELSEWHERE), async ({ visit }) => {
    const { checkout, open, reload, isPaid } = visit;
    const patient = newPatient();
    const order = await open(patient);
    await checkout.at("Atiéndete ahora, paga después");
    // Proves that the browser really refuses.
    expect(await checkout.tab.run("document.cookie = 'a=b; path=/'; return document.cookie;")).toBe("");
    await checkout.acceptSummary();
    await checkout.register();
    await checkout.proveIdentity(patient);
    await checkout.at("Tu tarjeta");
    await reload();
    await checkout.addCard(CARDS.approved);
    await checkout.pay();
    await checkout.isDone();
    await isPaid(order);
  });
});
