import type { Browser, Locator, Page } from "@playwright/test";
import { CARDS } from "../kit/cards.ts";
import { newPatient, type Patient } from "../kit/patients.ts";
import { codesOf, newCode } from "../support/recognition-codes.ts";
import { createCheckoutUrl, createTenant, type Tenant } from "../support/tenant.ts";
import type { Reading } from "../support/words-in-page.ts";
import { type Done, Hand } from "./hand.ts";
import { measureLoad } from "./measure-load.ts";
import { median, print } from "./rows.ts";
import { openSlowPage, withSlowPhone } from "./slow-phone.ts";

/*
 * How long a patient's visit takes on a slow phone, from the press on the clinic's page to *Listo*:
 *
 *     pnpm bench visit [--quick] [--json] [--each]
 *
 * A scripted patient who is new, and the same one on a later, recognised visit. The browser has nothing cached. The
 * patient's hand has a fixed pace (`hand.ts`). The rest of the time is waiting for the checkout. It is compared with
 * the load time of a bare React page on the same phone, measured in turns in the same run. Seconds depend on the
 * machine.
 */

const isQuick = process.argv.includes("--quick");
const printsEach = process.argv.includes("--each");
const VISITS = isQuick ? 3 : 7;
const KINDS = ["new", "known"] as const;
type Kind = (typeof KINDS)[number];

/**
 * Limits: waiting in loads of a bare page; typed fields; words before paying, initially and with every fold open;
 * screens.
 */
const LIMITS = {
  new: { wait: 8, fields: 5, words: 450, wordsInAll: 900, screens: 5.5 },
  known: { wait: 4, fields: 1, words: 220, wordsInAll: 900, screens: 2 },
} as const;
/** The target for a visit, in seconds. */
const AIMS = { new: 45, known: 10 } as const;

interface Visit extends Done {
  readonly totalMs: number;
}

/** A visit that begins with the press on the clinic's page, which opens the checkout. */
async function visit(
  browser: Browser,
  url: string,
  goThrough: (hand: Hand, frame: ReturnType<Page["frameLocator"]>) => Promise<void>,
): Promise<Visit> {
  const { context, page } = await openSlowPage(browser);
  try {
    const hand = new Hand();
    const begun = performance.now();
    await page.goto(url, { waitUntil: "commit" });
    const frame = page.frameLocator("iframe");
    await goThrough(hand, frame);
    await frame.getByRole("heading", { name: "¡Listo! Tu pago está hecho" }).waitFor();
    return { ...hand.done, totalMs: performance.now() - begun };
  } finally {
    await context.close();
  }
}

type Frame = ReturnType<Page["frameLocator"]>;

function button(frame: Frame, name: string | RegExp): Locator {
  return frame.getByRole("button", { name });
}

/** The screen itself: the frame around it has one height for all screens. */
function sheetIn(frame: Frame): Locator {
  return frame.locator(".aapd-frame");
}

async function at(frame: Frame, heading: string): Promise<void> {
  await frame.getByRole("heading", { name: heading, level: 1 }).waitFor();
}

async function acceptAndPress(hand: Hand, frame: Frame, name: string | RegExp): Promise<void> {
  await hand.accept(frame.getByRole("checkbox"));
  await hand.press(button(frame, name));
}

/** The clinic has sent name and address; the patient chooses the isapre, and types the document and the card. */
const asNew = (patient: Patient) => async (hand: Hand, frame: Frame) => {
  const page = sheetIn(frame);
  await at(frame, "Atiéndete ahora, paga después");
  await hand.read("summary", page);
  await hand.press(button(frame, "Continuar"));
  await at(frame, "Tus datos");
  await hand.read("patient", page);
  await hand.choose(frame.getByLabel("Tu isapre", { exact: true }), "Colmena");
  await hand.type(frame.getByLabel("Número de documento"), patient.documentSerial);
  await acceptAndPress(hand, frame, "Continuar");
  await at(frame, "Tu tarjeta");
  await hand.read("card", page);
  const { number, expiry, cvc, holder } = CARDS.approved;
  await hand.type(frame.getByLabel("Número de tarjeta"), number.replaceAll(" ", ""));
  await hand.type(frame.getByLabel("Vencimiento"), expiry.replace("/", ""));
  await hand.type(frame.getByLabel("Código CVV"), cvc);
  await hand.type(frame.getByLabel("Nombre en la tarjeta"), holder);
  await hand.press(frame.getByRole("checkbox").first());
  await hand.press(button(frame, "Continuar"));
  await at(frame, "Revisa y paga");
  await hand.read("review", page);
  await acceptAndPress(hand, frame, /^Pagar/);
};

/** The patient touches the field, types the code, which is submitted automatically, and pays with the saved card. */
const asKnown = (tenant: Tenant, patient: Patient) => async (hand: Hand, frame: Frame) => {
  const before = await codesOf(tenant, patient);
  await at(frame, "Revisa y paga");
  await hand.read("code", sheetIn(frame));
  const field = frame.getByLabel("Código de 6 dígitos");
  // Touching the field requests the code, and is part of typing it.
  await field.click();
  const code = await newCode(tenant, patient, before.length);
  await hand.readMessage();
  await hand.type(field, code);
  await button(frame, /^Pagar/).waitFor();
  await hand.read("payment", sheetIn(frame));
  await acceptAndPress(hand, frame, /^Pagar/);
};

const READINGS = ["words", "wordsInAll", "screens"] as const satisfies readonly (keyof Reading)[];
const UNITS = { words: "words", wordsInAll: "words, every fold open", screens: "phone screens" } as const;

/** Prints the words of each screen and the sums. Returns whether they are within the kind's limits. */
function judgeReadings(kind: Kind, screens: ReadonlyMap<string, Reading>): boolean {
  const isWithin = READINGS.map((what) => {
    for (const [screen, reading] of screens)
      print({ name: `visit_${kind}_${screen}_${what}`, value: reading[what], unit: UNITS[what], limit: null });
    const values = [...screens.values()].map((reading) => reading[what]);
    // A known patient stays on one screen, on which the payment takes the place of the code.
    const value = kind === "known" ? Math.max(...values) : values.reduce((sum, one) => sum + one, 0);
    const limit = LIMITS[kind][what];
    print({ name: `visit_${kind}_${what}`, value, unit: UNITS[what], limit: `≤ ${limit}` });
    return value <= limit;
  });
  return isWithin.every(Boolean);
}

/** Prints a kind's figures. Returns whether they are within its limits. */
function judge(kind: Kind, visits: readonly Visit[], bareMs: number): boolean {
  const of = (read: (one: Visit) => number) => median(visits.map(read));
  const wait = of(({ totalMs, handMs }) => totalMs - handMs) / bareMs;
  const fields = of((one) => one.fields);
  const limits = LIMITS[kind];
  const name = (what: string) => `visit_${kind}_${what}`;
  print({ name: name("wait_ratio"), value: wait, unit: "loads of a bare page", limit: `≤ ${limits.wait}` });
  print({ name: name("fields"), value: fields, unit: "typed fields", limit: `≤ ${limits.fields}` });
  print({ name: name("presses"), value: of(({ presses }) => presses), unit: "presses", limit: null });
  print({
    name: name("seconds"),
    value: of(({ totalMs }) => totalMs) / 1_000,
    unit: `s, of ${AIMS[kind]}`,
    limit: null,
  });
  print({ name: name("hand_seconds"), value: of(({ handMs }) => handMs) / 1_000, unit: "s", limit: null });
  const isRead = judgeReadings(kind, visits.at(-1)?.screens ?? new Map());
  return isRead && wait <= limits.wait && fields <= limits.fields;
}

await withSlowPhone(async ({ browser, pages, host }) => {
  const tenant = await createTenant([host], [], { known_patients: true });
  const barePage = {
    url: host + pages.hostPath(`http://localhost:${pages.barePort}/`),
    arrives: (page: Page) => page.frameLocator("iframe").getByRole("heading", { name: "Listo" }).waitFor(),
  };
  const measured: Record<Kind, Visit[]> = { new: [], known: [] };
  const bare: number[] = [];
  for (let number = 0; number <= VISITS; number += 1) {
    const patient = newPatient();
    const open = async () => host + pages.hostPath(await createCheckoutUrl(tenant, patient));
    const asked = {
      new: await visit(browser, await open(), asNew(patient)),
      known: await visit(browser, await open(), asKnown(tenant, patient)),
    };
    const { hydrated } = await measureLoad(browser, barePage);
    if (printsEach) console.error(JSON.stringify({ ...asked, hydrated }));
    // The first of each warms up the servers and the browser, and does not count.
    if (number === 0) continue;
    for (const kind of KINDS) measured[kind].push(asked[kind]);
    bare.push(hydrated);
  }
  const bareMs = median(bare);
  print({ name: "bare_hydrated_ms", value: bareMs, unit: "ms", limit: null });
  if (!KINDS.map((kind) => judge(kind, measured[kind], bareMs)).every(Boolean)) process.exitCode = 1;
});
