import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { axeFindings } from "../support/axe-in-page.ts";
import { payByApi } from "../support/begin-by-api.ts";
import { long } from "../support/levels.ts";
import { consoleUrl, signInAsOperator } from "../support/operator-console.ts";
import { freePort, type OwnClinic, startOwnClinic } from "../support/own-clinic.ts";
import { portsFrom, startProduct } from "../support/product.ts";
import { moveClock } from "../support/sandbox-clock.ts";
import { test as base, expect } from "../support/test.ts";

/* A product without a connector for the isapres: operators file each claim and enter its answer in the console. */

const test = base.extend<{ readonly handClinic: OwnClinic }>({
  handClinic: async ({ playwright: _playwright }, use) => {
    const folder = await mkdtemp(join(tmpdir(), "aapd-by-hand-"));
    const own: Record<string, string> = { PRODUCT_DATA_DIR: folder };
    for (const name of Object.keys(portsFrom(0))) own[name] = String(await freePort());
    const before = Object.fromEntries(Object.keys(own).map((name) => [name, process.env[name]]));
    const product = startProduct({ ...own, INSURER: "by-hand" });
    await product.says("Everything runs");
    // Where the tests' support finds the product.
    Object.assign(process.env, own);
    const clinic = await startOwnClinic();
    await use(clinic);
    await clinic.stop();
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    product.interrupt();
    await product.ended;
    await rm(folder, { recursive: true, force: true });
  },
});

// Includes the start of a product.
test.describe.configure({ timeout: 360_000 });

test(
  "an operator downloads a claim's documents, files it, and enters its approval; the rest is charged",
  long(
    "bff/test/http/operations/claims-by-hand.test.ts",
    "files a claim with its documents, enters the approval, and the later charge is collected",
  ),
  async ({ page, handClinic }) => {
    await payByApi(handClinic.origin);
    const { aapd } = handClinic;
    const order = async () => {
      const [found] = (await aapd.listOrders()).orders;
      if (found === undefined) throw new Error("The clinic has no order.");
      return aapd.getOrder(found.hash);
    };
    await signInAsOperator(page, "camila.rojas", "operator");

    await openClaim(page, "claim_to_file", "Hay una solicitud por presentar a la isapre");
    await looksRight(page);
    const downloading = page.waitForEvent("download");
    await page
      .getByRole("listitem")
      .getByRole("link", { name: /\.pdf$/ })
      .click();
    const downloaded = await readFile(await (await downloading).path());
    expect(downloaded.subarray(0, 5).toString()).toBe("%PDF-");
    const filed = page.getByRole("form", { name: "Ya la presenté" });
    await filed.getByLabel("Número de la solicitud en la isapre").fill("2026-778812");
    await filed.getByRole("button").click();
    await expect(page.getByRole("status")).toHaveText("Hecho: Ya la presenté.");
    await expect.poll(async () => (await order()).claim?.status).toBe("filed");

    await openClaim(page, "claim_to_answer", "La isapre todavía no responde una solicitud");
    await looksRight(page);
    const approved = page.getByRole("form", { name: "La isapre la aprobó" });
    await approved.getByLabel("Cuánto reembolsa, en pesos").fill("20000");
    await approved.getByLabel("Día de la aprobación").fill(todayInSantiago());
    await approved.getByLabel("Por qué").fill("portal de la isapre");
    await approved.getByRole("button").click();
    await expect(page.getByRole("status")).toHaveText("Hecho: La isapre la aprobó.");
    // The second part is charged at once, or at 09:00 in Santiago if it is earlier.
    await moveClock(handClinic.credentials, "1d");
    await expect.poll(async () => (await order()).collection?.status).toBe("collected");

    await page.goto(consoleUrl("/audit"));
    for (const act of ["matter.filed_by_hand", "matter.isapre_approved"])
      await expect(page.getByRole("row").filter({ hasText: act }).first()).toBeVisible();
  },
);

/** Such as 2026-12-03. */
function todayInSantiago(): string {
  return new Date().toLocaleDateString("sv-SE", { timeZone: "America/Santiago" });
}

/** Opens the only claim of a kind, once the list has it. */
async function openClaim(page: Page, kind: string, title: string): Promise<void> {
  const link = page.getByRole("cell").getByRole("link", { name: title });
  await expect(async () => {
    await page.goto(consoleUrl(`/exceptions?kind=${kind}`));
    await expect(link).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await link.click();
  await expect(page.getByRole("heading", { level: 2, name: "La solicitud" })).toBeVisible();
}

/** Checks with axe and for width, on a phone and at a desk. No fact is without a value. */
async function looksRight(page: Page): Promise<void> {
  for (const value of await page.getByRole("definition").all()) await expect(value).toHaveText(/\S/);
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await axeFindings(page, { rules: { "target-size": { enabled: true } } }), `${width}`).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `${width}`).toBeLessThanOrEqual(width);
  }
}
