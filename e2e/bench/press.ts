import { setTimeout as pause } from "node:timers/promises";
import type { Page } from "@playwright/test";
import { newPatient } from "../kit/patients.ts";
import { createCheckoutUrl, createTenant, productUrls } from "../support/tenant.ts";
import { type FrameEar, listenToFrames, measureLoad } from "./measure-load.ts";
import { median, print } from "./rows.ts";
import { LINE, openSlowPage, withSlowPhone } from "./slow-phone.ts";

/*
 * How soon the checkout appears after the press on the clinic's page, on the same slow phone as `pnpm bench widget`:
 *
 *     pnpm bench press [--quick] [--json] [--each]
 *
 * `warmed`: the checkout was preloaded before the press. `cached`: the patient has opened another one before, so only
 * the page itself is fetched; one round trip is subtracted. Each is compared with the first paint of a bare React page,
 * loaded alternately in the same run.
 */

const isQuick = process.argv.includes("--quick");
const printsEach = process.argv.includes("--each");
const ROUNDS = isQuick ? 3 : 9;
/** How long a patient reads the clinic's page, which is the browser's time to prepare the checkout. */
const READS_MS = 3_000;
/** In multiples of a bare page's first paint. Next to each, the target in milliseconds after the press. */
const LIMITS = {
  warmed: { firstPaint: 0.06, firstControl: 0.12 },
  cached: { firstPaint: 0.3, firstControl: 0.36 },
} as const;
const AIMS = {
  warmed: { firstPaint: 50, firstControl: 100 },
  cached: { firstPaint: 100, firstControl: null },
} as const;
const KINDS = ["warmed", "cached"] as const;
const NAMES = { firstPaint: "first_paint", firstControl: "first_control" } as const;
const MEASURES = ["firstPaint", "firstControl"] as const;
type Times = Record<(typeof MEASURES)[number], number>;

/** Presses the page's button, and returns how long afterwards the frame's first words and its main button appeared. */
async function press(page: Page, ear: FrameEar, url: string): Promise<Times> {
  const seen = ear.next();
  await page.goto(url);
  await page.locator("html[data-ready]").waitFor({ state: "attached" });
  await pause(READS_MS);
  await page.getByRole("button", { name: "Pagar" }).click();
  const { firstPaint, firstControl } = await seen;
  const pressedAt = await page.evaluate(() => Number(Reflect.get(window, "pressedAt")));
  return { firstPaint: firstPaint - pressedAt, firstControl: firstControl - pressedAt };
}

await withSlowPhone(async ({ browser, pages, host }) => {
  const tenant = await createTenant([host]);
  const kitHost = productUrls().widgetHostUrl;
  const open = async (isPreloaded: boolean) =>
    host + pages.kitPath({ kitHost, url: await createCheckoutUrl(tenant, newPatient()), isPreloaded });
  const barePage = {
    url: host + pages.hostPath(`http://localhost:${pages.barePort}/`),
    arrives: (page: Page) => page.frameLocator("iframe").getByRole("heading", { name: "Listo" }).waitFor(),
  };

  /** A browser with an empty cache. The first checkout is preloaded, and its files are cached for the second. */
  const once = async () => {
    const { context, page } = await openSlowPage(browser);
    try {
      const ear = await listenToFrames(page);
      const warmed = await press(page, ear, await open(true));
      return { warmed, cached: await press(page, ear, await open(false)) };
    } finally {
      await context.close();
    }
  };

  const measured: Record<(typeof KINDS)[number], Times[]> = { warmed: [], cached: [] };
  const bare: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const times = await once();
    const { firstPaint } = await measureLoad(browser, barePage);
    if (printsEach) console.error(JSON.stringify({ ...times, bare: firstPaint }));
    // The first of each warms up the servers and the browser, and does not count.
    if (round === 0) continue;
    for (const kind of KINDS) measured[kind].push(times[kind]);
    bare.push(firstPaint);
  }
  const bareMs = median(bare);
  print({ name: "bare_first_paint_ms", value: bareMs, unit: "ms", limit: null });
  for (const kind of KINDS) {
    for (const measure of MEASURES) {
      const afterPress = median(measured[kind].map((times) => times[measure]));
      const ms = kind === "cached" ? afterPress - LINE.roundTripMs : afterPress;
      const limit = LIMITS[kind][measure];
      const name = `press_${kind}_${NAMES[measure]}`;
      const aim = AIMS[kind][measure];
      print({ name: `${name}_ratio`, value: ms / bareMs, unit: "first paints of a bare page", limit: `≤ ${limit}` });
      print({ name: `${name}_ms`, value: ms, unit: aim === null ? "ms" : `ms, of ${aim}`, limit: null });
      if (!(ms / bareMs <= limit)) process.exitCode = 1;
    }
  }
});
