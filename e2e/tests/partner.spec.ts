import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { CARDS } from "../kit/cards.ts";
import { CheckoutFrame } from "../kit/checkout-frame.ts";
import { newPatient } from "../kit/patients.ts";
import { claimUntilCollected } from "../support/claim-until-collected.ts";
import { short } from "../support/levels.ts";
import { freePort, registerWebhook } from "../support/own-clinic.ts";
import { createTenant, productUrls } from "../support/tenant.ts";
import { expect, test } from "../support/test.ts";

const FRONT = new URL("../partner-page/page.html", import.meta.url);
const BACK = new URL("../partner-page/server.mjs", import.meta.url);
/** The maximum number of lines that a partner should have to write. */
const FRONT_LINES_MAX = 15;
const BACK_LINES_MAX = 40;

interface Sale {
  readonly hash: string;
  readonly events: readonly { readonly event: string }[];
}

/** Lines that are neither empty nor a comment. */
async function countLines(file: URL): Promise<number> {
  const lines = (await readFile(file, "utf8")).split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "" && !line.startsWith("//")).length;
}

test(
  "a partner with only the guide sells in a few lines, up to the approved claim and the collected rest",
  short("partner"),
  async ({ page }) => {
    expect(await countLines(FRONT)).toBeLessThanOrEqual(FRONT_LINES_MAX);
    expect(await countLines(BACK)).toBeLessThanOrEqual(BACK_LINES_MAX);

    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const tenant = await createTenant([origin]);
    const { orderApiUrl, spotApiUrl, widgetHostUrl } = productUrls();
    const patient = newPatient();
    const { rut, firstName, lastName, email, phone } = patient;
    const partner = spawn(process.execPath, [fileURLToPath(BACK)], {
      stdio: ["ignore", "ignore", "inherit"],
      env: {
        ...process.env,
        PORT: String(port),
        ORDER_API: orderApiUrl,
        SPOT_API: spotApiUrl,
        WIDGET_HOST: widgetHostUrl,
        CLIENT_SECRET: tenant.credentials.client_secret,
        PUBLIC_KEY: tenant.credentials.public_key,
        WEBHOOK_SECRET: await registerWebhook(tenant, `${origin}/webhooks`),
        PATIENT: JSON.stringify({ rut, first_name: firstName, last_name: lastName, email, phone_number: phone }),
      },
    });
    const ended = new Promise((resolve) => {
      partner.once("exit", resolve);
    });
    try {
      await expect(() => page.goto(origin)).toPass();
      const checkout = new CheckoutFrame(page);
      await checkout.isOpen();
      await checkout.acceptSummary();
      await checkout.register(patient);
      await checkout.proveIdentity(patient.documentSerial);
      await checkout.addCard(CARDS.approved);
      await checkout.pay();
      await checkout.isDone();
      await expect(page.getByRole("heading", { name: "Gracias" })).toBeVisible();

      const readSale = async (): Promise<Sale> => (await fetch(`${origin}/sale`)).json();
      await expect.poll(async () => (await readSale()).events.map(({ event }) => event)).toEqual(["order.paid"]);
      const order = await tenant.aapd.getOrder((await readSale()).hash);
      expect(order).toMatchObject({ status: "paid", expense: { id: expect.any(String) } });
      await claimUntilCollected(tenant.credentials, order.hash);
    } finally {
      partner.kill("SIGTERM");
      await ended;
    }
  },
);
