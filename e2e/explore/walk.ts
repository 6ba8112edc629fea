import type { Browser, BrowserContext, Frame, Locator, Page, Request } from "@playwright/test";
import { canRetry } from "bff/contract/decline-retry";
import { CARDS as TEST_CARDS } from "host-demo/scenarios/magic-values";
import { CARDS, type TestCard } from "../kit/cards.ts";
import { newPatient, type Patient } from "../kit/patients.ts";
import { containing, either } from "../kit/words.ts";
import { payWithToken } from "../support/begin-by-api.ts";
import { codesOf } from "../support/recognition-codes.ts";
import { moveClock } from "../support/sandbox-clock.ts";
import { createOrder, createTenant, mintCheckoutUrl, productUrls, type Tenant } from "../support/tenant.ts";
import { openTestOrigin, type TestOrigin } from "../support/test-pages.ts";
import { watch } from "../support/watch.ts";
import type { Action, ActionKind } from "./actions.ts";
import { explorerPage } from "./host-page.ts";
import type { Plant } from "./plants.ts";
import { DONE, type Observed, PAID, PROPERTIES } from "./properties.ts";
import { itemAt } from "./random.ts";
import { LOOK_AT_SCREEN, type Screen } from "./screen.ts";
import { observe, withVerdict } from "./temporal.ts";

const LOOK_EVERY_MS = 100;
/** A height is final after this time without a new message. */
const HEIGHT_RESTS_MS = 150;
/**
 * A press that is impossible within this time is skipped, because something covers the target or it has disappeared.
 */
const PRESS_WITHIN_MS = 1_500;
/** A page may send other requests before the one that a press causes. */
const PRESS_WORKS_MS = 15_000;
/** Longer than a page needs to render an answer, so that later changes are seen. */
const WAIT_MS = 2_500;
const ODD_VALUES = ["", "   ", "0", "-1", "ñandú@@", "<b>x</b>", "9".repeat(300), "11.111.111-1", "12/99", "😀", "K"];
const PARTIES = [
  { party: "card-processor", method: "charge" },
  { party: "card-processor", method: "registerCard" },
  { party: "financing-provider", method: "authoriseLoan" },
  { party: "identity-registry", method: "check" },
];

/** The card of a known patient, which no action types. */
const SAVED = TEST_CARDS.debit;
/** A code arrives within moments; without one, the walk continues. */
const CODE_LOOKS = 20;
const LANGUAGES = ["English", "Español"];

/** A violated property. */
export class Broken extends Error {}

interface WalkParts {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly partner: TestOrigin;
  readonly tenant: Tenant;
  readonly patient: Patient;
  readonly url: string;
  /** The address of the partner's page that embeds the checkout. */
  readonly pageUrl: string;
  readonly errors: readonly string[];
  /** The longest wait until the screen shows the server's state. */
  readonly shownWithinMs: number;
  readonly isKnown: boolean;
}

export interface WalkOptions {
  readonly mode: "inline" | "dialog";
  readonly plant: Plant | null;
  readonly shownWithinMs: number;
  /** Whether the patient has paid before and saved a card. */
  readonly isKnown: boolean;
}

/** One order's patient, who follows a list of actions. */
export class Walk {
  private readonly parts: WalkParts;
  private readonly personal: readonly string[];
  private losesNext = false;
  private requests = 0;
  private properties = PROPERTIES;
  private action: ActionKind | null = null;
  private pressedPayAtMs: number | null = null;
  private pressedLanguageAtMs: number | null = null;
  private lastEventMs = performance.now();
  private readonly payments = new Set<string>();
  private paidAnswers = 0;
  /** Codes that the patient has received. */
  private readonly codes = new Set<string>();
  private isCodeSent = false;
  private cards = 0;
  /** The number of cards sent before each request of a payment, and before the last one that was declined for good. */
  private readonly cardsBefore = new WeakMap<Request, number>();
  private deadCard: number | null = null;

  private constructor(parts: WalkParts) {
    this.parts = parts;
    const { patient } = parts;
    const cards = Object.values(CARDS).flatMap(({ number }) => [number, number.replaceAll(" ", "")]);
    const rut = patient.rut.replaceAll(".", "");
    const { email, firstName, lastName, documentSerial } = patient;
    this.personal = [patient.rut, rut, email, firstName, lastName, documentSerial, ...cards];
  }

  static async start(browser: Browser, { mode, plant, shownWithinMs, isKnown }: WalkOptions): Promise<Walk> {
    const partner = await openTestOrigin();
    const tenant = await createTenant([partner.origin], [], isKnown ? { known_patients: true } : {});
    const patient = newPatient();
    if (isKnown) await payAndSaveCard(tenant, patient);
    const order = await createOrder(tenant, patient);
    const url = await mintCheckoutUrl(tenant, patient, order);
    const { widgetHostUrl } = productUrls();
    const context = await browser.newContext({
      viewport: { width: 412, height: 900 },
      locale: "es-CL",
      timezoneId: "America/Santiago",
    });
    const errors = await watch(context);
    if (plant !== null) {
      await context.addInitScript(
        `if (location.origin === ${JSON.stringify(new URL(widgetHostUrl).origin)}) { ${plant.script} }`,
      );
    }
    const page = await context.newPage();
    page.on("dialog", (dialog) => void dialog.accept());
    const pageUrl = partner.put("/", explorerPage(`${widgetHostUrl}/embed/v1.js`, url, mode));
    const walk = new Walk({ context, page, partner, tenant, patient, url, pageUrl, errors, shownWithinMs, isKnown });
    try {
      await walk.watchRequests();
      walk.watchAnswers();
      await page.goto(pageUrl);
      await walk.settle();
      return walk;
    } catch (error) {
      // The clinic's server would keep this process alive.
      await walk.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.parts.context.close();
    await this.parts.partner.close();
  }

  /** Does one action, and checks all properties after it. */
  async take(action: Action): Promise<void> {
    this.action = action.kind;
    const before = await this.look();
    this.lastEventMs = performance.now();
    switch (action.kind) {
      case "go_on":
        await this.fillFirst(action.at);
        // Checked before the press, so that a premature payment is detected.
        if (before?.pays) await this.wait();
        this.action = "submit";
        await this.submit(before);
        break;
      case "fill":
        await this.fill(action.at);
        break;
      case "submit":
        await this.submit(before);
        break;
      case "press":
        await this.pressAny(action.at);
        break;
      case "type":
        await this.typeOdd(action.at);
        break;
      case "reload":
        await this.parts.page.reload();
        break;
      case "back":
        await this.goBack();
        break;
      case "offline":
        await this.fillFirst(action.at);
        this.action = "offline";
        await this.parts.context.setOffline(true);
        await this.pressMain();
        await this.parts.context.setOffline(false);
        break;
      case "other_tab":
        await this.goOnInOtherTab();
        break;
      case "clock":
        await moveClock(this.parts.tenant.credentials, "2m");
        break;
      case "party_fails":
        await this.failNext(action.at);
        break;
      case "lost_answer":
        this.losesNext = true;
        break;
      case "wait":
        await this.wait();
        break;
    }
    await this.settle();
    const isPress = ["go_on", "submit", "press"].includes(action.kind);
    await this.hold(isPress ? before : null);
  }

  /** Checks a final property: after a reload, the screen shows the server's state. */
  async end(): Promise<void> {
    this.losesNext = false;
    await this.owe();
    const order = await this.readOrder();
    if (order.status !== "paid") return;
    await this.parts.page.reload();
    let shown = "nothing";
    await this.until(
      async () => {
        shown = (await this.look())?.heading ?? "nothing";
        return PAID.includes(shown);
      },
      () => `the server has the order as paid, and the screen shows ${shown}`,
    );
  }

  /** One step back inside the checkout. From its first screen, leaves the page and returns. */
  private async goBack(): Promise<void> {
    const { page } = this.parts;
    const index = await this.frame()?.evaluate(() => history.state?.aapd?.index ?? 0);
    if (index > 0) return page.evaluate(() => history.back());
    await page.goto("about:blank");
    await page.goBack();
  }

  private frame(): Frame | undefined {
    return this.parts.page.frames().find((frame) => frame.url().startsWith(new URL(this.parts.url).origin));
  }

  /** The checkout's screen, or null while it is loading or closed. Checks the properties on every call. */
  private async look(): Promise<Screen | null> {
    const { action, paidAnswers } = this;
    const pressedPay = isRecent(this.pressedPayAtMs);
    const pressedLanguage = isRecent(this.pressedLanguageAtMs);
    const isCardDead = this.deadCard === this.cards;
    const hiddenCard = this.parts.isKnown && !this.isCodeSent ? SAVED.number.slice(-4) : null;
    const payments = this.payments.size;
    const screen =
      (await this.frame()
        ?.evaluate<Screen>(LOOK_AT_SCREEN)
        .catch(() => null)) ?? null;
    const isSettled = screen !== null && screen.heading !== "" && !screen.isBusy;
    const { lastEventMs } = this;
    const atMs = performance.now();
    const known = { pressedPay, pressedLanguage, payments, paidAnswers, isCardDead, hiddenCard };
    this.judge({ atMs, action, screen, isSettled, lastEventMs, ...known });
    return screen;
  }

  private judge(observed: Observed): void {
    this.properties = observe(this.properties, observed);
    const [violated] = withVerdict(this.properties, "violated");
    if (violated !== undefined) throw new Broken(`${violated}: "${observed.screen?.heading}" breaks it`);
  }

  /** Waits until everything that must follow has followed, or its time is over. */
  private async owe(): Promise<void> {
    for (; withVerdict(this.properties, "pending").length > 0; await pause()) await this.look();
  }

  private async until(holds: () => Promise<boolean>, otherwise: string | (() => string)): Promise<void> {
    for (const deadline = Date.now() + this.parts.shownWithinMs; !(await holds()); ) {
      if (Date.now() > deadline) throw new Broken(typeof otherwise === "string" ? otherwise : otherwise());
      await pause();
    }
  }

  /** Waits for a screen with nothing in progress. Reopens a checkout that has closed itself. */
  private async settle(): Promise<void> {
    if ((await this.parts.page.locator("iframe").count()) === 0) await this.parts.page.goto(this.parts.pageUrl);
    await this.until(async () => {
      const screen = await this.look();
      return screen !== null && screen.heading !== "" && !screen.isBusy;
    }, "no screen that can be used has come");
  }

  private async hold(before: Screen | null): Promise<void> {
    const screen = await this.look();
    if (screen === null) return;
    if (this.parts.errors.length > 0) throw new Broken(`an error in the console: ${this.parts.errors.join(" | ")}`);
    const [fault] = screen.faults;
    if (fault !== undefined) throw new Broken(fault);
    if (before !== null && before.heading !== screen.heading) {
      const isThere = async () => (await this.look())?.isFocusLost === false;
      await this.until(isThere, `the focus is lost on the way from "${before.heading}" to "${screen.heading}"`);
    }
    const hasTitle = async () => {
      const now = await this.look();
      return now === null || now.title.startsWith(now.heading);
    };
    await this.until(hasTitle, `the title of the page is not that of the screen: ${screen.title}`);
    const hasHeight = async () =>
      this.parts.page.evaluate((ms) => performance.now() - Reflect.get(window, "heightAt") > ms, HEIGHT_RESTS_MS);
    await this.until(hasHeight, "the height does not come to rest");
    await this.holdMessages();
    const order = await this.readOrder();
    if (order.payments.filter(({ status }) => status === "captured").length > 1) throw new Broken("two charges");
    if (DONE.includes(screen.heading) && order.status !== "paid") {
      throw new Broken(`the screen says that the payment is made, and the server says ${order.status}`);
    }
  }

  private async holdMessages(): Promise<void> {
    const messages: string[] = await this.parts.page.evaluate(() => Reflect.get(window, "messages") ?? []);
    const leaked = this.personal.find((text) => messages.some((message) => message.includes(text)));
    if (leaked !== undefined) throw new Broken("a message to the page has something personal in it");
  }

  private async readOrder(): Promise<{ status: string; payments: { status: string }[] }> {
    const hash = new URL(this.parts.url).searchParams.get("order_token");
    const answer = await fetch(`${productUrls().orderApiUrl}/orders/${hash}`, {
      headers: { authorization: `Bearer ${this.parts.tenant.credentials.client_secret}` },
    });
    if (!answer.ok) throw new Error(`GET /orders answered ${answer.status}`);
    return (await answer.json()) as { status: string; payments: { status: string }[] };
  }

  private async wait(): Promise<void> {
    for (const end = Date.now() + WAIT_MS; Date.now() < end; await pause()) await this.look();
  }

  /** Fills fields first, so that they are observed before the next action. */
  private async fillFirst(at: number): Promise<void> {
    this.action = "fill";
    await this.fill(at);
    await this.look();
  }

  private async fill(at: number): Promise<void> {
    const frame = this.frame();
    if (frame === undefined) return;
    const card: TestCard =
      itemAt([CARDS.approved, CARDS.approved, CARDS.declined, TEST_CARDS.challenge], at) ?? CARDS.approved;
    await this.fillCode(frame);
    const values = [
      ["firstName", this.parts.patient.firstName],
      ["lastName", this.parts.patient.lastName],
      ["email", this.parts.patient.email],
      ["phone", this.parts.patient.phone],
      ["serial", this.parts.patient.documentSerial],
      ["cardNumber", card.number],
      ["expiry", card.expiry],
      ["securityCode", card.cvc],
      ["holder", card.holder],
    ] as const;
    for (const [label, value] of values) {
      const field = frame.getByLabel(containing(label)).first();
      if (await field.isVisible()) await field.fill(value, { timeout: PRESS_WITHIN_MS }).catch(() => undefined);
    }
    const insurer = frame.getByLabel(either("insurer")).first();
    if (await insurer.isVisible()) await insurer.selectOption({ label: "Colmena" }).catch(() => undefined);
    for (const box of await frame.locator("input[type=checkbox]:visible:not(:checked)").all()) {
      await box.press("Space", { timeout: PRESS_WITHIN_MS }).catch(() => undefined);
    }
  }

  /** A known patient touches the field, which requests a code, and types the last one that arrived. */
  private async fillCode(frame: Frame): Promise<void> {
    const field = frame.getByLabel(containing("code")).first();
    if (!this.parts.isKnown || !(await field.isVisible())) return;
    await field.focus({ timeout: PRESS_WITHIN_MS }).catch(() => undefined);
    for (let looks = 0; looks < CODE_LOOKS; looks += 1, await pause()) {
      const [code] = await codesOf(this.parts.tenant, this.parts.patient);
      if (code === undefined) continue;
      this.codes.add(code);
      return void (await field.fill(code, { timeout: PRESS_WITHIN_MS }).catch(() => undefined));
    }
  }

  /** Uses the keyboard, which reaches the button wherever it is on the page. */
  private async pressMain(): Promise<boolean> {
    const button = this.frame()?.locator("button[type=submit]:visible").first();
    if (button === undefined || !(await button.isVisible())) return false;
    await this.notePress(button);
    return button.press("Enter", { timeout: PRESS_WITHIN_MS }).then(
      () => true,
      () => false,
    );
  }

  private async notePress(button: Locator): Promise<void> {
    const label = await button.textContent({ timeout: PRESS_WITHIN_MS }).catch(() => null);
    if (label !== null && either("pay").test(label)) this.pressedPayAtMs = performance.now();
    if (LANGUAGES.includes(label ?? "")) this.pressedLanguageAtMs = performance.now();
  }

  private async submit(before: Screen | null): Promise<void> {
    const asked = this.requests;
    if (before === null || !(await this.pressMain())) return;
    await this.until(async () => {
      const now = await this.look();
      const isAnswered = now === null || now.heading !== before.heading || now.alerts !== "" || now.isBusy;
      return isAnswered || this.requests > asked;
    }, `a press of the main button of "${before.heading}" has no answer`);
  }

  private async pressAny(at: number): Promise<void> {
    const buttons = await this.frame()?.locator("button:visible, summary:visible").all();
    const button = itemAt(buttons ?? [], at);
    if (button === undefined) return;
    await this.notePress(button);
    await button.click({ timeout: PRESS_WITHIN_MS }).catch(() => undefined);
  }

  private async typeOdd(at: number): Promise<void> {
    const fields = await this.frame()?.locator("input:visible:not([type=checkbox])").all();
    const value = itemAt(ODD_VALUES, (at * 7) % 1) ?? "";
    await itemAt(fields ?? [], at)
      ?.fill(value, { timeout: PRESS_WITHIN_MS })
      .catch(() => undefined);
  }

  /** Opens the same token in a second tab, and presses the main button there too. */
  private async goOnInOtherTab(): Promise<void> {
    const other = await this.parts.context.newPage();
    await other.goto(this.parts.url);
    await other.locator("h1").first().waitFor();
    const main = other.locator("button[type=submit]:visible").first();
    if (await main.isVisible()) await this.notePress(main);
    if (await main.isVisible()) await main.press("Enter", { timeout: PRESS_WITHIN_MS }).catch(() => undefined);
    await other.close();
    await this.parts.page.bringToFront();
  }

  private async failNext(at: number): Promise<void> {
    const kind = itemAt(["fail_before", "fail_after", "twice"], (at * 7) % 1);
    const response = await fetch(`${productUrls().orderApiUrl}/sandbox/faults`, {
      method: "PUT",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${this.parts.tenant.credentials.client_secret}`,
      },
      body: JSON.stringify({ faults: [{ ...itemAt(PARTIES, at), kind }] }),
    });
    if (!response.ok) throw new Error(`PUT /sandbox/faults answered ${response.status}`);
  }

  /** The services receive a request whose answer is lost, and still charge or write. */
  private async watchRequests(): Promise<void> {
    await this.parts.context.route(
      (url) =>
        url.pathname !== "/" && !/^\/(assets|embed)\//.test(url.pathname) && url.origin !== this.parts.partner.origin,
      async (route) => {
        this.requests += 1;
        this.lastEventMs = performance.now();
        const request = route.request();
        const key = request.headers()["idempotency-key"];
        if (key !== undefined && isPayment(request)) this.payments.add(key);
        this.noteCard(request);
        if (!this.losesNext || request.method() !== "POST") return route.continue();
        this.losesNext = false;
        await route.fetch().catch(() => undefined);
        await route.abort("connectionreset");
      },
    );
  }

  private noteCard(request: Request): void {
    const { pathname } = new URL(request.url());
    if (request.method() !== "POST") return;
    if (/\/(?:add_payment_method|card_page)$/.test(pathname)) this.cards += 1;
    if (pathname.endsWith("/payment")) this.cardsBefore.set(request, this.cards);
    const isVerified = pathname.endsWith("/recognition/verify");
    if (isVerified && this.codes.has(String(Reflect.get(request.postDataJSON(), "code")))) this.isCodeSent = true;
  }

  /** Counts the answers that reach the page, and those that report the order as paid. */
  private watchAnswers(): void {
    this.parts.page.on("response", async (response) => {
      this.lastEventMs = performance.now();
      const isOfOrder = new URL(response.url()).pathname.includes("/orders/");
      const answer: unknown = isOfOrder ? await response.json().catch(() => null) : null;
      if (isPaidOrder(answer)) this.paidAnswers += 1;
      if (isDeclinedForGood(answer)) this.deadCard = this.cardsBefore.get(response.request()) ?? null;
    });
  }
}

/** Without consents it is an inquiry, which never starts a payment. */
function isPayment(request: Request): boolean {
  if (!new URL(request.url()).pathname.endsWith("/payment")) return false;
  const body: unknown = request.postDataJSON();
  const consents: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "consents") : null;
  return Array.isArray(consents) && consents.length > 0;
}

/** Answers are an order, or contain one. */
function isPaidOrder(answer: unknown): boolean {
  if (typeof answer !== "object" || answer === null) return false;
  return Reflect.get(answer, "status") === "paid" || isPaidOrder(Reflect.get(answer, "order"));
}

function isDeclinedForGood(answer: unknown): boolean {
  if (typeof answer !== "object" || answer === null) return false;
  const { code, decline_reason: reason, decline_limit: limit } = answer as Record<string, never>;
  return code === "card_declined" && reason !== undefined && !canRetry(reason, limit);
}

/** The first visit of a known patient, without a browser. */
async function payAndSaveCard(tenant: Tenant, patient: Patient): Promise<void> {
  const url = await mintCheckoutUrl(tenant, patient, await createOrder(tenant, patient));
  await payWithToken(new URL(url).searchParams.get("widget_token") ?? "", patient, SAVED);
}

function isRecent(atMs: number | null): boolean {
  return atMs !== null && performance.now() - atMs < PRESS_WORKS_MS;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
}
