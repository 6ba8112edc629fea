import type { Page } from "@playwright/test";
import { createPartnerClient } from "bff/partner-client/partner-client";
import { CheckoutPage } from "../kit/checkout-page.ts";
import { ClinicPage } from "../kit/clinic-page.ts";
import { newPatient, type Patient } from "../kit/patients.ts";
import { long, short } from "../support/levels.ts";
import { clinicCredentials, productUrls } from "../support/tenant.ts";
import { expect, test } from "../support/test.ts";

/*
 * Both ways to recover a RUT that is registered under another e-mail. The mails are read where the demo shows them: on
 * the clinic's page, in the mailbox of that page's patient.
 */

/** A standalone sign-up, in another tab than the clinic's. */
async function openSignUp(clinic: ClinicPage): Promise<CheckoutPage> {
  const { client_secret: clientSecret, public_key: publicKey } = await clinicCredentials();
  const { orderApiUrl, spotApiUrl } = productUrls();
  const { url } = await createPartnerClient({ orderApiUrl, spotApiUrl, clientSecret, publicKey }).mintWidgetToken({});
  const page = await clinic.page.context().newPage();
  await page.goto(url);
  return new CheckoutPage(page);
}

/** The clinic's page with a patient whom it signs up, so that their mailbox exists. */
async function mailboxOf(page: Page, patient: Patient): Promise<ClinicPage> {
  const clinic = new ClinicPage(page);
  await clinic.startCheckout(patient);
  return clinic;
}

async function signUp(page: CheckoutPage, patient: Patient): Promise<void> {
  await page.page.getByLabel("RUT", { exact: true }).fill(patient.rut);
  await page.register(patient);
}

/** The newest code in a clinic page's mailbox. */
async function newestCode(clinic: ClinicPage): Promise<string> {
  await clinic.page.getByRole("tab", { name: "Avisos" }).click();
  const text = await clinic.notice("Tu código").first().textContent();
  return /\b\d{6}\b/.exec(text ?? "")?.[0] ?? "";
}

test(
  "a RUT under another e-mail: the code goes to the registered address, and nothing changes",
  short("patient"),
  async ({ page, checkAccessibility }) => {
    const patient = newPatient();
    const clinic = await mailboxOf(page, patient);
    await clinic.checkout.acceptSummary();
    await clinic.checkout.register(patient);
    await clinic.checkout.proveIdentity(patient.documentSerial);
    await expect(clinic.checkout.heading("Tu tarjeta")).toBeVisible();

    const signup = await openSignUp(clinic);
    await signUp(signup, { ...patient, email: `otro.${patient.email}` });
    await expect(signup.heading("Tu RUT ya está registrado")).toBeVisible();
    // With only a RUT, a stranger sees no more than this masked address.
    await expect(signup.page.locator("main")).not.toContainText(patient.email);
    await expect(signup.page.locator("main")).toContainText("p•••@e•••.com");
    await checkAccessibility(signup.page);
    await signup.page.getByRole("button", { name: /Recibir un código en ese correo/ }).click();
    await expect(signup.heading("Escribe el código")).toBeVisible();

    const code = await newestCode(clinic);
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, "0");
    await signup.answerCode(wrong);
    await expect(signup.alert).toContainText("El código no es correcto");
    await signup.answerCode(code);
    await expect(signup.heading(/Listo/)).toBeVisible();
  },
);

test(
  "a RUT under a lost address moves to a new one by identity, and the old mailbox takes it back",
  long(
    "bff/test/http/spot/recovery.test.ts",
    "moves the RUT to the new address by identity, without access, notifies the old one, and is audited",
    "returns the RUT to the old address once, and notifies the new one",
  ),
  async ({ page, context }) => {
    test.slow();
    const patient = newPatient();
    const thief = { ...patient, email: `nuevo.${patient.email}` };
    const oldMailbox = await mailboxOf(page, patient);
    await oldMailbox.checkout.acceptSummary();
    await oldMailbox.checkout.register(patient);
    await oldMailbox.checkout.proveIdentity(patient.documentSerial);
    await expect(oldMailbox.checkout.heading("Tu tarjeta")).toBeVisible();
    // The RUT is already registered, so the address given by the clinic changes nothing. This page shows the new
    // address's mails.
    const newMailbox = await mailboxOf(await context.newPage(), thief);

    const signup = await openSignUp(oldMailbox);
    await signUp(signup, thief);
    await expect(signup.heading("Tu RUT ya está registrado")).toBeVisible();
    await signup.page.getByRole("button", { name: /Ya no uso ese correo/ }).click();
    await expect(signup.heading("Confirma que eres tú")).toBeVisible();
    await signup.page.getByLabel("Número de documento").fill(patient.documentSerial);
    await signup.page.getByLabel("Correo nuevo").fill(thief.email);
    await signup.page.getByRole("button", { name: "Enviar código" }).click();
    await expect(signup.heading("Escribe el código")).toBeVisible();
    await signup.answerCode(await newestCode(newMailbox));
    await expect(signup.heading(/Listo/)).toBeVisible();

    await oldMailbox.page.getByRole("tab", { name: "Avisos" }).click();
    const notice = oldMailbox.notice("El correo de tu cuenta cambió").first();
    await notice.locator("summary").click();
    const opening = context.waitForEvent("page");
    await notice.getByRole("link", { name: /widget_token=/ }).click();
    const objection = new CheckoutPage(await opening);
    await expect(objection.heading("¿Cambiaste tu correo?")).toBeVisible();
    await objection.page.getByRole("button", { name: "No fui yo, deshacer el cambio" }).click();
    await expect(objection.heading("Listo, deshicimos el cambio")).toBeVisible();
    await objection.page.reload();
    await expect(objection.heading("Este enlace ya se usó")).toBeVisible();

    await newMailbox.page.getByRole("tab", { name: "Avisos" }).click();
    await expect(newMailbox.notice("Deshicimos el cambio de correo").first()).toBeAttached();
    // The RUT belongs to the old address again, so the new one gets the same refusal as at first.
    const again = await openSignUp(oldMailbox);
    await signUp(again, thief);
    await expect(again.heading("Tu RUT ya está registrado")).toBeVisible();
  },
);
