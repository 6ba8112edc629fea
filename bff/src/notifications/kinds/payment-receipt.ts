import { ACCESS_BLOCKED_DAYS } from "../../contract/terms.ts";
import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { dayInWords } from "../day-in-words.ts";
import type { MailWords, NotificationDefinition } from "../notification-definition.ts";

/** An order was paid. */
export interface PaymentReceipt {
  readonly firstName: string;
  readonly clinic: string;
  readonly total: Clp;
  readonly today: Clp;
  /** The later charge for the deferred part, including the commission. */
  readonly laterCharge: Clp;
  readonly latestDay: CalendarDay;
}

export const paymentReceipt: NotificationDefinition<PaymentReceipt> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: {
    words: {
      "es-CL": ({ today, laterCharge, latestDay }) =>
        `recibimos tu pago de ${formatClp(today)}. El resto, ${formatClp(laterCharge)}, se cobrará una sola vez, a más tardar el ${dayInWords(latestDay, "es-CL")}. El comprobante está en tu correo.`,
      en: ({ today, laterCharge, latestDay }) =>
        `we received your payment of ${formatClp(today)}. The rest, ${formatClp(laterCharge)}, will be charged once, on ${dayInWords(latestDay, "en")} at the latest. The receipt is in your e-mail.`,
    },
    // A patient who pays at night is awake.
    goes: "at_once",
  },
};

function mailInSpanish({ firstName, clinic, total, today, laterCharge, latestDay }: PaymentReceipt): MailWords {
  return {
    subject: `Tu pago en ${clinic}`,
    paragraphs: [
      `Hola, ${firstName}. Recibimos tu pago.`,
      `El resto se cobrará en la misma tarjeta, una sola vez: cuando tu isapre apruebe el reembolso, si el acceso a tu isapre lleva ${ACCESS_BLOCKED_DAYS} días bloqueado o, a más tardar, en la fecha límite. Se cobrará aunque la isapre reembolse menos o no reembolse.`,
      "Guarda este correo como comprobante.",
    ],
    table: [
      ["Total de la atención", formatClp(total)],
      ["Pagaste hoy", formatClp(today)],
      ["Se cobrará después, comisión incluida", formatClp(laterCharge)],
      ["Fecha límite", dayInWords(latestDay, "es-CL")],
    ],
  };
}

function mailInEnglish({ firstName, clinic, total, today, laterCharge, latestDay }: PaymentReceipt): MailWords {
  return {
    subject: `Your payment at ${clinic}`,
    paragraphs: [
      `Hello, ${firstName}. We received your payment.`,
      `The rest will be charged to the same card, once: when your isapre approves the reimbursement, if the access to your isapre has been blocked for ${ACCESS_BLOCKED_DAYS} days or, at the latest, on the date below. It will be charged even if your isapre reimburses less or nothing.`,
      "Keep this e-mail as your receipt.",
    ],
    table: [
      ["Total of the consultation", formatClp(total)],
      ["You paid today", formatClp(today)],
      ["To be charged later, commission included", formatClp(laterCharge)],
      ["Latest date", dayInWords(latestDay, "en")],
    ],
  };
}
