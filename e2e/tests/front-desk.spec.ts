import { type Browser, devices, type Locator, type Page } from "@playwright/test";
import { decodeQR } from "qr/decode.js";
import { CARDS } from "../kit/cards.ts";
import { CheckoutFrame } from "../kit/checkout-frame.ts";
import { CheckoutPage } from "../kit/checkout-page.ts";
import { newPatient, type Patient } from "../kit/patients.ts";
import { short } from "../support/levels.ts";
import { expect, test } from "../support/test.ts";
import { watch } from "../support/watch.ts";

/**
 * The patient's own phone, which shares nothing with the desk's browser. Anything blocked on it is added to
 * `violations`.
 */
async function openOnPhone(browser: Browser, url: string) {
  const context = await browser.newContext({ ...devices["Pixel 7"], locale: "es-CL", timezoneId: "America/Santiago" });
  const violations = await watch(context);
  const page = await context.newPage();
  await page.goto(url);
  return { page, checkout: new CheckoutPage(page), violations };
}

/** The screen *Mesón*, with a payment of this patient. */
async function chargeAtDesk(page: Page, patient: Patient, amount = "38.990"): Promise<void> {
  await page.goto("/#/meson");
  await page.getByRole("combobox", { name: "Paciente" }).selectOption({ label: "Otro paciente…" });
  await page.getByRole("textbox", { name: "RUT" }).fill(patient.rut);
  await page.getByLabel("Nombres").fill(patient.firstName);
  await page.getByLabel("Apellidos").fill(patient.lastName);
  await page.getByLabel("Correo").fill(patient.email);
  await page.getByLabel("Celular").fill(patient.phone);
  await page.getByLabel("Monto en pesos").fill(amount);
  await page.getByRole("button", { name: "Mostrar el código" }).click();
}

const CAMERA_PIXELS = 640;

/** Decodes the code on the desk's screen, like a camera. */
async function scan(code: Locator): Promise<string> {
  const seen = await code.evaluate(async (image: HTMLImageElement, size) => {
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = size;
    const context = canvas.getContext("2d");
    if (context === null) throw new Error("there is no canvas");
    // White, as on the dark page, in case the image has a transparent background.
    context.fillStyle = "#132321";
    context.fillRect(0, 0, size, size);
    context.drawImage(image, 0, 0, size, size);
    const { data } = context.getImageData(0, 0, size, size);
    // Whether each pixel is light. The whole image would take long to leave the browser.
    return Array.from({ length: size * size }, (_, at) => ((data[at * 4] ?? 0) > 127 ? "1" : "0")).join("");
  }, CAMERA_PIXELS);
  const pixels = [...seen].flatMap((light) => [...Array(3).fill(light === "1" ? 255 : 0), 255]);
  return decodeQR({ width: CAMERA_PIXELS, height: CAMERA_PIXELS, data: new Uint8Array(pixels) });
}

test(
  "a visit from the desk continues on the patient's phone, and the desk sees the payment",
  short("partner"),
  async ({ page, browser, checkAccessibility }) => {
    const patient = newPatient();
    await chargeAtDesk(page, patient);
    const atDesk = /#\/meson\/[0-9a-f-]{36}$/;
    await expect(page).toHaveURL(atDesk);
    const [desk, state] = [page.url(), page.getByRole("status").first()];
    await expect(state).toContainText("Esperando el pago");
    const code = page.getByRole("img", { name: /^Código QR/ });
    const address = await scan(code);
    await checkAccessibility();

    await page.getByRole("button", { name: "Abrir el pago en esta pantalla" }).click();
    const begun = new CheckoutFrame(page);
    await begun.acceptSummary();
    await begun.register(patient, "Colmena", null);
    await begun.proveIdentity(patient.documentSerial);
    await expect(begun.heading("Tu tarjeta")).toBeVisible();
    await page.goto(desk);
    await expect(code).toBeVisible();

    const phone = await openOnPhone(browser, address);
    await phone.checkout.addCard(CARDS.approved);
    await phone.checkout.pay();
    await phone.checkout.isDone();
    await expect(phone.page.getByText(/^Cuando termines, puedes cerrar esta página\.$/)).toBeVisible();
    await expect(phone.page.getByRole("button", { name: /^Volver/ })).toHaveCount(0);
    const width = await phone.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(width).toBeLessThanOrEqual(0);
    await checkAccessibility(phone.page);

    await expect(state).toContainText("Pagada");
    await expect(code).toHaveCount(0);
    await checkAccessibility();
    // A later scan of the code reveals only that it is paid.
    await phone.page.reload();
    await expect(phone.checkout.heading("Este pago ya está hecho")).toBeVisible();
    expect(phone.violations).toEqual([]);
  },
);

test(
  "the desk mails the checkout to the patient, who opens it from the mail, five times an hour at most",
  short("partner"),
  async ({ page, browser }) => {
    const patient = newPatient();
    await chargeAtDesk(page, patient);
    await page.getByRole("button", { name: "Enviar por correo" }).click();
    await expect(page.getByText(`Enviado a ${patient.email}.`)).toBeVisible();
    const id = new URL(page.url()).hash.split("/").at(-1);

    const mailed = async () => (await page.request.get(`/api/purchases/${id}/notices`)).text();
    const link = /http:\/\/localhost:\d+\/\?widget_token=[^\s"\\<]+/;
    await expect.poll(mailed).toMatch(link);
    const [url = ""] = link.exec(await mailed()) ?? [];
    const phone = await openOnPhone(browser, url.replaceAll("&amp;", "&"));
    await expect(phone.checkout.heading("Atiéndete ahora, paga después")).toBeVisible();
    expect(phone.violations).toEqual([]);

    for (let sent = 1; sent < 5; sent += 1) {
      const answer = page.waitForResponse(/\/mail$/);
      await page.getByRole("button", { name: "Enviar otra vez por correo" }).click();
      expect((await answer).status()).toBe(204);
    }
    await page.getByRole("button", { name: "Enviar otra vez por correo" }).click();
    await expect(page.getByRole("alert")).toHaveText(/Espera una hora o muestra el código/);
    await expect(page.getByRole("img", { name: /^Código QR/ })).toBeVisible();
  },
);

test("a receptionist's typing error is shown, and nothing is charged", short("partner"), async ({ page }) => {
  for (const amount of ["", "0", "12,5", "-100", "mil"]) {
    await chargeAtDesk(page, newPatient(), amount);
    await expect(page.getByRole("alert")).toHaveText("Escribe el monto en pesos, sin decimales.");
  }
  await chargeAtDesk(page, { ...newPatient(), email: "" });
  await expect(page.getByRole("alert")).toHaveText("Completa los datos del paciente.");
  await chargeAtDesk(page, { ...newPatient(), email: "sin arroba" });
  await expect(page.getByRole("alert")).toHaveText("Revisa los datos ingresados.");
});
