import type { ProblemWords } from "../words/words.ts";
import type { PageWords } from "./link-page.ts";

interface LinkWords {
  /** Nothing more is charged, because all was paid. */
  readonly collected: ProblemWords;
  /** Nothing more is charged, because it was given back or given up. */
  readonly nothing_due: ProblemWords;
  /** Something is still owed, and the charge was given up for people to handle. */
  readonly failed: ProblemWords;
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
    nothing_due: {
      title: "No queda nada por cobrar",
      text: "De esta atención no se hará otro cobro. Si tienes dudas, escríbele a tu clínica.",
    },
    failed: {
      title: "No pudimos hacer el cobro",
      text: "Lo que queda de tu atención sigue pendiente. Una persona te contactará.",
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
    nothing_due: {
      title: "Nothing is left to charge",
      text: "No other charge is made for this visit. If you have questions, write to your clinic.",
    },
    failed: {
      title: "We could not make the charge",
      text: "What is left of your visit is still to be paid. A person will get in touch with you.",
    },
    amount: "Amount of the charge",
    commission: "Commission included",
    card: "Card",
    nextCharge: "Date of the charge",
  },
};
