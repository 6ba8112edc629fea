import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { MailWords, NotificationDefinition } from "../notification-definition.ts";

/** The clinic has refunded an order, in part or as a whole. */
export interface Refunded {
  readonly firstName: string;
  readonly clinic: string;
  /** The sum of all refunds so far. */
  readonly refunded: Clp;
  readonly total: Clp;
}

/** In the Spanish text, *reembolso* is the insurer's reimbursement and *devolución* the clinic's refund. */
export const refunded: NotificationDefinition<Refunded> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: {
    words: {
      "es-CL": (facts) =>
        `hicimos una devolución de tu pago. Devuelto hasta ahora: ${formatClp(facts.refunded)} de ${formatClp(facts.total)}. El detalle está en tu correo.`,
      en: (facts) =>
        `we made a refund of your payment. Refunded so far: ${formatClp(facts.refunded)} of ${formatClp(facts.total)}. The details are in your e-mail.`,
    },
    goes: "by_day",
  },
};

function mailInSpanish({ firstName, clinic, refunded: amount, total }: Refunded): MailWords {
  const where =
    amount === total
      ? "Si ya habías pagado una parte, vuelve a tu tarjeta. Lo que faltaba por cobrar ya no se cobrará."
      : "Primero se descuenta de lo que faltaba por cobrar; lo demás vuelve a tu tarjeta.";
  return {
    subject: `Devolución de tu pago en ${clinic}`,
    paragraphs: [
      `Hola, ${firstName}. ${clinic} hizo una devolución de tu pago. ${where}`,
      "Según tu banco, puede tardar algunos días en aparecer en tu cuenta.",
    ],
    table: [
      ["Total de la atención", formatClp(total)],
      ["Devuelto hasta ahora", formatClp(amount)],
    ],
  };
}

function mailInEnglish({ firstName, clinic, refunded: amount, total }: Refunded): MailWords {
  const where =
    amount === total
      ? "If you had already paid a part, it goes back to your card. What was still to be charged will not be charged any more."
      : "It is first taken off what was still to be charged; the rest goes back to your card.";
  return {
    subject: `Refund of your payment at ${clinic}`,
    paragraphs: [
      `Hello, ${firstName}. ${clinic} made a refund of your payment. ${where}`,
      "Depending on your bank, it may take some days to appear in your account.",
    ],
    table: [
      ["Total of the consultation", formatClp(total)],
      ["Refunded so far", formatClp(amount)],
    ],
  };
}
