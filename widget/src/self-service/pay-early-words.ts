import type { ProblemWords } from "../words/words.ts";
import type { PageWords } from "./link-page.ts";

interface PayEarlyWords extends ProblemWords {
  readonly action: string;
  readonly review: {
    readonly title: string;
    readonly intro: string;
    readonly pay: (amount: string) => string;
    readonly note: string;
    /** After a decline: the mail about it brings the way to another card. */
    readonly otherCard: string;
    /** After a challenge that was not passed, of which no mail tells. */
    readonly notConfirmed: string;
  };
  readonly done: ProblemWords;
  /** In place of the links' own text: the mandate to charge the card may have been revoked too. */
  readonly nothingDue: string;
  /** The patient was confirmed, and what was due was not what they had confirmed any more. */
  readonly notCharged: ProblemWords;
  readonly processing: ProblemWords & { readonly action: string };
}

export const PAY_EARLY_WORDS: PageWords<PayEarlyWords> = {
  "es-CL": {
    title: "Paga lo que queda",
    text: "Puedes pagar ahora lo que queda de tu atención, sin costo adicional. Para empezar, confirma que eres tú: te enviaremos un código al correo que registraste.",
    action: "Enviarme el código",
    review: {
      title: "Revisa y paga",
      intro: "Es el único cobro que queda. Si pagas ahora, no habrá otro en la fecha límite.",
      pay: (amount) => `Pagar ${amount} ahora`,
      note: "Se cobra una sola vez, en la tarjeta que ya guardaste.",
      otherCard: "Te enviamos un correo con lo que sigue y con un enlace para cambiar la tarjeta.",
      notConfirmed: "La fecha del cobro no cambia. Si prefieres usar otra tarjeta, escríbele a tu clínica.",
    },
    done: {
      title: "Listo, tu pago está completo",
      text: "No habrá más cobros. Te enviamos el comprobante por correo.",
    },
    nothingDue:
      "Puede que tu clínica esté haciendo una devolución, que hayas retirado la autorización para cobrar tu tarjeta o que una persona esté revisando tu pago. Si después queda un cobro por hacer, te avisaremos por correo al menos el día anterior.",
    notCharged: {
      title: "No se hizo el cobro",
      text: "Lo que queda de tu atención cambió mientras confirmabas, o pasó mucho tiempo. Abre otra vez el enlace del correo para ver cuánto queda.",
    },
    processing: {
      title: "Estamos revisando tu pago",
      text: "Tu banco todavía no nos confirma. No lo cobraremos dos veces. Te avisaremos por correo cuando esté listo.",
      action: "Revisar ahora",
    },
  },
  en: {
    title: "Pay what is left",
    text: "You can pay what is left of your visit now, at no extra cost. To begin, confirm that it is you: we will send a code to the e-mail that you registered.",
    action: "Send me the code",
    review: {
      title: "Review and pay",
      intro: "It is the only charge that is left. If you pay now, there is none on the latest date.",
      pay: (amount) => `Pay ${amount} now`,
      note: "Charged once, to the card that you have saved.",
      otherCard: "We have e-mailed you what happens next, with a link to change the card.",
      notConfirmed: "The date of the charge stays. If you would rather use another card, write to your clinic.",
    },
    done: {
      title: "Done, your payment is complete",
      text: "There are no more charges. We have sent you the receipt by e-mail.",
    },
    nothingDue:
      "Your clinic may be giving money back, you may have withdrawn the authority to charge your card, or a person may be looking at your payment. If a charge is still to be made afterwards, we will tell you by e-mail at least the day before.",
    notCharged: {
      title: "The charge was not made",
      text: "What is left of your visit changed while you were confirming, or it took long. Open the link of the e-mail again to see what is left.",
    },
    processing: {
      title: "We are checking your payment",
      text: "Your bank has not confirmed it yet. We will not charge it twice. We will e-mail you when it is done.",
      action: "Check now",
    },
  },
};
