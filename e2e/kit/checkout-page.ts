import { expect, type Page } from "@playwright/test";
import type { TestCard } from "./cards.ts";
import { type BankAnswer, CheckoutFrame } from "./checkout-frame.ts";
import { containing, either } from "./words.ts";

/** The checkout opened as a full page, as a link in a mail opens it. */
export class CheckoutPage extends CheckoutFrame {
  constructor(page: Page) {
    super(page, page);
  }

  /** Requests the code on the first screen of a link that requires one. */
  async askForCode(): Promise<void> {
    await this.page.getByRole("button", { name: either("sendCode") }).click();
    await expect(this.page.getByLabel(containing("code"))).toBeVisible();
  }

  async answerCode(code: string): Promise<void> {
    await this.page.getByLabel(containing("code")).fill(code);
    await this.page.getByRole("button", { name: either("confirmCode") }).click();
  }

  /** *El acceso a tu isapre*: the registered insurer stays selected. */
  async giveAccess(portalPassword: string): Promise<void> {
    await expect(this.heading(either("access"))).toBeVisible();
    await this.page.getByLabel(containing("password")).first().fill(portalPassword);
    await this.acceptConsents();
    await this.page.getByRole("button", { name: either("giveAccess") }).click();
    await expect(this.heading(either("accessGiven"))).toBeVisible();
  }

  /** *Tu nueva tarjeta*, of a bank that challenges its patient. If the charge follows at once, the button names it. */
  async useCard(card: TestCard, answer: BankAnswer): Promise<void> {
    await expect(this.heading(either("newCard"))).toBeVisible();
    await this.page.getByLabel(containing("cardNumber")).fill(card.number);
    await this.page.getByLabel(containing("expiry")).fill(card.expiry);
    await this.page.getByLabel(containing("securityCode")).fill(card.cvc);
    await this.page.getByLabel(containing("holder")).fill(card.holder);
    await this.page.getByRole("button", { name: either("useCard", "payNow") }).click();
    await this.answerBank(answer);
    await expect(this.heading(either("cardChanged"))).toBeVisible();
  }

  /** *Revisa y paga*: the only remaining screen. */
  async payRest(): Promise<void> {
    await this.page.getByRole("button", { name: either("payNow") }).click();
    await expect(this.heading(either("paidInFull"))).toBeVisible();
  }

  async close(): Promise<void> {
    await this.page.close();
  }
}
