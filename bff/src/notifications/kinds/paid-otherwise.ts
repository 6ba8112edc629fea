import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { NotificationDefinition } from "../notification-definition.ts";
import { commissionRow } from "./rows.ts";

/** The patient has paid the deferred part in another way than by card. */
export interface PaidOtherwise {
  readonly firstName: string;
  readonly clinic: string;
  readonly amount: Clp;
  readonly commission: Clp;
}

export const paidOtherwise: NotificationDefinition<PaidOtherwise> = {
  mail: {
    "es-CL": ({ firstName, clinic, amount, commission }) => ({
      subject: `Recibimos lo que quedaba de tu pago en ${clinic}`,
      paragraphs: [
        `Hola, ${firstName}. Recibimos lo que quedaba por pagar de tu atención en ${clinic}. Con esto tu pago está completo y no cobraremos nada a tu tarjeta.`,
        "Guarda este correo como comprobante.",
      ],
      table: [["Monto que recibimos", formatClp(amount)], ...commissionRow("Comisión incluida", commission)],
    }),
    en: ({ firstName, clinic, amount, commission }) => ({
      subject: `We received what was left of your payment at ${clinic}`,
      paragraphs: [
        `Hello, ${firstName}. We received what was left to pay of your consultation at ${clinic}. With this your payment is complete, and nothing is charged to your card.`,
        "Keep this e-mail as your receipt.",
      ],
      table: [["Amount received", formatClp(amount)], ...commissionRow("Commission included", commission)],
    }),
  },
  message: {
    words: {
      "es-CL": ({ amount }) => `recibimos ${formatClp(amount)}, lo que quedaba de tu pago. No habrá más cobros.`,
      en: ({ amount }) =>
        `we received ${formatClp(amount)}, what was left of your payment. There will be no more charges.`,
    },
    goes: "by_day",
  },
};
