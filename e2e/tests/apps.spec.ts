import type { Page } from "@playwright/test";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { CARDS } from "../kit/cards.ts";
import { CheckoutPage } from "../kit/checkout-page.ts";
import { newPatient, type Patient } from "../kit/patients.ts";
import { short } from "../support/levels.ts";
import { createOrder, createTenant, mintCheckoutUrl, productUrls } from "../support/tenant.ts";
import { expect, test } from "../support/test.ts";
import { withoutDrawnNames } from "../support/without-drawn-names.ts";

/** The clinic's page that patients return to. */
const RETURN_URL = `${productUrls().orderApiUrl}/docs/apps`;

/** Puts the bridges of React Native and WebKit into the page, as an app's web view does. Returns what they receive. */
async function bridgesOf(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const heard: unknown[] = [];
    const bridge = { postMessage: (text: unknown) => heard.push(text) };
    Object.assign(window, { heard, ReactNativeWebView: bridge, webkit: { messageHandlers: { aapd: bridge } } });
  });
  return () => page.evaluate(() => (window as unknown as { heard: string[] }).heard);
}

/** An app's message, as in the samples of the guide. */
function sayFromApp(page: Page, envelope: object): Promise<boolean> {
  return page.evaluate(
    (data) => window.dispatchEvent(new MessageEvent("message", { data })),
    JSON.stringify({ channel: "aapd", version: 1, ...envelope }),
  );
}

function privateTexts(patient: Patient): readonly string[] {
  const { rut, firstName, lastName, email, phone, documentSerial } = patient;
  return [rut, rut.replaceAll(/[.-]/g, ""), firstName, lastName, email, phone, documentSerial];
}

test(
  "an app gets the messages of the checkout minted for it, without patient data; other pages stay silent",
  short("partner"),
  async ({ page }) => {
    const tenant = await createTenant([], [RETURN_URL]);
    const patient = newPatient();
    const order = await createOrder(tenant, patient);
    const [app, plain] = await Promise.all([
      mintCheckoutUrl(tenant, patient, order, { native: true }),
      mintCheckoutUrl(tenant, patient, order, { return_url: RETURN_URL }),
    ]);
    const heard = await bridgesOf(page);
    const messages = async () => (await heard()).map((text) => JSON.parse(text));
    const types = async () => (await messages()).map(({ type }) => type);
    await page.goto(app);
    const checkout = new CheckoutPage(page);
    await expect.poll(types).toContain("ready");

    const [{ session }] = await messages();
    await sayFromApp(page, { session: "another", id: 1, type: "locale", payload: { locale: "en" } });
    await sayFromApp(page, { session, id: 1, type: "pay", payload: {} });
    await expect(checkout.heading("Atiéndete ahora, paga después")).toBeVisible();
    await sayFromApp(page, { session, id: 1, type: "locale", payload: { locale: "en" } });
    await expect(page.locator("html")).toHaveAttribute("lang", "en");
    await sayFromApp(page, { session, id: 2, type: "locale", payload: { locale: "es-CL" } });
    await expect(page.locator("html")).toHaveAttribute("lang", "es-CL");

    await checkout.acceptSummary();
    await checkout.register(patient);
    await checkout.proveIdentity(patient.documentSerial);
    await checkout.addCard(CARDS.approved);
    await checkout.pay();
    await checkout.isDone();
    await page.getByRole("button", { name: /^Volver a / }).click();
    await expect.poll(types).toEqual(expect.arrayContaining(["step", "completed", "close_requested"]));
    const sent = JSON.stringify(await messages());
    for (const text of privateTexts(patient)) expect(sent).not.toContain(text);
    expect(withoutDrawnNames(sent)).not.toContain(CARDS.approved.number.slice(-4));
    const completed = (await messages()).find(({ type }) => type === "completed");
    const keys = createRemoteJWKSet(new URL("/.well-known/jwks.json", productUrls().orderApiUrl));
    const { payload } = await jwtVerify(completed.payload.signed_receipt, keys, { subject: order });
    const claims = ["amount", "aud", "currency", "exp", "iat", "iss", "jti", "paid_at", "status", "sub"];
    expect(Object.keys(payload).sort()).toEqual(claims);

    await page.goto(plain);
    await page.getByRole("button", { name: /^Volver a / }).click();
    await expect(page).toHaveURL(RETURN_URL);
  },
);

test("a page minted for no app neither sends nor receives over a bridge", short("partner"), async ({ page }) => {
  const tenant = await createTenant([], [RETURN_URL]);
  const patient = newPatient();
  const order = await createOrder(tenant, patient);
  const heard = await bridgesOf(page);
  await page.goto(await mintCheckoutUrl(tenant, patient, order, { return_url: RETURN_URL }));
  const checkout = new CheckoutPage(page);
  await sayFromApp(page, { session: "any", id: 1, type: "locale", payload: { locale: "en" } });
  await checkout.acceptSummary();
  await expect(checkout.heading("Tus datos")).toBeVisible();
  expect(await heard()).toEqual([]);
});
