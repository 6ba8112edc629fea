import { expect, type FrameLocator, type Locator, type Page } from "@playwright/test";
import type { TestCard } from "./cards.ts";
import type { Patient } from "./patients.ts";
import { containing, either } from "./words.ts";

const SLOW_ANSWER_MS = 30_000;

/** The second title applies after the order's card was declined. */
const CARD_TITLES = either("card", "useAnotherCard");

/** The sandbox accepts any password of an isapre's portal. */
const PORTAL_PASSWORD = "clave-de-prueba";

/** Without an e-mail, the clinic's is kept. */
type RegisteredPatient = Pick<Patient, "firstName" | "lastName"> & Partial<Pick<Patient, "email" | "phone">>;

/**
 * The patient's answer on the bank's page. `leave` closes that page without an answer. Any other text is the name of a
 * button.
 */
export type BankAnswer = "approve" | "reject" | "leave" | (string & {});

const BANK_BUTTONS: Readonly<Record<string, RegExp>> = {
  approve: /^Confirmar la (?:compra|tarjeta)$/,
  reject: /^No fui yo: rechazar$/,
};

/**
 * The checkout as a patient uses it, by role and label inside its frame, in Spanish or English. Each method does one
 * step and leaves the next one on the screen.
 */
export class CheckoutFrame {
  readonly page: Page;
  readonly frame: FrameLocator | Page;

  /** `frame` contains the checkout; the default is the page's first frame. */
  constructor(page: Page, frame: FrameLocator | Page = page.locator("iframe").first().contentFrame()) {
    this.page = page;
    this.frame = frame;
  }

  heading(name: string | RegExp): Locator {
    return this.frame.getByRole("heading", { name, level: 1 });
  }

  async isOpen(): Promise<void> {
    await expect(this.frame.getByRole("heading", { level: 1 })).toBeVisible({ timeout: SLOW_ANSWER_MS });
  }

  /** Ticks each required consent of the screen. Optional ones stay unchanged. */
  async acceptConsents(): Promise<void> {
    await this.hasSettled();
    const boxes = this.frame.getByRole("checkbox");
    for (const box of await boxes.all()) {
      // Checked one by one, because typing may just have made another consent required.
      const isMissing = await box.evaluate((input) =>
        input.matches(":is(:required, [aria-required=true]):not(:checked)"),
      );
      if (!isMissing) continue;
      await this.press(box);
      await expect(box).toBeChecked();
    }
  }

  /**
   * Scrolls to the target and points at it, until the browser registers it under the pointer. After a scroll or a
   * resize of a frame, a busy browser still sends presses to the old element.
   */
  async press(target: Locator): Promise<void> {
    await this.hasSettled();
    await expect(async () => {
      await target.hover();
      expect(await target.evaluate((element) => element.matches(":hover"))).toBe(true);
    }).toPass({ timeout: SLOW_ANSWER_MS });
    await target.click();
  }

  /**
   * Shortly after a screen changes, the page sets the frame's new height. The browser sends clicks there to the frame
   * only after both have painted it at that height. Patients press what they see, so this waits for that. A checkout
   * that is not ready in 10 s is reloaded, which loses ticked boxes, so this waits until it is ready.
   */
  private async hasSettled(): Promise<void> {
    if (this.frame === this.page) return;
    const content = this.frame.locator(".aapd-frame");
    const iframe = this.page.locator("iframe").first();
    await expect(async () => {
      // The frame paints first, and then the page paints the frame's clickable area.
      const needed = await content.evaluate(async (element) => {
        const { height } = element.getBoundingClientRect();
        await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
        return height;
      });
      const { given, state } = await iframe.evaluate(async (element) => {
        const height = getComputedStyle(element).getPropertyValue("--aapd-height");
        await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
        return { given: height, state: element.closest("dialog")?.dataset.state };
      });
      // A page that embeds without the kit sets no height.
      if (given === "") return;
      expect(state).toBe("ready");
      expect(Math.abs(Number.parseFloat(given) - needed)).toBeLessThanOrEqual(2);
    }).toPass({ timeout: SLOW_ANSWER_MS });
  }

  private async submit(name: string | RegExp): Promise<void> {
    await this.press(this.frame.getByRole("button", { name }));
  }

  /** *Resumen*: the amounts due today and later. */
  async acceptSummary(): Promise<void> {
    await expect(this.heading(either("summary"))).toBeVisible();
    await this.acceptConsents();
    await this.submit(either("continue"));
  }

  /**
   * *Tus datos*, only for a new patient. The clinic's data is filled in already. With `null` for the password of the
   * isapre's portal, the patient gives no access and no claim is filed. A sign-up without an order is submitted. If the
   * document is required too, `proveIdentity` submits both.
   */
  async register(
    patient: RegisteredPatient,
    insurer = "Colmena",
    portalPassword: string | null = PORTAL_PASSWORD,
  ): Promise<void> {
    await expect(this.heading(either("patient"))).toBeVisible();
    await this.frame.getByLabel(either("insurer")).selectOption({ label: insurer });
    const edit = this.frame.getByRole("button", { name: either("edit") });
    if (await edit.isVisible()) await this.press(edit);
    await this.frame.getByLabel(containing("firstName")).fill(patient.firstName);
    await this.frame.getByLabel(containing("lastName")).fill(patient.lastName);
    if (patient.email !== undefined) await this.hasEmail(patient.email);
    if (patient.phone !== undefined) await this.frame.getByLabel(containing("phone")).fill(patient.phone);
    if (portalPassword !== null) await this.typePassword(portalPassword);
    await this.acceptConsents();
    if (!(await this.serialField.isVisible())) await this.submit(either("continue"));
  }

  private async typePassword(password: string): Promise<void> {
    const field = this.frame.getByLabel(containing("password"));
    if (!(await field.isVisible())) await this.press(this.frame.getByText(containing("addPassword")));
    await field.fill(password);
  }

  private get serialField(): Locator {
    return this.frame.getByLabel(containing("serial"));
  }

  /** Like a person, does not retype an address that the clinic has already filled in. */
  private async hasEmail(email: string): Promise<void> {
    const field = this.frame.getByLabel(containing("email"));
    // Driven over BiDi, Firefox adds to what a field for addresses holds, and cannot select it first.
    if ((await field.inputValue()) !== email) await field.fill(email);
  }

  /** *¿Ya has pagado así?*, the first screen of a registered patient: touches the field, which requests a code. */
  async requestRecognition(): Promise<void> {
    await this.press(this.codeField);
  }

  /** *¿Ya has pagado así?*: types a code, which is submitted automatically when complete. */
  async answerRecognition(code: string): Promise<void> {
    await this.codeField.fill(code);
  }

  /** *¿Ya has pagado así?*: continues as an unknown patient. */
  async skipRecognition(): Promise<void> {
    await this.submit(either("skipCode"));
  }

  /** @deprecated Use `skipRecognition`: the screen has one way on without a code. */
  goOnWithoutCode(_button: "Usar otra tarjeta" | "No soy yo"): Promise<void> {
    return this.skipRecognition();
  }

  private get codeField(): Locator {
    return this.frame.getByLabel(containing("code"));
  }

  /** *Tus datos*, or *Confirma tu identidad* for a registered patient: types the document number, and submits. */
  async proveIdentity(serial: string): Promise<void> {
    await expect(this.heading(either("patient", "identity"))).toBeVisible();
    await this.serialField.fill(serial);
    await this.submit(either("continue", "confirmIdentity"));
  }

  /** *Tu tarjeta*, or *Usa otra tarjeta* after the order's card was declined. */
  async addCard(card: TestCard, keep = false): Promise<void> {
    await expect(this.heading(CARD_TITLES)).toBeVisible();
    const other = this.frame.getByRole("radio", { name: either("anotherCard") });
    if (await other.isVisible()) await other.check();
    await this.frame.getByLabel(containing("cardNumber")).fill(card.number);
    await this.frame.getByLabel(containing("expiry")).fill(card.expiry);
    await this.frame.getByLabel(containing("securityCode")).fill(card.cvc);
    await this.frame.getByLabel(containing("holder")).fill(card.holder);
    if (keep) {
      await this.hasSettled();
      await this.frame.getByRole("checkbox", { name: containing("keepCard") }).check();
    }
    await this.submit(either("continue", "useOtherCard"));
  }

  /** From *Revisa y paga*, or from the screen after a refused payment: chooses another card. */
  async changeCard(card: TestCard): Promise<void> {
    const atCard = this.heading(CARD_TITLES);
    const change = this.frame.getByRole("button", { name: containing("change") });
    await expect(atCard.or(change).first()).toBeVisible({ timeout: SLOW_ANSWER_MS });
    if (!(await atCard.isVisible())) await this.press(change);
    await this.addCard(card);
  }

  /** *Revisa y paga*: presses the button that charges. A known patient sees it only after entering the right code. */
  async pay(): Promise<void> {
    await expect(this.heading(either("review"))).toBeVisible();
    await expect(this.frame.getByRole("button", { name: either("pay") })).toBeVisible();
    await this.acceptConsents();
    await this.submit(either("pay"));
  }

  /** The bank's own page, in a frame within the frame, if strong authentication is required. */
  async answerBank(answer: BankAnswer): Promise<void> {
    if (answer === "leave") return this.leaveBank();
    const bank = this.frame.locator("iframe").contentFrame();
    await this.press(bank.getByRole("button", { name: BANK_BUTTONS[answer] ?? answer }));
  }

  /** *Tu tarjeta*, if the card is entered on the card processor's own page: opens that page. */
  async openCardPage(): Promise<void> {
    await expect(this.heading(either("card"))).toBeVisible();
    await this.submit(either("openCardPage"));
  }

  /** Types a card on the card processor's own page, in a nested frame. */
  async giveCard(card: TestCard): Promise<void> {
    const page = this.frame.locator("iframe").contentFrame();
    await page.getByLabel("Número de tarjeta").fill(card.number, { timeout: SLOW_ANSWER_MS });
    await page.getByLabel("Vencimiento").fill(card.expiry);
    await page.getByLabel("Código de seguridad").fill(card.cvc);
    await page.getByLabel("Nombre en la tarjeta").fill(card.holder);
    await this.press(page.getByRole("button", { name: "Inscribir la tarjeta" }));
  }

  /** Presses a button of the card processor's own page. */
  async answerCardPage(button: string): Promise<void> {
    const page = this.frame.locator("iframe").contentFrame();
    await this.press(page.getByRole("button", { name: button }));
  }

  /** Closes the card processor's page without waiting for its end. */
  async leaveCardPage(): Promise<void> {
    await this.submit(either("leaveCardPage"));
  }

  /** The address of the bank's page, which the patient may also open elsewhere. */
  async bankAddress(): Promise<string> {
    const frame = this.frame.locator("iframe");
    await expect(frame).toBeVisible({ timeout: SLOW_ANSWER_MS });
    return (await frame.getAttribute("src")) ?? "";
  }

  /** Closes the bank's page without waiting for its end. */
  async leaveBank(): Promise<void> {
    await this.submit(either("leaveBank"));
  }

  /** Waits for *Listo*, the end of a visit. */
  async isDone(): Promise<void> {
    await expect(this.heading(either("done"))).toBeVisible({ timeout: SLOW_ANSWER_MS });
  }

  /** *Mis datos*, below the end of a visit: requests the link to the patient's data. */
  async askForData(): Promise<void> {
    await this.press(this.frame.getByText(either("myData")));
    await this.submit(either("sendLink"));
    await expect(this.frame.getByRole("status")).toContainText(containing("checkMail"));
  }

  /** The text of the alert on the screen. */
  get alert(): Locator {
    return this.frame.getByRole("alert");
  }
}
