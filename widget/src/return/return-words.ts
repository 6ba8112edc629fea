import type { RefusedInstalment } from "bff/contract/errors";
import type { ReadReturnResponse } from "bff/contract/redirects";
import type { Locale } from "bff/contract/widget-tokens";
import type { ProblemWords } from "../words/words.ts";

type Purpose = ReadReturnResponse["purpose"];
type WaitedFor = NonNullable<ReadReturnResponse["waits_for"]>;
type ClinicWords = (clinic: string) => ProblemWords;

export interface ReturnWords {
  readonly checking: ProblemWords;
  /** The state could not be read yet. */
  readonly unreachable: ProblemWords;
  /** An unknown or expired address: the state is not known, so the text must not invite to pay. */
  readonly unknown: ProblemWords;
  readonly paid: (amount: string | null, clinic: string) => ProblemWords;
  readonly refunded: ProblemWords;
  readonly cardAdded: ClinicWords;
  readonly cardChanged: ProblemWords;
  readonly toContinue: ProblemWords;
  readonly processing: Readonly<Record<Purpose, Readonly<Record<WaitedFor, ProblemWords>>>>;
  readonly declined: Readonly<Record<Purpose, ClinicWords>>;
  readonly refused: Readonly<Record<RefusedInstalment, ClinicWords>>;
  readonly closed: ClinicWords;
  /** The page that the patient left is open elsewhere, and continues there. */
  readonly continuesElsewhere: string;
  readonly closable: string;
  readonly back: Readonly<Record<Purpose, string>>;
  readonly toClinic: (clinic: string) => string;
}

const ASKING_ES = "Esta página se actualiza sola. No pagues de nuevo.";
const ASKING_EN = "This page updates by itself. Do not pay again.";

const CARD_PROCESSING_ES: Readonly<Record<WaitedFor, ProblemWords>> = {
  patient: {
    title: "Todavía no recibimos tu tarjeta",
    text: "Si ya la confirmaste, espera un momento: esta página se actualiza sola. Ahora no se cobra nada.",
  },
  bank: {
    title: "Estamos esperando a tu banco",
    text: "Puede tardar unos minutos. Esta página se actualiza sola, y ahora no se cobra nada.",
  },
  lender: { title: "Estamos revisando tu tarjeta", text: "Esta página se actualiza sola, y ahora no se cobra nada." },
};

/** A new card may be charged at once if the charge is already due, so these texts do not deny a charge. */
const CHANGE_PROCESSING_ES: Readonly<Record<WaitedFor, ProblemWords>> = {
  patient: {
    title: CARD_PROCESSING_ES.patient.title,
    text: "Si ya la confirmaste, espera un momento: esta página se actualiza sola.",
  },
  bank: {
    title: CARD_PROCESSING_ES.bank.title,
    text: "Puede tardar unos minutos. Esta página se actualiza sola.",
  },
  lender: { title: CARD_PROCESSING_ES.lender.title, text: "Esta página se actualiza sola." },
};

const CARD_PROCESSING_EN: Readonly<Record<WaitedFor, ProblemWords>> = {
  patient: {
    title: "We have not received your card yet",
    text: "If you have confirmed it, wait a moment: this page updates by itself. Nothing is charged now.",
  },
  bank: {
    title: "We are waiting for your bank",
    text: "This can take a few minutes. This page updates by itself, and nothing is charged now.",
  },
  lender: { title: "We are checking your card", text: "This page updates by itself, and nothing is charged now." },
};

const CHANGE_PROCESSING_EN: Readonly<Record<WaitedFor, ProblemWords>> = {
  patient: {
    title: CARD_PROCESSING_EN.patient.title,
    text: "If you have confirmed it, wait a moment: this page updates by itself.",
  },
  bank: {
    title: CARD_PROCESSING_EN.bank.title,
    text: "This can take a few minutes. This page updates by itself.",
  },
  lender: { title: CARD_PROCESSING_EN.lender.title, text: "This page updates by itself." },
};

const PAYMENT_PROCESSING_ES: Readonly<Record<WaitedFor, ProblemWords>> = {
  patient: {
    title: "Tu banco todavía no nos confirma",
    text: `Si ya confirmaste, espera un momento. ${ASKING_ES}`,
  },
  bank: {
    title: "Tu banco está confirmando el pago",
    text: `Puede tardar unos minutos; si se paga, el comprobante llega a tu correo. ${ASKING_ES}`,
  },
  lender: {
    title: "Falta la respuesta del crédito",
    text: `Puede tardar; si se aprueba, el comprobante llega a tu correo. ${ASKING_ES}`,
  },
};

const PAYMENT_PROCESSING_EN: Readonly<Record<WaitedFor, ProblemWords>> = {
  patient: {
    title: "Your bank has not confirmed yet",
    text: `If you have confirmed, wait a moment. ${ASKING_EN}`,
  },
  bank: {
    title: "Your bank is confirming the payment",
    text: `This can take a few minutes; once it is paid, the receipt goes to your e-mail. ${ASKING_EN}`,
  },
  lender: {
    title: "Waiting for the credit decision",
    text: `This can take a while; once it is approved, the receipt goes to your e-mail. ${ASKING_EN}`,
  },
};

export const RETURN_WORDS: Readonly<Record<Locale, ReturnWords>> = {
  "es-CL": {
    checking: { title: "Estamos viendo cómo quedó", text: "Toma unos segundos. No cierres esta página." },
    unreachable: {
      title: "Todavía no podemos ver cómo quedó",
      text: `Seguimos preguntando. Si se pagó, el comprobante llega a tu correo. ${ASKING_ES}`,
    },
    unknown: {
      title: "Esta página ya no muestra cómo quedó",
      text: "Tu correo y la clínica te dicen si se pagó. Si alcanzaste a confirmar con tu banco, no pagues de nuevo sin preguntar.",
    },
    paid: (amount, clinic) => ({
      title: "¡Listo! Tu pago está hecho",
      text: `${amount === null ? `Pagaste lo que quedaba de tu atención en ${clinic}.` : `Pagaste ${amount} a ${clinic}.`} El comprobante llega a tu correo.`,
    }),
    refunded: { title: "Pago devuelto", text: "Este pago se devolvió. El detalle llega a tu correo." },
    cardAdded: (clinic) => ({
      title: "Tu tarjeta quedó inscrita",
      text: `Todavía no se cobra nada: falta pagar. Sigue en la página de ${clinic}.`,
    }),
    cardChanged: { title: "Listo, cambiamos tu tarjeta", text: "Si queda algo por cobrar, te avisaremos por correo." },
    toContinue: {
      title: "Falta un paso con tu banco",
      text: "Tu banco pide que confirmes la tarjeta. Sigue en la página donde empezaste el cambio.",
    },
    processing: {
      payment: PAYMENT_PROCESSING_ES,
      pay_early: PAYMENT_PROCESSING_ES,
      card: CARD_PROCESSING_ES,
      card_change: CHANGE_PROCESSING_ES,
    },
    declined: {
      payment: (clinic) => ({
        title: "No se cobró nada",
        text: `Tu banco no confirmó el pago. Para intentarlo con esta u otra tarjeta, sigue en la página de ${clinic}.`,
      }),
      card: (clinic) => ({
        title: "Tu tarjeta no quedó inscrita",
        text: `No se cobró nada. Para inscribir esta u otra tarjeta, sigue en la página de ${clinic}.`,
      }),
      card_change: () => ({
        title: "No cambiamos tu tarjeta",
        text: "Tu banco no la confirmó y sigue guardada la de antes. Para intentarlo de nuevo, abre el enlace de tu correo.",
      }),
      pay_early: () => ({
        title: "No se cobró nada",
        text: "Tu banco no confirmó el pago, y la fecha del cobro no cambia. Para intentarlo de nuevo, abre el enlace de tu correo.",
      }),
    },
    refused: {
      not_charged: (clinic) => ({
        title: "Este pago no se pudo hacer",
        text: `No se cobró nada en tu tarjeta. Pregunta en ${clinic} cómo pagar de otra forma.`,
      }),
      returned: (clinic) => ({
        title: "Este pago no se pudo hacer",
        text: `Devolvimos a tu tarjeta el primer cobro; puede tardar unos días en verse. Pregunta en ${clinic} cómo pagar de otra forma.`,
      }),
      not_returned: (clinic) => ({
        title: "Este pago no se pudo hacer",
        text: `Alcanzamos a hacer el primer cobro. Te contactaremos para devolvértelo; pregunta en ${clinic} cómo pagar de otra forma.`,
      }),
    },
    closed: (clinic) => ({
      title: "Aquí no queda nada por hacer",
      text: `Si tienes dudas sobre tu pago, revisa tu correo o pregunta en ${clinic}.`,
    }),
    continuesElsewhere: "Sigue en la pestaña donde empezaste.",
    closable: "Puedes cerrar esta página.",
    back: {
      payment: "Volver al pago",
      card: "Volver al pago",
      card_change: "Volver a cambiar mi tarjeta",
      pay_early: "Volver a pagar el segundo cobro",
    },
    toClinic: (clinic) => `Volver a ${clinic}`,
  },
  en: {
    checking: { title: "Checking how it ended", text: "This takes a few seconds. Do not close this page." },
    unreachable: {
      title: "We cannot see how it ended yet",
      text: `We keep asking. If it was paid, the receipt goes to your e-mail. ${ASKING_EN}`,
    },
    unknown: {
      title: "This page no longer shows how it ended",
      text: "Your e-mail and the clinic tell you whether it was paid. If you confirmed with your bank, do not pay again before asking them.",
    },
    paid: (amount, clinic) => ({
      title: "Done! Your payment is complete",
      text: `${amount === null ? `You paid what was left of your visit to ${clinic}.` : `You paid ${amount} to ${clinic}.`} The receipt goes to your e-mail.`,
    }),
    refunded: { title: "Payment refunded", text: "This payment was refunded. The details go to your e-mail." },
    cardAdded: (clinic) => ({
      title: "Your card was added",
      text: `Nothing has been charged: you still have to pay. Continue on the page of ${clinic}.`,
    }),
    cardChanged: { title: "Done, your card was changed", text: "If anything is left to charge, we will e-mail you." },
    toContinue: {
      title: "One step left with your bank",
      text: "Your bank asks you to confirm the card. Continue on the page where you started the change.",
    },
    processing: {
      payment: PAYMENT_PROCESSING_EN,
      pay_early: PAYMENT_PROCESSING_EN,
      card: CARD_PROCESSING_EN,
      card_change: CHANGE_PROCESSING_EN,
    },
    declined: {
      payment: (clinic) => ({
        title: "Nothing was charged",
        text: `Your bank did not confirm the payment. To try again with this card or another, continue on the page of ${clinic}.`,
      }),
      card: (clinic) => ({
        title: "Your card was not added",
        text: `Nothing was charged. To add this card or another, continue on the page of ${clinic}.`,
      }),
      card_change: () => ({
        title: "We did not change your card",
        text: "Your bank did not confirm it, and the card from before stays. To try again, open the link in your e-mail.",
      }),
      pay_early: () => ({
        title: "Nothing was charged",
        text: "Your bank did not confirm the payment, and the date of the charge stays. To try again, open the link in your e-mail.",
      }),
    },
    refused: {
      not_charged: (clinic) => ({
        title: "This payment could not be made",
        text: `Nothing was charged to your card. Ask ${clinic} how else you can pay.`,
      }),
      returned: (clinic) => ({
        title: "This payment could not be made",
        text: `We returned the first charge to your card; it can take a few days to show. Ask ${clinic} how else you can pay.`,
      }),
      not_returned: (clinic) => ({
        title: "This payment could not be made",
        text: `The first charge was made. We will contact you to return it; ask ${clinic} how else you can pay.`,
      }),
    },
    closed: (clinic) => ({
      title: "There is nothing left to do here",
      text: `If you have questions about your payment, look at your e-mail or ask ${clinic}.`,
    }),
    continuesElsewhere: "Continue in the tab where you started.",
    closable: "You can close this page.",
    back: {
      payment: "Back to the payment",
      card: "Back to the payment",
      card_change: "Back to changing my card",
      pay_early: "Back to paying what is left",
    },
    toClinic: (clinic) => `Back to ${clinic}`,
  },
};
