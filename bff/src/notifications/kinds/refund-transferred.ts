import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { type NotificationDefinition, shortMessage } from "../notification-definition.ts";

/** The bank transfer that a refund owed was made. */
export interface RefundTransferred {
  readonly firstName: string;
  readonly clinic: string;
  readonly amount: Clp;
  readonly day: CalendarDay;
}

export const refundTransferred: NotificationDefinition<RefundTransferred> = {
  mail: {
    "es-CL": ({ firstName, clinic, amount, day }) => ({
      subject: "Te transferimos tu devolución",
      paragraphs: [
        `Hola, ${firstName}. Te transferimos la parte de la devolución de ${clinic} que no podía volver a tu tarjeta. Si no la ves en tu cuenta, escríbenos.`,
      ],
      amounts: [["Te transferimos", formatClp(amount)]],
      table: [["Fecha", dayInWords(day, "es-CL")]],
    }),
    en: ({ firstName, clinic, amount, day }) => ({
      subject: "We transferred your refund",
      paragraphs: [
        `Hello, ${firstName}. We transferred the part of the refund from ${clinic} that could not go back to your card. If you do not see it in your account, write to us.`,
      ],
      amounts: [["Transferred to you", formatClp(amount)]],
      table: [["Date", dayInWords(day, "en")]],
    }),
  },
  message: shortMessage({
    values: ({ amount }) => ({ amount: formatClp(amount) }),
    words: {
      "es-CL": ({ amount }) => `te transferimos ${amount} de tu devolución.`,
      en: ({ amount }) => `we transferred ${amount} of your refund to you.`,
    },
    goes: "by_day",
  }),
};
