import type { ProblemWords } from "../words/words.ts";
import type { PageWords } from "./link-page.ts";

interface CardChangeWords extends ProblemWords {
  readonly form: { readonly title: string; readonly action: string };
  readonly done: string;
  /** The bank's page was left, and the patient may have confirmed. */
  readonly left: string;
  readonly processing: ProblemWords;
  /** For a patient who sends a card although another one may already have been accepted. */
  readonly doneBefore: ProblemWords;
  readonly kept: (last4: string) => string;
}

export const CARD_CHANGE_WORDS: PageWords<CardChangeWords> = {
  "es-CL": {
    title: "Cambia tu tarjeta",
    text: "Usa otra tarjeta para el segundo cobro.",
    form: { title: "Tu nueva tarjeta", action: "Usar esta tarjeta" },
    done: "Listo, cambiamos tu tarjeta",
    left: "Si ya confirmaste en tu banco, la tarjeta puede cambiar igual. Si no, vuelve a ingresarla o usa otra.",
    processing: {
      title: "Estamos revisando tu tarjeta",
      text: "Todavía no podemos confirmarla. Mientras tanto, nada cambia.",
    },
    doneBefore: {
      title: "Tu tarjeta ya se cambió",
      text: "Este enlace sirve una sola vez.",
    },
    kept: (last4) => `Tu tarjeta es la ••${last4}.`,
  },
  en: {
    title: "Change your card",
    text: "Use another card for the second charge.",
    form: { title: "Your new card", action: "Use this card" },
    done: "Done, your card is changed",
    left: "If you have already confirmed with your bank, the card may still change. If not, enter it again or use another one.",
    processing: {
      title: "We are checking your card",
      text: "We cannot confirm it yet. Until then, nothing changes.",
    },
    doneBefore: {
      title: "Your card was changed already",
      text: "This link works once.",
    },
    kept: (last4) => `Your card is ••${last4}.`,
  },
};
