import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { NotificationDefinition } from "../notification-definition.ts";
import { cardRow, chargeRows } from "./rows.ts";

/** The deferred part was charged. */
export interface Charged {
  readonly firstName: string;
  readonly clinic: string;
  readonly amount: Clp;
  readonly commission: Clp;
  readonly cardEnding: string;
}

export const charged: NotificationDefinition<Charged> = {
  mail: {
    "es-CL": ({ firstName, clinic, amount, commission, cardEnding }) => ({
      subject: `Cobramos lo que quedaba de tu pago en ${clinic}`,
      paragraphs: [
        `Hola, ${firstName}. Hicimos el cobro que quedaba de tu atención en ${clinic}. Con esto tu pago está completo y no habrá más cobros.`,
        "Guarda este correo como comprobante.",
      ],
      table: [...chargeRows("es-CL", amount, commission), cardRow("es-CL", cardEnding)],
    }),
    en: ({ firstName, clinic, amount, commission, cardEnding }) => ({
      subject: `We charged what was left of your payment at ${clinic}`,
      paragraphs: [
        `Hello, ${firstName}. We made the charge that was left of your consultation at ${clinic}. With this your payment is complete, and there will be no more charges.`,
        "Keep this e-mail as your receipt.",
      ],
      table: [...chargeRows("en", amount, commission), cardRow("en", cardEnding)],
    }),
  },
  message: {
    words: {
      "es-CL": ({ amount }) => `cobramos ${formatClp(amount)}, lo que quedaba de tu pago. No habrá más cobros.`,
      en: ({ amount }) =>
        `we charged ${formatClp(amount)}, what was left of your payment. There will be no more charges.`,
    },
    goes: "by_day",
  },
};
