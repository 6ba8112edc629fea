import { readFile } from "node:fs/promises";
import { CARDS } from "host-demo/scenarios/magic-values";
import type { CheckoutPage } from "../kit/checkout-page.ts";
import { payByApi } from "../support/begin-by-api.ts";
import { long, short } from "../support/levels.ts";
import { startOwnClinic } from "../support/own-clinic.ts";
import { test as base, expect } from "../support/test.ts";

/*
 * Mi pago, from the link in the receipt's mail, on a phone 360 px wide.
 */

/** Codes are rate limited per patient and all tests use the same patient, so each test has its own tenant. */
const test = base.extend({
  baseURL: async ({ playwright: _playwright }, use) => {
    const clinic = await startOwnClinic();
    await use(clinic.origin);
    await clinic.stop();
  },
});

const PHONE = { width: 360, height: 740 };
/** The insurer never answers, so the second charge stays pending. */
const NEVER_ANSWERED = "pago-anticipado";

const stepsOf = ({ page }: CheckoutPage) => page.getByRole("list", { name: "Cómo va" });

/** The amounts of the steps, as displayed. */
async function amountsOf(link: CheckoutPage): Promise<string[]> {
  return ((await stepsOf(link).textContent()) ?? "").match(/\$\d{1,3}(?:\.\d{3})*/g) ?? [];
}

async function download({ page }: CheckoutPage, button: string) {
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: button }).click();
  const file = await downloading;
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), "latin1") };
}

test(
  "a patient follows the receipt's mail to Mi pago, downloads its files and pays early",
  short("patient"),
  async ({ clinic, baseURL, checkAccessibility }) => {
    await clinic.openPurchase(await payByApi(baseURL ?? "", NEVER_ANSWERED));
    await clinic.isPaid();
    await clinic.hasClaim("filed");

    const link = await clinic.openLink("Tu pago en");
    const { page } = link;
    await page.setViewportSize(PHONE);
    await expect(link.heading("Mi pago")).toBeVisible();
    await expect(stepsOf(link).getByRole("listitem")).toHaveCount(5);
    const [first = "", second = ""] = await amountsOf(link);
    expect(first).not.toBe("");
    await expect(page.getByRole("button", { name: `Pagar ${second} ahora` })).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
    await checkAccessibility(page);

    const receipt = await download(link, "Descargar comprobante (PDF)");
    expect([receipt.name, receipt.text.slice(0, 5)]).toEqual(["comprobante.pdf", "%PDF-"]);
    const calendar = await download(link, "Agregar al calendario");
    expect(calendar.name).toBe("segundo-cobro.ics");
    expect(calendar.text).toContain(`SUMMARY:Segundo cobro ${second}`);

    await page.emulateMedia({ media: "print" });
    await expect(stepsOf(link)).toBeVisible();
    await expect(page.getByRole("button")).toHaveCount(0);
    await page.emulateMedia({ media: "screen" });

    await page.getByRole("button", { name: `Pagar ${second} ahora` }).click();
    await expect(link.heading("Revisa y paga")).toBeVisible();
    await checkAccessibility(page);
    await link.payRest();
    await page.getByRole("button", { name: "Volver a mi pago" }).click();
    await expect(stepsOf(link)).toContainText("porque pediste pagarlo antes");
    expect(await amountsOf(link)).toEqual([first, second]);
    await expect(page.getByRole("button", { name: "Agregar al calendario" })).toHaveCount(0);
    await expect(clinic.collectionStatus).toHaveAttribute("data-status", "collected");
  },
);

test(
  "a patient gives another card on Mi pago, which then names it",
  long(
    "widget/src/self-service/after-paid-links.test.tsx",
    "sends the card only sealed, and shows the day of the charge",
  ),
  async ({ clinic, baseURL, checkAccessibility }) => {
    await clinic.openPurchase(await payByApi(baseURL ?? "", NEVER_ANSWERED, CARDS.laterDeclined));
    await clinic.isPaid();
    const link = await clinic.openLink("Tu pago en");
    const { page } = link;
    await page.setViewportSize(PHONE);
    await page.getByRole("button", { name: "Usar otra tarjeta" }).click();
    await checkAccessibility(page);
    await link.useCard(CARDS.challengeLater, "Confirmar la tarjeta");
    await page.getByRole("button", { name: "Volver a mi pago" }).click();
    await page.getByRole("button", { name: /^Pagar .* ahora$/ }).click();
    await expect(page.locator("main")).toContainText("0115");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  },
);
