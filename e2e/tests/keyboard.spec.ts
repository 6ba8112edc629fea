import { isDeepStrictEqual } from "node:util";
import type { Frame, Page } from "@playwright/test";
import { CARDS } from "../kit/cards.ts";
import { CheckoutPage } from "../kit/checkout-page.ts";
import { newPatient } from "../kit/patients.ts";
import { short } from "../support/levels.ts";
import { createCheckoutUrl, createTenant } from "../support/tenant.ts";
import { expect, test } from "../support/test.ts";

/** More than the stops of any screen. */
const STOPS_MAX = 40;

/** The focused element, as a screen reader names it. Also checks that the focus is visible. */
function focused(page: Page | Frame): Promise<{ readonly name: string; readonly isSeen: boolean }> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement)) return { name: "", isSeen: false };
    const isField = element instanceof HTMLInputElement || element instanceof HTMLSelectElement;
    const labels = isField ? [...(element.labels ?? [])] : [];
    const name = [...labels, element].map((part) => part.textContent).join(" ");
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return { name, isSeen: outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2 };
  });
}

/**
 * Presses Tab until the element with that name has the focus. Checks that the focus is visible at each stop on the way.
 */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let stops = 0; stops < STOPS_MAX; stops += 1) {
    await page.keyboard.press("Tab");
    const now = await focused(page);
    if (now.name !== "") expect(now.isSeen, `the focus on "${now.name}" is seen`).toBe(true);
    if (now.name.includes(name)) return;
  }
  throw new Error(`Tab never came to "${name}"`);
}

async function typeInto(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(text);
}

async function press(page: Page, name: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press("Enter");
}

async function tick(page: Page, name: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press("Space");
}

/** Checks that the heading of a new screen has the focus, and that the page's title is its text. */
async function arrivesAt(page: Page, heading: string): Promise<void> {
  const title = page.getByRole("heading", { level: 1, name: heading });
  await expect(title).toBeFocused();
  await expect(page).toHaveTitle(new RegExp(heading));
  await hasNamedTree(page);
}

/** Checks for screen readers: one first-level heading, and a name for every control and image. */
async function hasNamedTree(page: Page): Promise<void> {
  const tree = await page.locator("body").ariaSnapshot();
  expect(tree.match(/heading .*\[level=1\]/g)).toHaveLength(1);
  expect(tree).toContain("- main");
  const unnamed = tree.match(/^\s*- (button|textbox|checkbox|radio|combobox|link|img)(?! ")[^"\n]*$/gm) ?? [];
  expect(unnamed).toEqual([]);
}

test(
  "a patient pays with the keyboard alone, and hears each screen by its name",
  short("patient"),
  async ({ page }) => {
    const tenant = await createTenant([]);
    const patient = newPatient();
    await page.goto(await createCheckoutUrl(tenant, patient));
    const checkout = new CheckoutPage(page);
    await checkout.isOpen();
    await hasNamedTree(page);

    await press(page, "Continuar");

    // Submitted empty: the first missing field takes the focus, and the links lead to the fields.
    await arrivesAt(page, "Tus datos");
    await press(page, "Continuar");
    await expect(page.getByRole("alert")).toBeFocused();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect(page.getByLabel("Tu isapre", { exact: true })).toBeFocused();
    await page.keyboard.type("Colmena");
    await typeInto(page, "Número de documento", patient.documentSerial);
    await tick(page, "Pidan el reembolso");
    await tick(page, "salud");
    await press(page, "Continuar");

    await arrivesAt(page, "Tu tarjeta");
    await typeInto(page, "Número de tarjeta", CARDS.approved.number);
    await typeInto(page, "Vencimiento", CARDS.approved.expiry);
    await typeInto(page, "Código CVV", CARDS.approved.cvc);
    await typeInto(page, "Nombre en la tarjeta", CARDS.approved.holder);
    await page.keyboard.press("Enter");

    await arrivesAt(page, "Revisa y paga");
    await tick(page, "Contrato y crédito");
    await tick(page, "Autorizo el segundo cobro");
    await press(page, "Pagar");
    await checkout.isDone();
    await hasNamedTree(page);
  },
);

interface Stop {
  readonly isInside: boolean;
  readonly name: string;
  readonly isSeen: boolean;
}

/** The focused element, on the page or in its frame. */
async function stopOf(page: Page, checkout: Frame): Promise<Stop> {
  const isInside = await page.evaluate(() => document.activeElement instanceof HTMLIFrameElement);
  return { isInside, ...(await focused(isInside ? checkout : page)) };
}

/** Waits until the focus has settled on a new element. Between frames, no element has it briefly. */
async function stopAfter(before: Stop | undefined, page: Page, checkout: Frame): Promise<Stop> {
  let stop: Stop | undefined;
  const isAtRest = async () => {
    const [previous, now] = [stop, await stopOf(page, checkout)];
    stop = now;
    return now.name !== "" && isDeepStrictEqual(now, previous) && !isDeepStrictEqual(now, before);
  };
  await expect.poll(isAtRest, { intervals: [50] }).toBe(true);
  if (stop === undefined) throw new Error("the focus is nowhere");
  return stop;
}

/**
 * Presses the key until the focus has crossed the frame's border. Returns the stops; the last one is on the other side.
 */
async function walk(page: Page, checkout: Frame, key: "Tab" | "Shift+Tab"): Promise<readonly Stop[]> {
  const stops: Stop[] = [await stopOf(page, checkout)];
  for (let count = 0; count < STOPS_MAX; count += 1) {
    const before = stops.at(-1);
    await page.keyboard.press(key);
    stops.push(await stopAfter(before, page, checkout));
    if (stops.at(-1)?.isInside !== before?.isInside) return stops;
  }
  throw new Error(`${key} never came across the frame's border`);
}

test(
  "Tab leads from the clinic's page into the checkout and out again, and Shift+Tab back the same way",
  short("patient"),
  async ({ page, clinic }) => {
    await clinic.startCheckout(newPatient());
    await clinic.checkout.isOpen();
    const checkout = page.frame({ url: /widget_token=/ });
    if (checkout === null) throw new Error("the checkout is in no frame");

    const into = await walk(page, checkout, "Tab");
    const through = await walk(page, checkout, "Tab");
    const inside = through.filter(({ isInside }) => isInside);
    expect(inside[0]).toEqual(into.at(-1));
    expect(inside.map(({ name }) => name)).toEqual(["Ayuda", "Continuar", "English"]);
    for (const { name, isSeen } of through) expect(isSeen, `the focus on "${name}" is seen`).toBe(true);

    const back = await walk(page, checkout, "Shift+Tab");
    expect(back).toEqual(through.slice(-2).toReversed());
    const out = await walk(page, checkout, "Shift+Tab");
    expect(out.slice(0, -1)).toEqual(inside.toReversed());
    expect(out.at(-1)?.name).not.toBe("");
    // The frame's controls work when reached by keyboard.
    await walk(page, checkout, "Tab");
    await page.keyboard.press("Enter");
    await expect(checkout.locator("details").first()).toHaveAttribute("open");
  },
);
