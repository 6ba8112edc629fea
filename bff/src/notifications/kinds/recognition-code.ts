import { CODE_LIFETIME_MINUTES } from "../../contract/terms.ts";
import type { NotificationDefinition } from "../notification-definition.ts";

/** The one-time code by which a known patient is recognised in a checkout. */
export interface RecognitionCode {
  readonly code: string;
  /** The widget's host. A browser offers the code there alone (origin-bound one-time codes). */
  readonly host: string;
}

export const recognitionCode: NotificationDefinition<RecognitionCode> = {
  isOtp: true,
  mail: {
    "es-CL": ({ code }) => ({
      subject: "Tu código para pagar",
      paragraphs: [
        "Escribe este código en la página donde estás pagando, para no tener que llenar tus datos de nuevo.",
        `Vence en ${CODE_LIFETIME_MINUTES} minutos. No se lo des a nadie, tampoco a la clínica.`,
        "Si no estás pagando nada, no tienes que hacer nada: sin el código no se cobra.",
      ],
      code,
    }),
    en: ({ code }) => ({
      subject: "Your code to pay",
      paragraphs: [
        "Type this code on the page where you are paying, so that you need not fill in your data again.",
        `It expires in ${CODE_LIFETIME_MINUTES} minutes. Give it to nobody, not even to the clinic.`,
        "If you are not paying anything, you do not have to do anything: without the code nothing is charged.",
      ],
      code,
    }),
  },
  message: {
    words: {
      "es-CL": ({ code }) =>
        `tu código para pagar es ${code}. Vence en ${CODE_LIFETIME_MINUTES} minutos. No se lo des a nadie, tampoco a la clínica.`,
      en: ({ code }) =>
        `your code to pay is ${code}. It expires in ${CODE_LIFETIME_MINUTES} minutes. Give it to nobody, not even to the clinic.`,
    },
    goes: "at_once",
    isAlone: true,
    lastLine: ({ code, host }) => `@${host} #${code}`,
  },
};
