import type { ProblemWords } from "../words/words.ts";
import type { PageWords } from "./link-page.ts";

interface PayEarlyWords extends ProblemWords {
  readonly review: {
    readonly title: string;
    readonly intro: string;
    readonly note: string;
    /** After a decline: the mail about it has the link to another card. */
    readonly otherCard: string;
    /** After a failed challenge, about which no mail is sent. */
    readonly notConfirmed: string;
  };
  readonly done: ProblemWords;
  /** Why this page charges nothing, although something may be owed. */
  readonly withdrawn: string;
  /** The amount due has changed since the patient saw or confirmed it. */
  readonly notCharged: ProblemWords;
  readonly processing: ProblemWords;
}

export const PAY_EARLY_WORDS: PageWords<PayEarlyWords> = {
  "es-CL": {
    title: "Paga el segundo cobro",
    text: "Puedes pagar ahora el segundo cobro de tu atención, con la misma comisión.",
    review: {
      title: "Revisa y paga",
      intro: "Después no habrá más cobros.",
      note: "Se cobra al presionar, una sola vez.",
      otherCard: "Te enviamos un correo con un enlace para cambiar la tarjeta.",
      notConfirmed: "La fecha del cobro no cambia. Si prefieres usar otra tarjeta, escríbele a tu clínica.",
    },
    done: {
      title: "Listo, tu pago está completo",
      text: "No habrá más cobros. Te enviamos el comprobante por correo.",
    },
    withdrawn: "Retiraste la autorización para cobrar tu tarjeta. Si debes algo, un correo te dice cómo pagarlo.",
    notCharged: {
      title: "No se hizo el cobro",
      text: "El monto cambió o pasó mucho tiempo. Abre otra vez el enlace del correo para ver cuánto queda.",
    },
    processing: {
      title: "Estamos revisando tu pago",
      text: "Todavía no podemos confirmarlo. No se cobrará dos veces. Si se cobra, te avisaremos por correo.",
    },
  },
  en: {
    title: "Pay what is left",
    text: "You can pay the rest of your visit now. The fee is the same.",
    review: {
      title: "Review and pay",
      intro: "It is the only charge that is left.",
      note: "Charged when you press, once.",
      otherCard: "We have e-mailed you a link to change the card.",
      notConfirmed: "The date of the charge stays. If you would rather use another card, write to your clinic.",
    },
    done: {
      title: "Done, your payment is complete",
      text: "There are no more charges. We have sent you the receipt by e-mail.",
    },
    withdrawn: "You withdrew the authority to charge your card. If you owe anything, our e-mail says how to pay it.",
    notCharged: {
      title: "The charge was not made",
      text: "The amount has changed, or it took too long. Open the link in the e-mail again to see what is left.",
    },
    processing: {
      title: "We are checking your payment",
      text: "We cannot confirm it yet. We will not charge you twice. If we charge you, we will e-mail you.",
    },
  },
};
