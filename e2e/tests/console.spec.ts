import type { Page } from "@playwright/test";
import { axeFindings } from "../support/axe-in-page.ts";
import { payByApi } from "../support/begin-by-api.ts";
import { long, PICTURE, short } from "../support/levels.ts";
import { brokenNumbers } from "../support/numbers-in-page.ts";
import { consoleUrl, signInAsOperator } from "../support/operator-console.ts";
import { type OwnClinic, startOwnClinic } from "../support/own-clinic.ts";
import { moveClock } from "../support/sandbox-clock.ts";
import { test as base, expect } from "../support/test.ts";

/** An operator's work in a browser, at a clinic whose clock and exceptions belong to this test. */
const test = base.extend<{ readonly ownClinic: OwnClinic }>({
  ownClinic: async ({ playwright: _playwright }, use) => {
    const clinic = await startOwnClinic();
    await use(clinic);
    await clinic.stop();
  },
});

/** Pays, and advances time until the second part can no longer be charged. */
async function failedCollection({ origin, credentials }: OwnClinic): Promise<void> {
  await payByApi(origin, "tarjeta-robada-despues");
  await moveClock(credentials, "60d");
}

/**
 * Checks with axe, for width and for unbroken numbers: a phone in the dark scheme, a tablet and a desktop in the light
 * one.
 */
async function looksRight(page: Page): Promise<void> {
  for (const [colorScheme, width] of SCREENS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    const where = `${page.url()} ${colorScheme} ${width}`;
    expect(await axeFindings(page, { rules: { "target-size": { enabled: true } } }), where).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), where).toBeLessThanOrEqual(width);
    expect(await page.evaluate(brokenNumbers, false), where).toEqual([]);
  }
}

const SCREENS = [
  ["dark", 360],
  ["light", 800],
  ["light", 1280],
] as const;

test(
  "an operator finds a waiting exception, understands it, and settles it; no page needs a script",
  short("operator"),
  async ({ browser, ownClinic }) => {
    await failedCollection(ownClinic);
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await signInAsOperator(page, "camila.rojas", "operator");

    await page.getByRole("link", { name: "Excepciones" }).click();
    await page.getByText("Filtrar y ordenar").click();
    const filter = page.getByRole("form", { name: "Filtrar" });
    await filter.getByLabel("Qué").selectOption("collection_failed");
    // Many clinics of the sandbox have the same name.
    await filter.getByLabel("Clínica").selectOption(ownClinic.providerId);
    await filter.getByRole("button", { name: "Filtrar" }).click();

    await page.getByRole("row").last().getByRole("link", { name: "El segundo cobro" }).click();
    await page.getByRole("link", { name: /^[0-9a-f-]{36}$/ }).click();
    await expect(page.getByText("Un cobro de la segunda parte", { exact: false }).first()).toBeVisible();
    await page.goBack();
    const handled = page.getByRole("form", { name: "Apartar: ya está visto" });
    await handled.getByLabel("Por qué").fill("paga en la caja de la clínica");
    await handled.getByRole("button").click();
    await expect(page.getByRole("status")).toHaveText("Hecho: Apartar: ya está visto.");

    await page.getByRole("link", { name: "Auditoría" }).click();
    await expect(page.getByRole("row").filter({ hasText: "matter.handled" }).first()).toContainText(
      "paga en la caja de la clínica",
    );
    await page.getByRole("button", { name: "Salir" }).click();
    await page.goto(consoleUrl("/exceptions"));
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Ingresar");
    await context.close();
  },
);

test(
  "every page of the console is accessible, on a phone and at a desk, light and dark",
  long(PICTURE),
  async ({ page, ownClinic }) => {
    test.slow();
    await failedCollection(ownClinic);
    await signInAsOperator(page, "camila.rojas", "operator");
    await looksRight(page);
    const link = async (name: string | RegExp) =>
      (await page.getByRole("link", { name }).last().getAttribute("href")) ?? "";
    await page.goto(consoleUrl("/clinics"));
    await looksRight(page);
    const clinic = `/clinics/${ownClinic.providerId}`;
    await page.goto(consoleUrl(clinic));
    await looksRight(page);
    const webhook = await link(/^http/);
    const email = page.getByRole("form", { name: "Cambiar el correo de ayuda" });
    await email.getByLabel("Correo").fill("otra.direccion@clinica.example.com");
    await email.getByRole("button").click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Falta otra persona");
    await looksRight(page);
    await page.goto(consoleUrl(`/exceptions?provider_id=${ownClinic.providerId}`));
    await looksRight(page);
    const [exception, order] = [await link(/segundo cobro/), await link(/^[0-9a-f]{8}$/)];
    const month = new Date(Date.now() + 45 * 86_400_000).toISOString().slice(0, 7);
    for (const path of [
      exception,
      order,
      webhook,
      `${clinic}/money?month=${month}`,
      `${clinic}/ledger?month=${month}`,
      `${clinic}/reconciliation`,
      "/money",
      "/gateways",
      "/orders",
      "/switches",
      "/approvals",
      "/audit",
      "/operators",
      "/sign-in",
      "/nowhere-at-all",
    ]) {
      await page.goto(consoleUrl(path));
      await looksRight(page);
    }
  },
);
