import type { TestCard } from "../../kit/cards.ts";
import type { Patient } from "../../kit/patients.ts";
import type { Tab } from "./tab.ts";

const FRAME = ".aapd-frame";
/** The bank's page, in the nested frame. */
const BANK = "dialog iframe";

/** The checkout on a partner's page (`hostPage`), in a browser that is driven by WebDriver: one method per step. */
export class CheckoutTab {
  readonly tab: Tab;

  constructor(tab: Tab) {
    this.tab = tab;
  }

  async mount(url: string, mode: "inline" | "dialog" = "inline"): Promise<void> {
    await this.tab.until(
      "a page to mount on",
      async () => (await this.tab.run("return typeof window.mount;")) !== "undefined",
    );
    await this.tab.run("window.mount(arguments[0]);", { url, mode });
    await this.tab.enter(FRAME);
  }

  async acceptSummary(): Promise<void> {
    await this.at("Atiéndete ahora, paga después");
    await this.tab.press("Continuar");
  }

  /** The clinic's data is already filled in. `proveIdentity` submits it. */
  async register(): Promise<void> {
    await this.at("Tus datos");
    await this.tab.choose("Tu isapre", "Colmena");
    await this.tab.tickRequired();
  }

  async proveIdentity(patient: Patient): Promise<void> {
    await this.tab.type("Número de documento", patient.documentSerial);
    await this.tab.press("Continuar");
  }

  /** `other`: after the order's card was declined. */
  async addCard(card: TestCard, which: "first" | "other" = "first"): Promise<void> {
    await this.at(which === "first" ? "Tu tarjeta" : "Usa otra tarjeta");
    await this.tab.type("Número de tarjeta", card.number);
    await this.tab.type("Vencimiento", card.expiry);
    await this.tab.type("Código CVV", card.cvc);
    await this.tab.type("Nombre en la tarjeta", card.holder);
    await this.tab.press(which === "first" ? "Continuar" : "Usar otra tarjeta");
  }

  async pay(): Promise<void> {
    await this.at("Revisa y paga");
    await this.tab.tickRequired();
    await this.tab.press("Pagar");
  }

  async answerBank(button: string): Promise<void> {
    await this.tab.enter(FRAME, BANK);
    await this.tab.press(button);
    await this.tab.enter(FRAME);
  }

  async isDone(): Promise<void> {
    await this.at("¡Listo! Tu pago está hecho");
  }

  async at(heading: string): Promise<void> {
    await this.tab.see({ what: "heading", words: heading });
  }
}
