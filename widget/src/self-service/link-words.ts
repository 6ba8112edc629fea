import type { ProblemWords } from "../words/words.ts";
import type { PageWords } from "./link-page.ts";

interface LinkWords {
  /** The text before the code on every page, after its own text. */
  readonly gate: { readonly text: string; readonly action: string };
  /** Nothing more is charged, because everything was paid. */
  readonly collected: ProblemWords;
  /** Nothing more is charged, because it was refunded or given up. */
  readonly nothing_due: ProblemWords;
  /** Something is still owed, and operators handle it because the charge was given up. */
  readonly failed: ProblemWords;
  readonly amount: string;
  readonly commission: string;
  readonly card: string;
  readonly nextCharge: string;
  /** Shown instead if the charge may come earlier. */
  readonly latestCharge: string;
  /** Requests an outcome that is not known yet. */
  readonly check: string;
}

export const LINK_WORDS: PageWords<LinkWords> = {
  "es-CL": {
    gate: {
      text: "Para empezar, te enviaremos un código al correo que registraste.",
      action: "Enviarme el código",
    },
    collected: { title: "Ya está pagado", text: "No habrá más cobros." },
    nothing_due: { title: "No queda nada por cobrar", text: "Si tienes dudas, escríbele a tu clínica." },
    failed: {
      title: "No pudimos hacer el cobro",
      text: "Lo que queda de tu atención sigue pendiente. Una persona te contactará.",
    },
    amount: "Monto del cobro",
    commission: "Comisión incluida",
    card: "Tarjeta",
    nextCharge: "Fecha del cobro",
    latestCharge: "Fecha límite",
    check: "Revisar ahora",
  },
  en: {
    gate: { text: "To begin, we will send a code to the e-mail that you registered.", action: "Send me the code" },
    collected: { title: "It is paid", text: "There are no more charges." },
    nothing_due: { title: "Nothing is left to charge", text: "If you have questions, write to your clinic." },
    failed: {
      title: "We could not make the charge",
      text: "What is left of your visit is still to be paid. A person will get in touch with you.",
    },
    amount: "Amount of the charge",
    commission: "Fee included",
    card: "Card",
    nextCharge: "Date of the charge",
    latestCharge: "Latest date",
    check: "Check now",
  },
};
