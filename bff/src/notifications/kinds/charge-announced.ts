import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { dayInWords } from "../day-in-words.ts";
import type { MailWords, NotificationDefinition } from "../notification-definition.ts";
import { cardRow, chargeRows } from "./rows.ts";

/** Announces the charge on the latest day, because the insurer has not answered. */
export interface ChargeAnnounced {
  readonly firstName: string;
  readonly clinic: string;
  readonly amount: Clp;
  readonly commission: Clp;
  readonly day: CalendarDay;
  readonly cardEnding: string;
  /** Where the patient can pay earlier; null if the clinic has no widget to open. */
  readonly payUrl: string | null;
}

export const chargeAnnounced: NotificationDefinition<ChargeAnnounced> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: {
    words: {
      "es-CL": ({ amount, day, cardEnding, payUrl }) =>
        `el ${dayInWords(day, "es-CL")} cobraremos ${formatClp(amount)} en tu tarjeta terminada en ${cardEnding}.${payUrl === null ? "" : " Si quieres pagar antes, usa el botón que está en tu correo."}`,
      en: ({ amount, day, cardEnding, payUrl }) =>
        `on ${dayInWords(day, "en")} we will charge ${formatClp(amount)} to your card ending in ${cardEnding}.${payUrl === null ? "" : " To pay earlier, use the button in your e-mail."}`,
    },
    goes: "by_day",
  },
};

function mailInSpanish(facts: ChargeAnnounced): MailWords {
  const { firstName, clinic, amount, commission, cardEnding, payUrl } = facts;
  const day = dayInWords(facts.day, "es-CL");
  return {
    subject: `El ${day} haremos el cobro que queda`,
    paragraphs: [
      `Hola, ${firstName}. Tu isapre todavía no ha aprobado el reembolso de tu atención en ${clinic}. Por eso haremos el cobro que queda el ${day}, una sola vez.`,
      "Revisa que tu tarjeta tenga cupo ese día. También puedes pagarlo antes.",
    ],
    table: [...chargeRows("es-CL", amount, commission), cardRow("es-CL", cardEnding), ["Fecha", day]],
    ...(payUrl === null ? {} : { link: { label: "Pagar ahora", url: payUrl } }),
  };
}

function mailInEnglish(facts: ChargeAnnounced): MailWords {
  const { firstName, clinic, amount, commission, cardEnding, payUrl } = facts;
  const day = dayInWords(facts.day, "en");
  return {
    subject: `On ${day} we will make the charge that is left`,
    paragraphs: [
      `Hello, ${firstName}. Your isapre has not yet approved the reimbursement of your consultation at ${clinic}. So we will make the charge that is left on ${day}, once.`,
      "Check that your card has enough credit on that day. You can also pay earlier.",
    ],
    table: [...chargeRows("en", amount, commission), cardRow("en", cardEnding), ["Date", day]],
    ...(payUrl === null ? {} : { link: { label: "Pay now", url: payUrl } }),
  };
}
