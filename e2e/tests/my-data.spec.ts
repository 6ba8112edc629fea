import { readFile } from "node:fs/promises";
import { createPartnerClient } from "bff/partner-client/partner-client";
import { CARDS } from "../kit/cards.ts";
import type { ClinicPage } from "../kit/clinic-page.ts";
import { newPatient, type Patient } from "../kit/patients.ts";
import { long, short } from "../support/levels.ts";
import { clinicCredentials, productUrls } from "../support/tenant.ts";
import { expect, test } from "../support/test.ts";

/* A patient's own data, through the link in the mail: view, download, withdraw, erase. */

/** Acts like the clinic's page when a patient asks for their data there. */
async function askForData(patient: Patient): Promise<void> {
  const { client_secret: clientSecret, public_key: publicKey } = await clinicCredentials();
  const { orderApiUrl, spotApiUrl } = productUrls();
  await createPartnerClient({ orderApiUrl, spotApiUrl, clientSecret, publicKey }).sendDataLink(patient.rut);
}

async function payOnce(clinic: ClinicPage, patient: Patient): Promise<void> {
  await clinic.startCheckout(patient);
  await clinic.checkout.acceptSummary();
  await clinic.checkout.register(patient, "Colmena", "mi-clave-de-isapre");
  await clinic.checkout.proveIdentity(patient.documentSerial);
  await clinic.checkout.addCard(CARDS.approved, true);
  await clinic.checkout.pay();
  await clinic.checkout.isDone();
}

test(
  "a patient follows the receipt's link to see, download, withdraw and erase whatever no law keeps",
  long(
    "widget/src/self-service/my-data-page.test.tsx",
    "are shown only after the code, and sealed values only by name",
    "can be downloaded completely, as JSON",
    "shows the consequences and the remaining debt before, and the effects after",
    "needs a confirmation, and lists the data that stay and why",
  ),
  async ({ clinic, checkAccessibility }) => {
    test.slow();
    const patient = newPatient();
    await payOnce(clinic, patient);
    await clinic.checkout.askForData();
    const link = await clinic.openLink("Tus datos");
    const { page } = link;
    const main = page.locator("main");
    await expect(link.heading("Tus datos")).toBeVisible();
    await expect(main).toContainText(patient.email);
    await expect(main).toContainText("Guardada, cifrada");
    await checkAccessibility(page);

    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Descargar todo" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe("mis-datos.json");
    const data = JSON.parse(await readFile(await download.path(), "utf8"));
    expect(data.patient.email).toBe(patient.email);
    expect(data.orders).toHaveLength(1);
    expect(JSON.stringify(data)).not.toContain("mi-clave-de-isapre");
    const consents: { shown_at: string | null; accepted_at: string }[] = data.consents;
    expect(consents.length).toBeGreaterThan(4);
    for (const { shown_at, accepted_at } of consents)
      expect(Date.parse(shown_at ?? "")).toBeLessThanOrEqual(Date.parse(accepted_at));

    await page.getByRole("button", { name: "Borrar Visa ••6623" }).click();
    await page.getByRole("button", { name: "Sí, borrar la tarjeta" }).click();
    await expect(page.getByRole("status")).toContainText("la tarjeta ya no se puede usar");

    await page.getByRole("button", { name: "Retirar: Mandato de reembolso" }).click();
    await expect(link.heading("¿Retirar «Mandato de reembolso»?")).toBeVisible();
    await expect(main).toContainText("Lo que debes no cambia");
    await page.getByRole("button", { name: "Sí, retirar" }).click();
    await expect(page.getByRole("status")).toContainText("Borramos la clave de tu isapre.");
    await expect(main).toContainText("No la tenemos");

    await page.getByRole("button", { name: "Borrar mis datos" }).click();
    await page.getByRole("button", { name: "Sí, borrar mis datos" }).click();
    await expect(link.heading("Ya borramos lo que se podía")).toBeVisible();
    await expect(main).toContainText("Tu nombre y tu contacto: mientras quede algo por cobrar");
    await link.close();
    await expect(clinic.notice("Estamos borrando tus datos").first()).toBeAttached();
  },
);

test("an unregistered visitor sees the usual answer and gets no mail", short("patient"), async ({ clinic }) => {
  const patient = newPatient();
  await clinic.startCheckout(patient);
  await askForData(patient);
  await clinic.page.getByRole("tab", { name: "Avisos" }).click();
  await expect(clinic.page.getByText("El paciente todavía no ha recibido ningún aviso.")).toBeVisible();
  await expect(clinic.notice("Tus datos")).toHaveCount(0);
});
