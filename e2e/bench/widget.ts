import type { Page } from "@playwright/test";
import { newPatient } from "../kit/patients.ts";
import { createCheckoutUrl, createTenant } from "../support/tenant.ts";
import { type Load, type LoadTimes, measureLoad } from "./measure-load.ts";
import { median, print } from "./rows.ts";
import { withSlowPhone } from "./slow-phone.ts";

/*
 * How fast the checkout loads on a slow phone, compared with a bare client-rendered React page in the same place:
 *
 *     pnpm bench widget [--quick] [--json] [--each]
 *
 * Both are in a frame of the same empty page, on the same slow line (connecting costs a round trip too), with the
 * processor four times slower and nothing cached. They are loaded in turns, and the medians are compared. Times count
 * from the navigation of the outer page. The widget comes from the real product, with the patient's own amounts.
 */

const isQuick = process.argv.includes("--quick");
/** Each load as measured, next to the rows. */
const printsEach = process.argv.includes("--each");
const PAIRS = isQuick ? 3 : 9;
const LIMITS = { firstPaint: 0.64, firstControl: 0.65, hydrated: 1.15 };
const NAMES = { firstPaint: "first_paint", firstControl: "first_control", hydrated: "hydrated" } as const;
const MEASURES = ["firstPaint", "firstControl", "hydrated"] as const;

const shows = (heading: string) => (page: Page) =>
  page.frameLocator("iframe").getByRole("heading", { name: heading }).waitFor();

/** Prints the ratios. Returns whether each is within its limit. */
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

await withSlowPhone(async ({ browser, pages, host }) => {
  const tenant = await createTenant([host]);

  const bareUrl = `http://localhost:${pages.barePort}/`;
  const barePage: Load = { url: host + pages.hostPath(bareUrl), arrives: shows("Listo") };
  // Created before the first load, so that the order's background work is over when its checkout is opened.
  const checkouts: Load[] = [];
  for (let made = 0; made <= PAIRS; made += 1) {
    const frameUrl = await createCheckoutUrl(tenant, newPatient());
    checkouts.push({ url: host + pages.hostPath(frameUrl), arrives: shows("Tus datos") });
  }

  const widget: LoadTimes[] = [];
  const bare: LoadTimes[] = [];
  for (const [index, checkout] of checkouts.entries()) {
    const ours = await measureLoad(browser, checkout);
    const theirs = await measureLoad(browser, barePage);
    if (printsEach) console.error(JSON.stringify({ ours, theirs }));
    // The first of each warms up the servers and the browser, and does not count.
    if (index === 0) continue;
    widget.push(ours);
    bare.push(theirs);
  }
  if (!judge(widget, bare)) process.exitCode = 1;
});
