import { SELF_SERVICE_LINK_DAYS } from "../../contract/terms.ts";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { MailWords, NotificationDefinition } from "../notification-definition.ts";
import { cardRow, chargeRows } from "./rows.ts";

/** The purposes for which a patient can request a link while a charge is still to come. */
export type PaymentLinkPurpose = "pay_early" | "card_change";

/** A link that an operator sends because the patient has asked for it. */
export interface PaymentLink {
  readonly purpose: PaymentLinkPurpose;
  readonly firstName: string;
  readonly clinic: string;
  readonly amount: Clp;
  readonly commission: Clp;
  /** The last digits of the card that will be charged. */
  readonly cardEnding: string;
  readonly url: string;
}

export const paymentLink: NotificationDefinition<PaymentLink> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: null,
};

function mailInSpanish({ purpose, firstName, clinic, amount, commission, cardEnding, url }: PaymentLink): MailWords {
  const table = [...chargeRows("es-CL", amount, commission), cardRow("es-CL", cardEnding)];
  const code = `El enlace sirve por ${SELF_SERVICE_LINK_DAYS} días, y te pediremos un código que enviaremos a este correo.`;
  if (purpose === "pay_early")
    return {
      subject: "Paga lo que queda de tu atención",
      paragraphs: [
        `Hola, ${firstName}. Nos pediste pagar antes lo que queda de tu atención en ${clinic}. Se cobrará en la tarjeta que está aquí abajo, sin costo adicional.`,
        code,
      ],
      table,
      link: { label: "Pagar ahora", url },
    };
  return {
    subject: "Cambia la tarjeta de tu pago",
    paragraphs: [
      `Hola, ${firstName}. Nos pediste cambiar la tarjeta para el cobro que queda de tu atención en ${clinic}. Por ahora es la que está aquí abajo.`,
      code,
    ],
    table,
    link: { label: "Cambiar mi tarjeta", url },
  };
}

function mailInEnglish({ purpose, firstName, clinic, amount, commission, cardEnding, url }: PaymentLink): MailWords {
  const table = [...chargeRows("en", amount, commission), cardRow("en", cardEnding)];
  const code = `The link works for ${SELF_SERVICE_LINK_DAYS} days, and we will ask you for a code that we send to this e-mail.`;
  if (purpose === "pay_early")
    return {
      subject: "Pay what is left of your consultation",
      paragraphs: [
        `Hello, ${firstName}. You asked to pay what is left of your consultation at ${clinic} before its date. It will be charged to the card below, at no additional cost.`,
        code,
      ],
      table,
      link: { label: "Pay now", url },
    };
  return {
    subject: "Change the card of your payment",
    paragraphs: [
      `Hello, ${firstName}. You asked to change the card for the charge that is left of your consultation at ${clinic}. For now it is the one below.`,
      code,
    ],
    table,
    link: { label: "Change my card", url },
  };
}
