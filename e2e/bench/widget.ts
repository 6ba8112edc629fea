import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import { newPatient } from "../kit/patients.ts";
import { portsFrom, startProduct } from "../support/product.ts";
import { createCheckoutUrl, createTenant } from "../support/tenant.ts";
import { type Load, type LoadTimes, measureLoad } from "./measure-load.ts";
import { servePages } from "./pages.ts";
import { openShapedLink } from "./shaped-link.ts";

/*
 * How fast the checkout is there on a slow phone, beside a bare client-rendered page of React in the same place:
 *
 *     pnpm bench widget [--quick] [--json] [--each]
 *
 * Both stand in a frame of the same empty page, on the same slow line (connecting costs a round trip too), the processor
 * four times slower, nothing cached; they are loaded in turns, and the medians are compared. Times count from the
 * navigation of the page around. The widget comes from the real product, with the patient's own amounts.
 */

const isQuick = process.argv.includes("--quick");
/** Each load as it is measured, beside the rows. */
const isTold = process.argv.includes("--each");
const PAIRS = isQuick ? 3 : 9;
const FIRST_PORT = 5400;
const LINE = { downBitsPerSecond: 1_600_000, upBitsPerSecond: 750_000, roundTripMs: 150 };
const LIMITS = { firstPaint: 0.65, firstControl: 0.7, hydrated: 1.15 };
const NAMES = { firstPaint: "first_paint", firstControl: "first_control", hydrated: "hydrated" } as const;
const MEASURES = ["firstPaint", "firstControl", "hydrated"] as const;

interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly limit: string | null;
}

function print({ name, value, unit, limit }: Row): void {
  const rounded = Number(value.toFixed(3));
  const line = `${name}  ${rounded}  ${unit}${limit === null ? "" : `  (${limit})`}`;
  console.log(process.argv.includes("--json") ? JSON.stringify({ name, value: rounded, unit, limit }) : line);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const next = (heading: string) => async (page: Page) => {
  const frame = page.frameLocator("iframe");
  await frame.getByRole("button", { name: "Continuar" }).click();
  await frame.getByRole("heading", { name: heading }).waitFor();
};

/** Prints the ratios, and says whether each is within its limit. */
function judge(widget: readonly LoadTimes[], bare: readonly LoadTimes[]): boolean {
  let isWithin = true;
  for (const measure of MEASURES) {
    const [ours, theirs] = [widget, bare].map((loads) => median(loads.map((times) => times[measure])));
    const value = (ours ?? Number.NaN) / (theirs ?? Number.NaN);
    const limit = LIMITS[measure];
    print({ name: `widget_${NAMES[measure]}_ratio`, value, unit: "ratio to a bare page", limit: `≤ ${limit}` });
    print({ name: `widget_${NAMES[measure]}_ms`, value: ours ?? Number.NaN, unit: "ms", limit: null });
    print({ name: `bare_${NAMES[measure]}_ms`, value: theirs ?? Number.NaN, unit: "ms", limit: null });
    isWithin &&= value <= limit;
  }
  return isWithin;
}

const folder = await mkdtemp(join(tmpdir(), "aapd-bench-"));
const ports = portsFrom(FIRST_PORT);
Object.assign(process.env, ports, { PRODUCT_DATA_DIR: folder });
const product = startProduct({});
const link = await openShapedLink(LINE);
const pages = await servePages();
const { CHROMIUM_PATH: executablePath } = process.env;
const browser = await chromium.launch({
  // Without the last word no address of this machine would go over the line.
  proxy: { server: link.proxy, bypass: "<-loopback>" },
  ...(executablePath === undefined ? {} : { executablePath }),
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    // A phone's browser keeps a page and its frames in one process, which is also the one that is slowed down.
    "--disable-site-isolation-trials",
    "--disable-features=IsolateOrigins,site-per-process",
  ],
});
try {
  await product.says("Everything runs");
  const host = `http://127.0.0.1:${pages.hostPort}`;
  const tenant = await createTenant([host]);

  const bareUrl = `http://localhost:${pages.barePort}/`;
  const barePage: Load = { url: host + pages.hostPath(bareUrl), goOn: next("Listo") };
  // Before the first load, so that what an order sets off is over when its checkout is opened.
  const checkouts: Load[] = [];
  for (let made = 0; made <= PAIRS; made += 1) {
    const frameUrl = await createCheckoutUrl(tenant, newPatient());
    checkouts.push({ url: host + pages.hostPath(frameUrl), goOn: next("Tus datos y tu isapre") });
  }

  const widget: LoadTimes[] = [];
  const bare: LoadTimes[] = [];
  for (const [index, checkout] of checkouts.entries()) {
    const ours = await measureLoad(browser, checkout);
    const theirs = await measureLoad(browser, barePage);
    if (isTold) console.error(JSON.stringify({ ours, theirs }));
    // The first of each warms the servers and the browser up, and does not count.
    if (index === 0) continue;
    widget.push(ours);
    bare.push(theirs);
  }
  if (!judge(widget, bare)) process.exitCode = 1;
} finally {
  await browser.close();
  await pages.close();
  await link.close();
  product.interrupt();
  await product.ended;
  await rm(folder, { recursive: true, force: true });
}
