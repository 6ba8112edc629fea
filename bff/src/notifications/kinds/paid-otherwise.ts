import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { type NotificationDefinition, shortMessage } from "../notification-definition.ts";
import { commissionRow } from "./rows.ts";

/** The patient has paid the deferred part by another method than card. */
export interface PaidOtherwise {
  readonly firstName: string;
  readonly clinic: string;
  readonly amount: Clp;
  readonly commission: Clp;
  readonly day: CalendarDay;
}

export const paidOtherwise: NotificationDefinition<PaidOtherwise> = {
  mail: {
    "es-CL": ({ firstName, clinic, amount, commission, day }) => ({
      subject: `Recibimos el resto de tu pago en ${clinic}`,
      paragraphs: [
        `Hola, ${firstName}. Recibimos lo que faltaba pagar de tu atención en ${clinic}. Con esto tu pago está completo y no cobraremos nada más en tu tarjeta.`,
      ],
      amounts: [["Monto que recibimos", formatClp(amount)]],
      table: [["Fecha", dayInWords(day, "es-CL")], ...commissionRow("es-CL", commission)],
      attached: ["receipt", "calendar"],
    }),
    en: ({ firstName, clinic, amount, commission, day }) => ({
      subject: `We received the rest of your payment at ${clinic}`,
      paragraphs: [
        `Hello, ${firstName}. We received the rest of the payment for your consultation at ${clinic}. Your payment is complete, and nothing more will be charged to your card.`,
      ],
      amounts: [["Amount received", formatClp(amount)]],
      table: [["Date", dayInWords(day, "en")], ...commissionRow("en", commission)],
      attached: ["receipt", "calendar"],
    }),
  },
  message: shortMessage({
    values: ({ amount }) => ({ amount: formatClp(amount) }),
    words: {
      "es-CL": ({ amount }) => `recibimos ${amount}, el resto de tu pago. No habrá más cobros.`,
      en: ({ amount }) => `we received ${amount}, the rest of your payment. There will be no more charges.`,
    },
    goes: "by_day",
  }),
};
