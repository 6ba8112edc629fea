import { SCENARIOS } from "host-demo/scenarios/catalogue";
import { MAGIC_RUTS } from "host-demo/scenarios/magic-values";
import { CARDS } from "../kit/cards.ts";
import { newPatient } from "../kit/patients.ts";
import { payByApi } from "../support/begin-by-api.ts";
import { long, PICTURE, short } from "../support/levels.ts";
import { brokenNumbers } from "../support/numbers-in-page.ts";
import { expect, test } from "../support/test.ts";

/* The demo's pages for testers, designers and integrators. */

test(
  "every scenario is listed and opens the shop with its patient and service",
  long("e2e/tests/scenarios.spec.ts", "pago-aprobado: Paciente nuevo paga, la isapre aprueba y se cobra el resto"),
  async ({ page, checkAccessibility }) => {
    await page.goto("/#/escenarios");
    await expect(page.getByRole("link", { name: /^Probar: / })).toHaveCount(SCENARIOS.length);
    await checkAccessibility();
    await page.getByRole("link", { name: "Probar: La isapre espera un documento más" }).click();
    await expect(page.getByRole("radio", { name: /Ecografía abdominal/ })).toBeChecked();
    await expect(page.getByRole("combobox", { name: "Paciente" }).locator("option:checked")).toContainText(
      "41.064.117-8",
    );
    await expect(page.getByRole("region", { name: /^Escenario: / })).toContainText(CARDS.approved.number);
    await checkAccessibility();
  },
);

test(
  "the gallery finds a state by keyboard, shows its full height and imitates the patient's device",
  short("partner"),
  async ({ page, checkAccessibility }) => {
    await page.goto("/#/galeria");
    const tree = page.getByRole("navigation", { name: "Pantallas y estados" });
    await tree.getByRole("searchbox").fill("codigo wrong");
    await expect(tree.getByRole("status")).toHaveText("1 estado");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/galeria\?group=recognition&state=recognition-wrong$/);
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
    await expect(tree.getByRole("link", { name: "recognition-wrong" })).toBeFocused();
    await expect(tree.getByRole("link", { name: "recognition-wrong" })).toHaveAttribute("aria-current", "true");

    const frame = page.locator("iframe");
    await expect(frame).toHaveCount(1);
    const root = frame.contentFrame().locator("html[data-gallery-state=shown]");
    const hidden = () => root.evaluate((html) => html.scrollHeight - innerHeight);
    const spare = () => root.evaluate(() => innerHeight - document.body.getBoundingClientRect().height);
    await expect.poll(hidden).toBe(0);
    await checkAccessibility();

    await page.getByLabel("Tamaño del texto").selectOption("200 %");
    await page.getByLabel("Contraste").selectOption("forced");
    await page.getByLabel("Contenido").selectOption("long");
    await page.reload();
    await expect(page.getByLabel("Contenido")).toHaveValue("long");
    await expect(frame.contentFrame().getByText("$999.999.999").first()).toBeVisible();
    await expect(root).toHaveCSS("font-size", "32px");
    await expect(frame.contentFrame().getByRole("main")).toHaveCSS("background-color", "rgb(255, 255, 255)");
    await expect.poll(hidden).toBe(0);
    await expect.poll(spare).toBeLessThan(1);
    await checkAccessibility();
  },
);

test(
  "a patient registered in the sandbox is registered at the demo's own clinic",
  short("partner"),
  async ({ clinic }) => {
    const patient = { ...newPatient(), rut: MAGIC_RUTS.registeredElsewhere.rut };
    await clinic.startCheckout(patient);
    await clinic.checkout.acceptSummary();
    await clinic.checkout.register(patient);
    await clinic.checkout.proveIdentity(patient.documentSerial);
    await expect(clinic.checkout.heading("Tu RUT ya está registrado")).toBeVisible();
  },
);

test(
  "the gallery shows every state as the checkout itself renders it, in the columns that its address names",
  long(PICTURE),
  async ({ page }) => {
    await page.goto("/#/galeria?group=card&width=all&scheme=all&locale=en&radius=large");
    const frames = page.locator("iframe");
    await expect(frames.first()).toBeVisible();
    const first = frames.first().contentFrame();
    await expect(first.getByRole("heading", { level: 1 })).toHaveText("Your card");
    await expect(first.locator("[data-radius=large][data-scheme=light]")).toBeAttached();
    // Each state has four widths and two schemes.
    expect((await frames.count()) % 8).toBe(0);
    await expect(frames.nth(1)).toHaveAttribute("data-scheme", "dark");
    await expect(frames.nth(2)).toHaveAttribute("width", "360");

    const summary = page.getByRole("group").filter({ hasText: "Resumen" });
    await summary.getByText("Resumen").click();
    await summary.getByRole("link", { name: "Todos los estados" }).click();
    await expect(page).toHaveURL(/galeria\?(?!.*group=card)/);
    await expect(frames.first().contentFrame().getByRole("heading", { level: 1 })).toHaveText(
      "Get care now, pay later",
    );
  },
);

test(
  "a webhook is shown with its attempts and answers, and can be replayed alone or since a time",
  short("partner"),
  async ({ page, clinic, baseURL, checkAccessibility }) => {
    await clinic.openPurchase(await payByApi(baseURL ?? ""));
    await clinic.isPaid();
    const created = await clinic.happenings("order_created").textContent();
    const [reference = "no reference"] = /CLA-[0-9A-F]{8}/.exec(created ?? "") ?? [];
    const id = new URL(page.url()).hash.split("/").at(-1);

    await page.goto("/#/entregas");
    const delivery = page.getByTestId("delivery").filter({ hasText: reference });
    await expect(delivery).toHaveAttribute("data-status", "delivered");
    await expect(delivery).toContainText("order.paid");
    await checkAccessibility();
    await delivery.getByText("1 intento", { exact: true }).click();
    await expect(delivery.getByRole("listitem")).toContainText("recibido (204)");
    await expect(delivery.getByRole("listitem")).toContainText("Respondió sin contenido.");
    await delivery.getByRole("button", { name: "Enviar otra vez" }).click();
    await expect(delivery.getByRole("listitem")).toHaveCount(2);
    await expect(delivery).toHaveAttribute("data-status", "delivered");

    const accepted = await page.request.post(`/api/purchases/${id}/bench/webhooks`, { data: { failNext: 1 } });
    expect(accepted.status()).toBe(204);
    const at = (await delivery.locator("time").getAttribute("datetime")) ?? "";
    await page.getByLabel("Enviar otra vez todo desde").fill(minuteInSantiago(at));
    await page.getByRole("button", { name: "Enviar todo otra vez" }).click();
    await expect(page.getByRole("status").filter({ hasText: /^Se envían? otra vez \d+ webhooks?\.$/ })).toBeVisible();
    const third = delivery.getByRole("listitem").nth(2);
    await expect(third).toContainText("respondió 503");
    const answer = third.getByRole("figure", { name: "Lo primero que respondió:" });
    await expect(answer).toHaveText(/{"detail":"this receiver was told to fail"}/);
    await checkAccessibility();
  },
);

/** The value of a `datetime-local` field for a time on the clinic's clock. */
function minuteInSantiago(at: string): string {
  const shown = new Date(at).toLocaleString("sv-SE", { timeZone: "America/Santiago" });
  return shown.slice(0, 16).replace(" ", "T");
}

test(
  "a notice is shown as text, as the mail that reaches a phone, without scripts, and as a short message",
  short("partner"),
  async ({ page, clinic, baseURL, checkAccessibility, isRefused }) => {
    await clinic.openPurchase(await payByApi(baseURL ?? ""));
    await page.getByRole("tab", { name: "Avisos" }).click();
    const notice = clinic.notice("Tu pago en");
    await notice.locator("summary").click();
    const message = clinic.message("recibimos tu pago de").first();
    await expect(message).toBeVisible();
    await expect(message.getByRole("link")).toHaveCount(0);
    await checkAccessibility();
    const opened = page.waitForEvent("popup");
    await notice.getByRole("link", { name: "Ver el correo como llega" }).click();
    const mail = await opened;
    await mail.setViewportSize({ width: 360, height: 740 });
    await expect(mail).toHaveTitle(/^Tu pago en /);
    await expect(mail.getByText("¿Dudas? Escríbele a ")).toBeVisible();
    const logo = mail.getByRole("img", { name: "Clínica Los Aromos del Sur SpA" });
    await expect(logo).toHaveJSProperty("naturalWidth", 396);
    expect(await mail.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await mail.setViewportSize({ width: 320, height: 740 });
    expect(await mail.evaluate(brokenNumbers, false)).toEqual([]);
    // An opaque origin, so that even a script in a mail could not access the clinic's.
    expect(await mail.evaluate(() => origin)).toBe("null");
    // A script that was injected into a mail does not run.
    await mail.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "document.title = 'a script ran';";
      document.body.append(script);
    });
    await expect(mail).toHaveTitle(/^Tu pago en /);
    await isRefused("Blocked script execution");
    await mail.close();
  },
);

test(
  "the inspector shows the messages of page and frame, and that a fresh token was given, but not the token",
  short("partner"),
  async ({ page, clinic }) => {
    await page.clock.install();
    await clinic.startCheckout(newPatient());
    await expect(clinic.checkout.heading("Atiéndete ahora, paga después")).toBeVisible();
    await page.getByRole("tab", { name: "Mensajes" }).click();
    const messages = page.getByRole("tabpanel", { name: "Mensajes" });
    // No "announce": a frame that has received `hello` does not request another.
    for (const name of ["hello", "ready", "step"]) {
      await expect(messages.locator(`li[data-name="${name}"]`).first()).toBeVisible();
    }
    const minting = page.waitForResponse((response) => response.url().endsWith("/token"));
    await page.clock.fastForward("57:00");
    const { url }: { url: string } = await (await minting).json();
    const token = new URL(url).searchParams.get("widget_token") ?? "none was minted";
    await expect(messages.locator('li[data-name="token"]')).toContainText("•••");
    await expect(messages).not.toContainText(token);
  },
);

test("another page of the clinic moves no link to the others", short("partner"), async ({ page }) => {
  const places = async (address: string): Promise<number[]> => {
    await page.goto(address);
    await expect(page.locator("nav a[aria-current=page]")).toHaveAttribute("href", address.slice(1));
    return page.locator("nav a").evaluateAll((links) => links.map((link) => link.getBoundingClientRect().left));
  };
  const first = await places("/#/");
  expect(await places("/#/escenarios")).toEqual(first);
  expect(await places("/#/entregas")).toEqual(first);
});

test(
  "a purchase is listed in the shop, and as paid once it is, without a reload",
  short("partner"),
  async ({ page, clinic, baseURL }) => {
    await clinic.openPurchase(await payByApi(baseURL ?? ""));
    await clinic.isPaid();
    const created = await clinic.happenings("order_created").textContent();
    const [reference = "no reference"] = /CLA-[0-9A-F]{8}/.exec(created ?? "") ?? [];
    await page.getByRole("link", { name: "Reservar" }).click();
    const recent = page.getByRole("region", { name: "Reservas recientes" }).getByRole("listitem");
    await expect(recent.filter({ hasText: reference })).toContainText("Pagada");
  },
);

test("a price is shown in two parts, under the page's own policy", short("partner"), async ({ page }) => {
  const refused: string[] = [];
  page.on("console", (message) => message.type() === "error" && refused.push(message.text()));
  await page.goto("/");
  const message = page.locator("aapd-message");
  await expect(message).toContainText("Hoy $11.697, el segundo cobro cuando tu isapre responda.");
  await page.getByRole("radio", { name: /Ecografía abdominal/ }).check();
  await expect(message).toContainText("Hoy $20.693");
  expect(refused).toEqual([]);
});

test("the address of an unknown payment says so", short("partner"), async ({ page, checkAccessibility }) => {
  await page.goto(`/#/pago/${crypto.randomUUID()}`);
  await expect(page.getByRole("alert")).toHaveText("No encontramos esta compra.");
  await checkAccessibility();
  await page.getByRole("link", { name: "Volver a las reservas" }).click();
  await expect(page.getByRole("heading", { name: "Reserva tu atención" })).toBeVisible();
});

test("an interrupted jump of the time machine is resumed", short("partner"), async ({ page, clinic }) => {
  await page.clock.install();
  const now = new Date().toISOString();
  let remainingSeconds = 86_400;
  const asked: unknown[] = [];
  await page.route("**/api/time", (route) => route.fulfill({ json: { now, remainingSeconds } }));
  await page.route("**/bench/days", (route) => {
    asked.push(route.request().postDataJSON());
    remainingSeconds = 0;
    return route.fulfill({ json: { now, remainingSeconds } });
  });
  await clinic.startCheckout(newPatient());
  const machine = page.getByRole("region", { name: "Máquina del tiempo" });
  await expect(machine.getByText("Pasan los días…")).toBeVisible();
  await expect(machine.getByRole("button", { name: "+1 día" })).toBeDisabled();
  await page.clock.runFor(16_000);
  await expect(machine.getByText("El tiempo se detuvo en el camino.")).toBeVisible();
  await machine.getByRole("button", { name: "Seguir" }).click();
  await expect(machine.getByRole("button", { name: "+1 día" })).toBeEnabled();
  expect(asked).toEqual([{ days: 0 }]);
});

test(
  "the patient's view has no tester's controls, and switching keeps typed data",
  short("partner"),
  async ({ page, clinic, checkAccessibility }) => {
    const { rut, firstName, lastName, email, phone } = newPatient();
    const person = { rut, first_name: firstName, last_name: lastName, email, phone };
    await page.goto(`/?${new URLSearchParams({ ...person, vista: "paciente" })}`);
    await expect(page.getByRole("complementary").getByText(`${firstName} ${lastName}`)).toBeVisible();
    for (const tool of [page.getByRole("navigation"), page.getByRole("combobox"), page.getByText(rut)]) {
      await expect(tool).toHaveCount(0);
    }
    await checkAccessibility();
    await page.getByRole("button", { name: "Atiéndete ahora, paga después" }).click();
    const { checkout } = clinic;
    await checkout.isOpen();
    const logo = checkout.frame.getByRole("img", { name: "Clínica Los Aromos del Sur" });
    await expect(logo).toHaveJSProperty("naturalWidth", 396);
    await checkout.acceptSummary();
    const insurer = checkout.frame.getByLabel("Tu isapre", { exact: true });
    await insurer.selectOption({ label: "Colmena" });
    await checkAccessibility();

    const bench = page.getByRole("complementary", { name: "Banco de pruebas" });
    await expect(bench).toHaveCount(0);
    await page.getByRole("button", { name: "Banco de pruebas" }).click();
    await expect(bench).toBeVisible();
    await expect(page.getByRole("main")).toBeFocused();
    await expect(insurer.locator("option:checked")).toHaveText("Colmena");
    await page.getByRole("button", { name: "Vista de paciente" }).click();
    await expect(page).toHaveURL(/[?&]vista=paciente/);
    await page.reload();
    await checkout.isOpen();
    await expect(bench).toHaveCount(0);
  },
);
