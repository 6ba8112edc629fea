import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import type { NotificationDefinition } from "../notification-definition.ts";

/** The checkout of an order, sent to the patient by the clinic. */
export interface CheckoutLink {
  readonly firstName: string;
  readonly clinic: string;
  readonly total: Clp;
  readonly today: Clp;
  /** Santiago's day and time, as `HH:MM`. */
  readonly validUntil: { readonly day: CalendarDay; readonly time: string };
  readonly url: string;
}

export const checkoutLink: NotificationDefinition<CheckoutLink> = {
  mail: {
    "es-CL": ({ firstName, clinic, total, today, validUntil, url }) => ({
      subject: `Paga tu atención en ${clinic}`,
      paragraphs: [
        `Hola, ${firstName}. ${clinic} te envía la página para pagar tu atención: una parte hoy y otra después.`,
        `El enlace sirve hasta el ${dayInWords(validUntil.day, "es-CL")} a las ${validUntil.time}, hora de Santiago.`,
        "Es solo para ti: no reenvíes este correo. Si no reconoces esta atención, no pagues y avisa a la clínica.",
      ],
      amounts: [["Hoy pagas", formatClp(today)]],
      table: [["Total de la atención", formatClp(total)]],
      link: { label: "Ir a pagar", url },
    }),
    en: ({ firstName, clinic, total, today, validUntil, url }) => ({
      subject: `Pay for your consultation at ${clinic}`,
      paragraphs: [
        `Hello, ${firstName}. ${clinic} sends you the page to pay for your consultation: one part today and the rest later.`,
        `The link works until ${dayInWords(validUntil.day, "en")} at ${validUntil.time}, Santiago time.`,
        "It is for you alone: do not forward this e-mail. If you do not recognise this consultation, do not pay, and tell the clinic.",
      ],
      amounts: [["You pay today", formatClp(today)]],
      table: [["Price", formatClp(total)]],
      link: { label: "Pay", url },
    }),
  },
  message: null,
};
