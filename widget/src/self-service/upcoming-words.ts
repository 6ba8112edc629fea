import type { UpcomingCharge } from "bff/contract/orders";
import { ACCESS_BLOCKED_DAYS } from "bff/contract/terms";
import type { PageWords } from "./link-page.ts";

/** Every sentence of these pages about an upcoming charge. Amounts and days are passed as formatted text. */
interface UpcomingWords {
  /** The charge by its status; the text must be true before and after a change of card. */
  readonly charge: Readonly<Record<UpcomingCharge["status"], (amount: string, day: string) => string>>;
  /** Replaces `due_now` if the patient's press starts the charge. */
  readonly onPress: (amount: string) => string;
  /** Replaces it if the press opens the processor's page for the card. */
  readonly onAdding: (amount: string) => string;
  /** The label of the button that starts it. */
  readonly pay: (amount: string) => string;
  /** The title of a page that can do nothing now, although a charge may still come. */
  readonly onHoldTitle: string;
}

export const UPCOMING_WORDS: PageWords<UpcomingWords> = {
  "es-CL": {
    charge: {
      none: () => "No queda nada por cobrar.",
      due_now: chargingInSpanish,
      in_flight: chargingInSpanish,
      on_day: (amount, day) => `Segundo cobro: ${amount}, el ${day}.`,
      by_day: (amount, day) =>
        `Segundo cobro: ${amount}, a más tardar el ${day}, o antes si tu isapre aprueba el reembolso o si su acceso lleva ${ACCESS_BLOCKED_DAYS} días bloqueado.`,
      on_hold: () => "Si queda algo por cobrar, te avisaremos antes por correo.",
      card_needed: (amount) => `Quedan ${amount} por pagar.`,
    },
    onPress: (amount) => `Al presionar se cobran ${amount} ahora en esta tarjeta.`,
    onAdding: (amount) => `Al inscribirla se cobran ${amount}.`,
    pay: (amount) => `Pagar ${amount} ahora`,
    onHoldTitle: "Por ahora no hay nada que hacer aquí",
  },
  en: {
    charge: {
      none: () => "Nothing is left to charge.",
      due_now: chargingInEnglish,
      in_flight: chargingInEnglish,
      on_day: (amount, day) => `Second charge: ${amount} on ${day}.`,
      by_day: (amount, day) =>
        `Second charge: ${amount} by ${day}, or earlier if your isapre approves the reimbursement or access to it has been blocked for ${ACCESS_BLOCKED_DAYS} days.`,
      on_hold: () => "If anything is left to charge, we will e-mail you first.",
      card_needed: (amount) => `${amount} is left to pay.`,
    },
    onPress: (amount) => `When you press, ${amount} is charged to this card now.`,
    onAdding: (amount) => `When you add it, ${amount} is charged.`,
    pay: (amount) => `Pay ${amount} now`,
    onHoldTitle: "There is nothing to do here for now",
  },
};

function chargingInSpanish(amount: string): string {
  return `Estamos cobrando ${amount}. Te avisaremos cómo termina.`;
}

function chargingInEnglish(amount: string): string {
  return `We are charging ${amount}. We will tell you the outcome.`;
}
