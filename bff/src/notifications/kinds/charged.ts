import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { type MailWords, type NotificationDefinition, shortMessage } from "../notification-definition.ts";
import { authorisationRow, cardRow, chargeAmount, commissionRow } from "./rows.ts";

/** The deferred part was charged. */
export interface Charged {
  readonly firstName: string;
  readonly clinic: string;
  readonly amount: Clp;
  readonly commission: Clp;
  readonly day: CalendarDay;
  readonly cardEnding: string;
  /** The issuer's code of the charge; null if the processor returned none. */
  readonly authorisationCode: string | null;
}

export const charged: NotificationDefinition<Charged> = {
  mail: {
    "es-CL": (facts) => ({
      subject: `Hicimos el segundo cobro de tu pago en ${facts.clinic}`,
      paragraphs: [
        `Hola, ${facts.firstName}. Hicimos el segundo cobro de tu atención en ${facts.clinic}. Con esto tu pago está completo y no habrá más cobros.`,
      ],
      ...voucher("es-CL", "Fecha", facts),
    }),
    en: (facts) => ({
      subject: `We made the second charge of your payment at ${facts.clinic}`,
      paragraphs: [
        `Hello, ${facts.firstName}. We made the second charge for your consultation at ${facts.clinic}. Your payment is complete, and there will be no more charges.`,
      ],
      ...voucher("en", "Date", facts),
    }),
  },
  message: shortMessage({
    values: ({ amount, cardEnding }) => ({ amount: formatClp(amount), cardEnding }),
    words: {
      "es-CL": ({ amount, cardEnding }) =>
        `hicimos el segundo cobro, ${amount}, en tu tarjeta terminada en ${cardEnding}. No habrá más cobros.`,
      en: ({ amount, cardEnding }) =>
        `we made the second charge, ${amount}, to your card ending in ${cardEnding}. There will be no more charges.`,
    },
    goes: "by_day",
  }),
};

function voucher(
  locale: Locale,
  date: string,
  { amount, commission, day, cardEnding, authorisationCode }: Charged,
): Pick<MailWords, "amounts" | "table" | "attached"> {
  return {
    amounts: [chargeAmount(locale, amount)],
    table: [
      [date, dayInWords(day, locale)],
      cardRow(locale, cardEnding),
      ...authorisationRow(locale, authorisationCode),
      ...commissionRow(locale, commission),
    ],
    attached: ["receipt", "calendar"],
  };
}
