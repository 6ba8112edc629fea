import { CODE_LIFETIME_MINUTES } from "../../contract/terms.ts";
import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import { type InEachLanguage, type NotificationDefinition, shortMessage } from "../notification-definition.ts";
import { cardRow } from "./rows.ts";

/** The one-time code that recognises a known patient in a checkout, with the payment that it allows. */
export interface RecognitionCode {
  readonly code: string;
  /** The widget's host. Browsers offer the code only there (origin-bound one-time codes). */
  readonly host: string;
  /** The treating clinic. */
  readonly clinic: string;
  readonly total: Clp;
  readonly today: Clp;
  /** The last digits of the saved card that pays; null if the patient enters a card. */
  readonly cardEnding: string | null;
}

const WITH_CARD: InEachLanguage<string, string> = {
  "es-CL": (ending) => `, con la tarjeta terminada en ${ending}`,
  en: (ending) => `, with your card ending in ${ending}`,
};

export const recognitionCode: NotificationDefinition<RecognitionCode> = {
  isOtp: true,
  mail: {
    "es-CL": ({ code, clinic, total, today, cardEnding }) => ({
      subject: `Tu código para pagar en ${clinic}`,
      paragraphs: [
        "Escribe este código en la página donde estás pagando. Sirve solo para este pago:",
        `Vence en ${CODE_LIFETIME_MINUTES} minutos. No se lo des a nadie, tampoco a la clínica.`,
        "Si algo no es lo que esperas, no lo escribas: sin el código no se cobra.",
      ],
      code,
      amounts: [["Hoy pagas", formatClp(today)]],
      table: [
        ["Total de la atención", formatClp(total)],
        ...(cardEnding === null ? [] : [cardRow("es-CL", cardEnding)]),
      ],
    }),
    en: ({ code, clinic, total, today, cardEnding }) => ({
      subject: `Your code to pay at ${clinic}`,
      paragraphs: [
        "Type this code on the page where you are paying. It is only for this payment:",
        `It expires in ${CODE_LIFETIME_MINUTES} minutes. Do not share it with anyone, not even the clinic.`,
        "If anything is not what you expect, do not type it: without the code nothing is charged.",
      ],
      code,
      amounts: [["You pay today", formatClp(today)]],
      table: [["Price", formatClp(total)], ...(cardEnding === null ? [] : [cardRow("en", cardEnding)])],
    }),
  },
  message: shortMessage({
    values: ({ code, total, today, cardEnding }, locale) => ({
      code,
      today: formatClp(today),
      total: `${formatClp(total)}${cardEnding === null ? "" : WITH_CARD[locale](cardEnding)}`,
    }),
    words: {
      "es-CL": ({ code, total, today }) =>
        `tu código para pagar es ${code}: hoy ${today} de un total de ${total}. Si no es tu pago, no lo escribas. Vence en ${CODE_LIFETIME_MINUTES} minutos. No se lo des a nadie, tampoco a la clínica.`,
      en: ({ code, total, today }) =>
        `your code to pay is ${code}: ${today} today out of ${total}. If this is not your payment, do not type it. It expires in ${CODE_LIFETIME_MINUTES} minutes. Do not share it, not even with the clinic.`,
    },
    goes: "at_once",
    isAlone: true,
    lastLine: ({ code, host }) => `@${host} #${code}`,
  }),
};
