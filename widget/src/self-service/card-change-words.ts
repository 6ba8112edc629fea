import { ACCESS_BLOCKED_DAYS } from "bff/contract/terms";
import type { ProblemWords } from "../words/words.ts";
import type { PageWords } from "./link-page.ts";

interface CardChangeWords extends ProblemWords {
  readonly action: string;
  readonly form: {
    readonly title: string;
    readonly intro: (amount: string) => string;
    readonly action: string;
  };
  readonly done: ProblemWords;
  /** The bank's page was left, and nobody knows yet whether the patient has confirmed. */
  readonly left: ProblemWords;
  /** After a challenge that was not passed: the card that is kept. */
  readonly kept: (last4: string) => string;
  readonly processing: ProblemWords & { readonly action: string };
  /** For a patient who sends a card when another one may have been taken already. */
  readonly doneBefore: ProblemWords;
  readonly charged: (last4: string) => string;
  /** When the next charge comes, where one does and something has made it due. */
  readonly doneOn: (day: string) => string;
  /** When the next charge comes at the latest, and what may make it due before that day. */
  readonly doneOnAtTheLatest: (day: string) => string;
}

export const CARD_CHANGE_WORDS: PageWords<CardChangeWords> = {
  "es-CL": {
    title: "Cambia tu tarjeta",
    text: "Puedes usar otra tarjeta para el cobro que queda de tu atención. Para empezar, confirma que eres tú: te enviaremos un código al correo que registraste.",
    action: "Enviarme el código",
    form: {
      title: "Tu nueva tarjeta",
      intro: (amount) => `La usaremos para el cobro que queda, ${amount}, una sola vez y como lo aceptaste al pagar.`,
      action: "Usar esta tarjeta",
    },
    done: { title: "Listo, cambiamos tu tarjeta", text: "Te avisaremos por correo cuando se haga el cobro." },
    left: {
      title: "No terminaste la confirmación",
      text: "Si ya confirmaste en tu banco, la tarjeta puede cambiar igual. Si no, vuelve a ingresarla o usa otra.",
    },
    kept: (last4) => `Por ahora, el cobro que queda se hará en tu tarjeta terminada en ${last4}.`,
    processing: {
      title: "Estamos revisando tu tarjeta",
      text: "Tu banco todavía no nos confirma. Mientras tanto sigue guardada la tarjeta de antes.",
      action: "Revisar ahora",
    },
    doneBefore: {
      title: "Tu tarjeta ya se cambió",
      text: "Este enlace sirve una sola vez y ya se usó. Te avisaremos por correo cuando se haga el cobro.",
    },
    charged: (last4) => `El cobro que queda se hará en tu tarjeta terminada en ${last4}.`,
    doneOn: (day) => `Haremos el cobro el ${day}.`,
    doneOnAtTheLatest: (day) =>
      `Haremos el cobro el ${day}, o antes si tu isapre aprueba el reembolso o si el acceso a tu isapre lleva ${ACCESS_BLOCKED_DAYS} días bloqueado.`,
  },
  en: {
    title: "Change your card",
    text: "You can use another card for the charge that is left of your visit. To begin, confirm that it is you: we will send a code to the e-mail that you registered.",
    action: "Send me the code",
    form: {
      title: "Your new card",
      intro: (amount) => `We use it for the charge that is left, ${amount}, once and as you accepted it when you paid.`,
      action: "Use this card",
    },
    done: { title: "Done, your card is changed", text: "We will e-mail you when the charge is made." },
    left: {
      title: "You did not finish the confirmation",
      text: "If you have already confirmed with your bank, the card may still change. If not, enter it again or use another one.",
    },
    kept: (last4) => `For now, the charge that is left goes to your card ending in ${last4}.`,
    processing: {
      title: "We are checking your card",
      text: "Your bank has not confirmed it yet. Meanwhile the card from before is kept.",
      action: "Check now",
    },
    doneBefore: {
      title: "Your card was changed already",
      text: "This link works once, and it has been used. We will e-mail you when the charge is made.",
    },
    charged: (last4) => `The charge that is left goes to your card ending in ${last4}.`,
    doneOn: (day) => `The charge comes on ${day}.`,
    doneOnAtTheLatest: (day) =>
      `The charge comes on ${day}, or earlier if your isapre approves the reimbursement or access to it has been blocked for ${ACCESS_BLOCKED_DAYS} days.`,
  },
};
