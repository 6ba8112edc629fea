import type { ProblemWords } from "../words/words.ts";
import type { PageWords } from "./link-page.ts";

interface CardChangeWords extends ProblemWords {
  readonly action: string;
  readonly form: {
    readonly title: string;
  };
  readonly done: ProblemWords;
  /** The bank's page was left, and nobody knows yet whether the patient has confirmed. */
  readonly left: ProblemWords;
  readonly processing: ProblemWords & { readonly action: string };
  /** For a patient who sends a card when another one may have been taken already. */
  readonly doneBefore: ProblemWords;
  readonly kept: (last4: string) => string;
}

export const CARD_CHANGE_WORDS: PageWords<CardChangeWords> = {
  "es-CL": {
    title: "Cambia tu tarjeta",
    text: "Puedes usar otra tarjeta para el cobro que queda de tu atención. Para empezar, confirma que eres tú: te enviaremos un código al correo que registraste.",
    action: "Enviarme el código",
    form: {
      title: "Tu nueva tarjeta",
    },
    done: { title: "Listo, cambiamos tu tarjeta", text: "Te avisaremos por correo cuando se haga el cobro." },
    left: {
      title: "No terminaste la confirmación",
      text: "Si ya confirmaste en tu banco, la tarjeta puede cambiar igual. Si no, vuelve a ingresarla o usa otra.",
    },
    processing: {
      title: "Estamos revisando tu tarjeta",
      text: "Tu banco todavía no nos confirma. Mientras tanto sigue guardada la tarjeta de antes.",
      action: "Revisar ahora",
    },
    doneBefore: {
      title: "Tu tarjeta ya se cambió",
      text: "Este enlace sirve una sola vez y ya se usó. Te avisaremos por correo cuando se haga el cobro.",
    },
    kept: (last4) => `La tarjeta para el cobro que queda es la terminada en ${last4}.`,
  },
  en: {
    title: "Change your card",
    text: "You can use another card for the charge that is left of your visit. To begin, confirm that it is you: we will send a code to the e-mail that you registered.",
    action: "Send me the code",
    form: {
      title: "Your new card",
    },
    done: { title: "Done, your card is changed", text: "We will e-mail you when the charge is made." },
    left: {
      title: "You did not finish the confirmation",
      text: "If you have already confirmed with your bank, the card may still change. If not, enter it again or use another one.",
    },
    processing: {
      title: "We are checking your card",
      text: "Your bank has not confirmed it yet. Meanwhile the card from before is kept.",
      action: "Check now",
    },
    doneBefore: {
      title: "Your card was changed already",
      text: "This link works once, and it has been used. We will e-mail you when the charge is made.",
    },
    kept: (last4) => `The card for the charge that is left is the one ending in ${last4}.`,
  },
};
