import type { ProblemWords } from "../words/words.ts";
import type { PageWords } from "./own-page.ts";

interface LinkWords {
  /** Nothing more is charged, because all was paid. */
  readonly collected: ProblemWords;
  /** Nothing more is charged, because it was given back or waits for a person. */
  readonly nothingDue: ProblemWords;
  readonly amount: string;
  readonly commission: string;
  readonly card: string;
  readonly nextCharge: string;
}

export const LINK_WORDS: PageWords<LinkWords> = {
  "es-CL": {
    collected: {
      title: "Ya está pagado",
      text: "El cobro que quedaba de tu atención ya se hizo. No habrá más cobros.",
    },
    nothingDue: {
      title: "No queda nada por cobrar aquí",
      text: "Tu clínica hizo una devolución, o una persona está revisando tu pago. Si tienes dudas, escríbele a tu clínica.",
    },
    amount: "Monto del cobro",
    commission: "Comisión incluida",
    card: "Tarjeta",
    nextCharge: "Fecha del cobro",
  },
  en: {
    collected: {
      title: "It is paid",
      text: "The charge that was left of your visit has been made. There are no more charges.",
    },
    nothingDue: {
      title: "Nothing is left to charge here",
      text: "Your clinic has given money back, or a person is looking at your payment. If you have questions, write to your clinic.",
    },
    amount: "Amount of the charge",
    commission: "Commission included",
    card: "Card",
    nextCharge: "Date of the charge",
  },
};
