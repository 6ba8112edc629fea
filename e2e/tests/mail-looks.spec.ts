import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import { axeFindings } from "../support/axe-in-page.ts";
import { BASELINE_FONT, PHONE, test } from "../support/gallery.ts";
import { long, PICTURE } from "../support/levels.ts";
import { expectLook } from "../support/look.ts";
import { brokenNumbers } from "../support/numbers-in-page.ts";
import { showPictures } from "../support/picture-sheet.ts";
import { productUrls } from "../support/tenant.ts";

/* The sandbox's gallery of mails and documents. */

const NARROWEST_PX = 320;
/** Landmarks and a main heading belong to the mail program, which puts a mail into its own page. */
const WCAG = { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] };

test(
  "every mail fits the smallest phone, breaks no number, shows its logo and passes axe, light and dark",
  long(PICTURE),
  async ({ gallery: page }) => {
    test.setTimeout(600_000);
    await page.goto(productUrls().mailsGalleryUrl);
    expect(await axeFindings(page)).toEqual([]);
    const mails = await mailsIn(page);
    expect(mails.length).toBeGreaterThan(50);
    const faults: string[] = [];
    await page.setViewportSize({ ...PHONE, width: NARROWEST_PX });
    for (const { kind, url } of mails) {
      await page.goto(url);
      faults.push(...(await faultsOf(page)).map((fault) => `${kind}, ${url}: ${fault}`));
    }
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: "light" });
    expect(faults).toEqual([]);
  },
);

interface Mail {
  readonly kind: string;
  readonly url: string;
}

/** The mails that the index of the gallery shows, in its order. */
async function mailsIn(page: Page): Promise<readonly Mail[]> {
  return page.locator("iframe[sandbox]").evaluateAll((frames) =>
    frames.map((frame) => ({
      kind: frame.getAttribute("title")?.split(":")[0] ?? "",
      url: new URL(frame.getAttribute("src") ?? "", location.href).href,
    })),
  );
}

/** The kinds of mail by picture: each below the other, because their equal parts then take almost no space. */
const SHEETS: Readonly<Record<string, readonly string[]>> = {
  payments: ["payment_receipt", "charged", "paid_otherwise", "written_off", "charge_returned", "tax_document"],
  refunds: ["refunded", "refund_transferred", "dispute_closed"],
  charges: ["charge_announced", "charge_declined", "mandate_revoked", "payment_link"],
  claims: ["claim_filed", "claim_approved", "claim_rejected", "claim_unfiled"],
  access: ["access_blocked", "access_link", "checkout_link", "recovery_code", "recognition_code"],
  data: [
    ...["card_saved", "saved_card_used", "email_changed", "email_change_undone", "registration_renewed"],
    ...["data_link", "data_erased", "data_erasure_ended", "rights_requested", "rights_answered"],
  ],
};
/** The further cases of a kind only have other words, which unit tests compare. */
const CASES_MAX = 3;
/** These mails have every part of the layout, whose dark colours and width are the same in all mails. */
const EVERY_PART = ["payment_receipt", "claim_unfiled", "recovery_code"];
const DESKTOP_PX = 760;

test(
  "every kind of mail looks unchanged on a phone, and every part of a mail also dark and on a desktop",
  long(PICTURE),
  async ({ gallery: page }) => {
    test.setTimeout(600_000);
    await page.goto(productUrls().mailsGalleryUrl);
    const mails = await mailsIn(page);
    expect([...new Set(mails.map(({ kind }) => kind))].toSorted()).toEqual(Object.values(SHEETS).flat().toSorted());
    const casesOf = (kinds: readonly string[], most: number) =>
      kinds.flatMap((kind) => mails.filter((mail) => mail.kind === kind).slice(0, most));
    const sheets = [
      ...Object.entries(SHEETS).map(([name, kinds]) => ({ name, mails: casesOf(kinds, CASES_MAX), ...PHONE_LIGHT })),
      { name: "dark", mails: casesOf(EVERY_PART, 1), ...PHONE_LIGHT, colorScheme: "dark" as const },
      { name: "desktop", mails: casesOf(EVERY_PART, 1), ...PHONE_LIGHT, width: DESKTOP_PX },
    ];
    const faults: string[] = [];
    for (const { name, mails: shown, ...look } of sheets) {
      const pictures: Buffer[] = [];
      for (const { url } of shown) pictures.push(await picture(page, url, look));
      faults.push(...(await faultsOfSheet(page, ["mails", name], pictures)));
    }
    await page.setViewportSize(PHONE);
    expect(faults).toEqual([]);
  },
);

interface Look {
  readonly width: number;
  readonly colorScheme: "light" | "dark";
}

const PHONE_LIGHT: Look = { width: PHONE.width, colorScheme: "light" };

/** A picture of a whole mail, in the font of the baselines. */
async function picture(page: Page, url: string, { width, colorScheme }: Look): Promise<Buffer> {
  await page.setViewportSize({ width, height: 100 });
  await page.emulateMedia({ colorScheme });
  await page.goto(url);
  await page.addStyleTag({ content: `*{font-family:"${BASELINE_FONT}",monospace!important}` });
  return page.screenshot({ fullPage: true });
}

/** Compares pictures below one another with their baseline. */
async function faultsOfSheet(
  page: Page,
  [folder, name]: readonly [string, string],
  pictures: readonly Buffer[],
): Promise<readonly string[]> {
  await page.emulateMedia({ colorScheme: "light" });
  await showPictures(page, pictures);
  try {
    await expectLook(page, folder, name);
    return [];
  } catch (error) {
    return [`${folder}/${name}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

const PDF_JS = import.meta.resolve("pdfjs-dist");
const VIEWER = "http://pictures.test/";

test("every page of every PDF looks unchanged", long(PICTURE), async ({ gallery: page }) => {
  test.setTimeout(600_000);
  await page.goto(productUrls().mailsGalleryUrl);
  const urls = await page
    .locator("iframe[src^='/mails/documents/']")
    .evaluateAll((frames) => frames.map((frame) => new URL(frame.getAttribute("src") ?? "", location.href).href));
  await page.route(`${VIEWER}*`, async (route) => {
    const name = new URL(route.request().url()).pathname.slice(1);
    if (name === "") return route.fulfill({ contentType: "text/html", body: "<!doctype html>" });
    return route.fulfill({ contentType: "text/javascript", body: await readFile(new URL(name, PDF_JS)) });
  });
  const faults: string[] = [];
  for (const name of ["receipt", "contract"]) {
    const pictures: Buffer[] = [];
    for (const url of urls.filter((each) => each.includes(`/documents/${name}`))) {
      const file = Buffer.from(await (await fetch(url)).arrayBuffer());
      await page.goto(VIEWER);
      const pages = await page.evaluate(drawPages, file.toString("base64"));
      pictures.push(...pages.map((data) => Buffer.from(data, "base64")));
    }
    expect(pictures.length).toBeGreaterThan(1);
    faults.push(...(await faultsOfSheet(page, ["documents", name], pictures)));
  }
  await page.unroute(`${VIEWER}*`);
  expect(faults).toEqual([]);
});

/** Runs in the page: the pages of a PDF as PNG pictures, at 72 dpi. */
async function drawPages(base64: string): Promise<string[]> {
  const pdfJs = "/pdf.min.mjs";
  const { getDocument, GlobalWorkerOptions } = await import(pdfJs);
  GlobalWorkerOptions.workerSrc = "/pdf.worker.min.mjs";
  const file = await getDocument({ data: Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)) }).promise;
  const pages: string[] = [];
  for (let number = 1; number <= file.numPages; number += 1) {
    const sheet = await file.getPage(number);
    const viewport = sheet.getViewport({ scale: 1 });
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: viewport.width, height: viewport.height });
    await sheet.render({ canvas, viewport }).promise;
    pages.push(canvas.toDataURL("image/png").split(",")[1] ?? "");
  }
  return pages;
}

async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.emulateMedia({ colorScheme: "light" });
  const { overflow, logoWidth } = await page.evaluate(() => ({
    overflow: document.documentElement.scrollWidth - innerWidth,
    logoWidth: document.querySelector<HTMLImageElement>("img.logo")?.naturalWidth ?? 0,
  }));
  const broken = await page.evaluate(brokenNumbers, false);
  const light = await axeFindings(page, WCAG);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await axeFindings(page, { runOnly: ["color-contrast"] });
  return [
    ...(overflow > 0 ? [`${overflow} px too wide`] : []),
    ...(logoWidth > 0 ? [] : ["no logo"]),
    ...broken.map((number) => `${number} is broken`),
    ...light,
    ...dark.map((finding) => `dark: ${finding}`),
  ];
}
