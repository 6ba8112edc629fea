import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { ClinicPage } from "../kit/clinic-page.ts";
import { newPatient } from "../kit/patients.ts";
import { ELSEWHERE, long, short } from "../support/levels.ts";
import { portsFrom, type RunningProduct, startProduct } from "../support/product.ts";

const READY = "Everything runs";
/** Takes seconds on an idle machine, and more than half a minute next to thirty other processes. */
const START_WITHIN_MS = 240_000;

/**
 * The data folder of all products that a worker starts, one after the other. Creating it again takes longer than
 * starting.
 */
let folder = "";
const running: RunningProduct[] = [];

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "aapd-start-"));
});
test.afterEach(async () => {
  for (const product of running.splice(0)) {
    product.interrupt();
    await product.ended;
  }
});
test.afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

function start(firstPort: number, from: "build" | "source" = "build"): RunningProduct {
  const product = startProduct({ ...portsFrom(firstPort), PRODUCT_DATA_DIR: folder }, from);
  running.push(product);
  return product;
}

async function buy(clinicUrl: string): Promise<string> {
  const { rut, firstName, lastName, email, phone } = newPatient();
  const response = await fetch(`${clinicUrl}/api/purchases`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ serviceId: "traumatologia", rut, firstName, lastName, email, phone }),
  });
  const body: { id: string } = await response.json();
  expect(response.status, JSON.stringify(body)).toBe(201);
  return body.id;
}

/** The addresses of a product's parts that still accept connections. */
async function listening(firstPort: number): Promise<readonly string[]> {
  const addresses = [0, 1, 2, 3, 4].map((place) => `http://127.0.0.1:${firstPort + place}`);
  const answers = await Promise.allSettled(addresses.map((address) => fetch(address)));
  return addresses.filter((_, index) => answers[index]?.status === "fulfilled");
}

test(
  "purchases survive Ctrl-C and a restart, and can still be paid, however the start ended",
  long("processes killed on PGlite"),
  async () => {
    test.slow();
    const address = "http://127.0.0.1:5100";
    const first = start(5100);
    await first.says(READY);
    const id = await buy(address);
    first.interrupt();
    expect(await first.ended).toBe(0);

    const closed = start(5100);
    await closed.says(READY);
    closed.hangUp();
    expect(await closed.ended).toBe(0);
    expect(await listening(5100)).toEqual([]);

    const killed = start(5100);
    await killed.says(READY);
    killed.kill();
    expect(await killed.ended).toBe(null);
    // Nothing waits for the parts here, and they take a moment to end.
    await expect.poll(() => listening(5100)).toEqual([]);

    const last = start(5100);
    await last.says(READY);
    const purchases = await (await fetch(`${address}/api/purchases`)).json();
    expect(purchases).toContainEqual(expect.objectContaining({ id, orderStatus: "pending" }));
    const token = await fetch(`${address}/api/purchases/${id}/token`, { method: "POST" });
    expect(token.status).toBe(201);
    last.leave();
    expect(await last.ended).toBe(0);
    expect(await listening(5100)).toEqual([]);
  },
);

test(
  "Ctrl-C that comes twice, or before everything runs, leaves no part running",
  long(
    "host-demo/src/start/child-process.test.ts",
    "a part may take its own time to end, and is killed beyond its limit",
  ),
  async () => {
    test.slow();
    const answering = () => listening(5150);
    const twice = start(5150);
    await twice.says(READY);
    twice.interrupt();
    await twice.says("Stopping");
    twice.interrupt();
    expect(await twice.ended).toBe(0);
    expect(await answering()).toEqual([]);

    const early = start(5150);
    // At its first sign of life; everything else runs moments later.
    await expect.poll(answering, { intervals: [20], timeout: START_WITHIN_MS }).toContain("http://127.0.0.1:5151");
    early.interrupt();
    expect(await early.ended).toBe(0);
    expect(early.output()).not.toContain(READY);
    expect(await answering()).toEqual([]);
  },
);

test(
  "a second start on the same data is refused with an explanation",
  long(
    "bff/test/http/platform/folder-lock.test.ts",
    "refuses a second process and names its owner, and is taken over from a killed one",
  ),
  async () => {
    await start(5110).says(READY);
    const second = start(5120);
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(join(folder, "bff"));
    expect(second.output()).toMatch(/in use/i);
  },
);

test("a port in use is named, with the variable that moves it", short("partner"), async () => {
  const other = createServer().listen(5131, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const product = start(5130);
  expect(await product.ended).toBe(1);
  expect(product.output()).toContain("Port 5131 is taken; set ORDER_API_PORT");
  other.close();
});

test.describe("a start from source", () => {
  test.use({ baseURL: "http://127.0.0.1:5140" });

  test(
    "shows the checkout in the clinic's page, kit and widget unbuilt, and the gallery too",
    long(ELSEWHERE),
    async ({ page }) => {
      test.slow();
      await start(5140, "source").says(READY);
      const clinic = new ClinicPage(page);
      await clinic.startCheckout(newPatient());
      await clinic.checkout.acceptSummary();
      await expect(clinic.checkout.heading("Tus datos")).toBeVisible();

      // The smallest group, because each frame loads each module separately.
      await page.goto("/#/galeria?group=recognition");
      const first = page.locator("iframe").first().contentFrame();
      await expect(first.getByRole("heading", { level: 1 })).toHaveText("Revisa y paga", { timeout: 90_000 });
    },
  );
});
