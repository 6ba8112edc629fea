import { expect, type Page } from "@playwright/test";
import type { TestCard } from "./cards.ts";
import { CheckoutFrame } from "./checkout-frame.ts";

/** The checkout opened as a full page, as a link in a mail opens it. */
export class CheckoutPage extends CheckoutFrame {
  constructor(page: Page) {
    super(page, page);
  }

  /** Requests the code on the first screen of a link that requires one. */
  async askForCode(): Promise<void> {
    await this.page.getByRole("button", { name: "Enviarme el código" }).click();
    await expect(this.page.getByLabel("Código de 6 dígitos")).toBeVisible();
  }

  async answerCode(code: string): Promise<void> {
    await this.page.getByLabel("Código de 6 dígitos").fill(code);
    await this.page.getByRole("button", { name: "Confirmar" }).click();
  }

  /** *El acceso a tu isapre*: the registered insurer stays selected. */
  async giveAccess(portalPassword: string): Promise<void> {
    await expect(this.heading("El acceso a tu isapre")).toBeVisible();
    await this.page.getByLabel("Clave de tu isapre").first().fill(portalPassword);
    await this.acceptConsents();
    await this.page.getByRole("button", { name: "Dar acceso" }).click();
    await expect(this.heading("Listo, seguimos con tu reembolso")).toBeVisible();
  }

  /**
   * *Tu nueva tarjeta*, with a card whose bank challenges the patient. If the charge follows at once, the button says
   * so.
   */
  async useCard(card: TestCard, button: string): Promise<void> {
    await expect(this.heading("Tu nueva tarjeta")).toBeVisible();
    await this.page.getByLabel("Número de tarjeta").fill(card.number);
    await this.page.getByLabel("Vencimiento").fill(card.expiry);
    await this.page.getByLabel("Código CVV").fill(card.cvc);
    await this.page.getByLabel("Nombre en la tarjeta").fill(card.holder);
    await this.page.getByRole("button", { name: /^(Usar esta tarjeta|Pagar .* ahora)$/ }).click();
    await this.answerBank(button);
    await expect(this.heading("Listo, cambiamos tu tarjeta")).toBeVisible();
  }

  /** *Revisa y paga*: the only remaining screen. */
  async payRest(): Promise<void> {
    await this.page.getByRole("button", { name: /^Pagar .* ahora$/ }).click();
    await expect(this.heading("Listo, tu pago está completo")).toBeVisible();
  }

  async close(): Promise<void> {
    await this.page.close();
  }
}
