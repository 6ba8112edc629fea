import { expect, type Locator, type Page } from "@playwright/test";
import { CheckoutFrame } from "./checkout-frame.ts";
import { CheckoutPage } from "./checkout-page.ts";
import type { Patient } from "./patients.ts";

/** The time machine's buttons, the longest jump first. */
const JUMP_DAYS = [45, 3, 1] as const;
const MOVED_WITHIN_MS = 60_000;

/** The clinic's page of the demo, which embeds the checkout and shows the events. */
export class ClinicPage {
  readonly page: Page;
  readonly checkout: CheckoutFrame;
  readonly orderStatus: Locator;
  readonly claimStatus: Locator;
  readonly collectionStatus: Locator;

  constructor(page: Page) {
    this.page = page;
    this.checkout = new CheckoutFrame(page);
    this.orderStatus = page.getByTestId("order-status");
    this.claimStatus = page.getByTestId("claim-status");
    this.collectionStatus = page.getByTestId("collection-status");
  }

  /** Opens the page for a patient and presses the button that opens the checkout. */
  async startCheckout(patient: Patient, serviceId = "traumatologia"): Promise<void> {
    const query = new URLSearchParams({
      service: serviceId,
      rut: patient.rut,
      first_name: patient.firstName,
      last_name: patient.lastName,
      email: patient.email,
      phone: patient.phone,
    });
    await this.begin(query);
  }

  /** Opens a scenario of the catalogue with its patient and service, and opens the checkout. */
  async openScenario(id: string): Promise<void> {
    await this.begin(new URLSearchParams({ escenario: id }));
  }

  /** Opens the page of an earlier purchase. */
  async openPurchase(id: string): Promise<void> {
    await this.page.goto(`/#/pago/${id}`);
  }

  private async begin(query: URLSearchParams): Promise<void> {
    await this.page.goto(`/?${query}`);
    await this.page.getByRole("button", { name: "Atiéndete ahora, paga después" }).click();
    await this.checkout.isOpen();
  }

  /** The patient of this page buys again. */
  async comeBack(): Promise<void> {
    await this.page.getByRole("link", { name: "Reservar" }).click();
    await this.page.getByRole("button", { name: "Atiéndete ahora, paga después" }).click();
    await this.checkout.isOpen();
  }

  /** The newest payment code on the patient's telephone, from the last line of a message that contains this text. */
  async recognitionCode(words: string | RegExp = "codigo para pagar"): Promise<string> {
    await this.page.getByRole("tab", { name: "Avisos" }).click();
    const message = this.message(words).first();
    await expect(message).toBeAttached();
    return /#(\d{6})/.exec((await message.textContent()) ?? "")?.[1] ?? "";
  }

  /** Waits until the clinic's back end knows from the signed webhook, not from the frame, that the order is paid. */
  async isPaid(): Promise<void> {
    await expect(this.orderStatus).toHaveAttribute("data-status", "paid");
  }

  async hasClaim(status: string): Promise<void> {
    await expect(this.claimStatus).toHaveAttribute("data-status", status);
  }

  /** The lines of *What happened* of one kind. */
  happenings(kind: string): Locator {
    return this.page.locator(`li[data-kind="${kind}"]`);
  }

  /** Advances time with the time machine. Returns when all work due meanwhile is done. */
  async passDays(days: number): Promise<void> {
    const clock = this.page.getByTestId("clock");
    let left = days;
    for (const jump of JUMP_DAYS) {
      for (; left >= jump; left -= jump) {
        await this.page.getByRole("button", { name: jump === 1 ? "+1 día" : `+${jump} días` }).click();
        await expect(clock).toHaveAttribute("data-moving", "false", { timeout: MOVED_WITHIN_MS });
        await expect(clock).toContainText("Hoy es");
      }
    }
  }

  /** The clinic refunds an amount in CLP, or everything with null. */
  async refund(amountClp: number | null): Promise<void> {
    await this.page.getByRole("tab", { name: "Acciones" }).click();
    if (amountClp !== null) await this.page.getByLabel("Monto en pesos").fill(String(amountClp));
    await this.page.getByRole("button", { name: "Devolver", exact: true }).click();
    await expect(this.happenings("refund_asked")).toHaveCount(1);
  }

  /**
   * Opens a mail's link above the one to the payment's page, and answers the code that comes by mail. The mail is the
   * newest whose subject contains this text. The page that the link opens stays on the screen.
   */
  async openLink(subject: string): Promise<CheckoutPage> {
    await this.page.getByRole("tab", { name: "Avisos" }).click();
    const notice = this.notice(subject).first();
    await notice.locator("summary").click();
    const opening = this.page.context().waitForEvent("page");
    await notice
      .getByRole("link", { name: /widget_token=/ })
      .first()
      .click();
    const page = new CheckoutPage(await opening);
    const codesBefore = await this.notice("Tu código").count();
    await page.askForCode();
    await expect(this.notice("Tu código")).toHaveCount(codesBefore + 1);
    const text = await this.notice("Tu código").first().textContent();
    await page.answerCode(/\b\d{6}\b/.exec(text ?? "")?.[0] ?? "");
    return page;
  }

  /** A message on the patient's telephone that contains this text. Messages have no links. */
  message(words: string | RegExp): Locator {
    return this.page.getByTestId("message").filter({ hasText: words });
  }

  /** A mail to the patient whose subject contains this text. */
  notice(subject: string): Locator {
    return this.page.locator(`[data-testid="notice"][data-subject*="${subject}" i]`);
  }
}
