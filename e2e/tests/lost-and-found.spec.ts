import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CARDS } from "../kit/cards.ts";
import type { ClinicPage } from "../kit/clinic-page.ts";
import { newPatient } from "../kit/patients.ts";
import { long } from "../support/levels.ts";
import { portsFrom, type RunningProduct, startProduct } from "../support/product.ts";
import { moveClock } from "../support/sandbox-clock.ts";
import { expect, test } from "../support/test.ts";

/** A separate product for these tests, which move its clinic's clock and kill its services. */
const FIRST_PORT = 5200;
const CLINIC_URL = `http://127.0.0.1:${FIRST_PORT}`;
const ORDER_API_URL = `http://127.0.0.1:${FIRST_PORT + 1}`;

let folder = "";
let product: RunningProduct | null = null;

function start(): RunningProduct {
  return startProduct({ ...portsFrom(FIRST_PORT), PRODUCT_DATA_DIR: folder, SANDBOX_MAY_KILL: "true" });
}

async function clinicSecret(): Promise<{ client_secret: string }> {
  return JSON.parse(await readFile(join(folder, "host-demo/credentials.json"), "utf8"));
}

test.describe.configure({ mode: "serial", timeout: 180_000 });
test.use({ baseURL: CLINIC_URL });

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "aapd-lost-"));
  product = start();
  await product.says("Everything runs");
});
test.afterAll(async () => {
  product?.interrupt();
  await product?.ended;
  await rm(folder, { recursive: true, force: true });
});

async function goToReview(clinic: ClinicPage): Promise<void> {
  const patient = newPatient();
  await clinic.startCheckout(patient);
  await clinic.checkout.acceptSummary();
  await clinic.checkout.register(patient);
  await clinic.checkout.proveIdentity(patient.documentSerial);
  await clinic.checkout.addCard(CARDS.approved);
  await expect(clinic.checkout.heading("Revisa y paga")).toBeVisible();
}

test(
  "a receiver that fails twice gets the event again after one minute and after five",
  long(
    "bff/test/http/webhooks.test.ts",
    "is tried six times, each after its delay from the end of the previous attempt",
  ),
  async ({ clinic, page }) => {
    await goToReview(clinic);
    const id = new URL(page.url()).hash.split("/").at(-1);
    const accepted = await page.request.post(`/api/purchases/${id}/bench/webhooks`, { data: { failNext: 2 } });
    expect(accepted.status()).toBe(204);
    await clinic.checkout.pay();
    await clinic.checkout.isDone();
    await expect(clinic.happenings("webhook_refused")).toHaveCount(1);
    await expect(clinic.orderStatus).toHaveAttribute("data-status", "pending");

    const target = { orderApiUrl: ORDER_API_URL, spotApiUrl: "", widgetHostUrl: "" };
    await moveClock(await clinicSecret(), "61s", target);
    await expect(clinic.happenings("webhook_refused")).toHaveCount(2);
    await moveClock(await clinicSecret(), "301s", target);
    await clinic.isPaid();
    await expect(clinic.happenings("webhook_received")).toHaveCount(1);
  },
);

test(
  "services that die between the capture and its record restart: paid, charged once, one event",
  long("processes killed on PGlite"),
  async ({ clinic, page }) => {
    await goToReview(clinic);
    const { client_secret } = await clinicSecret();
    const response = await fetch(`${ORDER_API_URL}/sandbox/faults`, {
      method: "PUT",
      headers: { "content-type": "application/json", authorization: `Bearer ${client_secret}` },
      body: JSON.stringify({ faults: [{ party: "card-processor", method: "charge", kind: "kill_after" }] }),
    });
    expect(response.status).toBe(200);
    await clinic.checkout.pay();
    expect(await product?.ended).toBe(1);

    product = start();
    await product.says("Everything runs");
    await expect(clinic.checkout.heading("¡Listo! Tu pago está hecho")).toBeVisible({ timeout: 90_000 });
    // On a busy machine the services restart before the clinic does. The clinic then gets the webhook after a minute.
    await moveClock({ client_secret }, "61s", { orderApiUrl: ORDER_API_URL });
    await clinic.isPaid();
    await expect(clinic.happenings("webhook_received")).toHaveCount(1);
    const id = new URL(page.url()).hash.split("/").at(-1);
    const purchases: { id: string; orderHash: string }[] = await (await page.request.get("/api/purchases")).json();
    const hash = purchases.find((purchase) => purchase.id === id)?.orderHash;
    const order = await fetch(`${ORDER_API_URL}/orders/${hash}`, {
      headers: { authorization: `Bearer ${client_secret}` },
    });
    expect(await order.json()).toMatchObject({
      status: "paid",
      captured_amount: 11_697,
      payments: [{ kind: "first", status: "captured", amount: 11_697 }],
    });
  },
);
