import { SELF_SERVICE_LINK_DAYS } from "../../contract/terms.ts";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { MailWords, NotificationDefinition } from "../notification-definition.ts";
import { cardRow, chargeAmount, commissionRow } from "./rows.ts";

/** The purposes for which a patient can request a link while a charge is still to come. */
export type PaymentLinkPurpose = "pay_early" | "card_change";

/** A link that an operator sends because the patient has asked for it. */
export interface PaymentLink {
  readonly purpose: PaymentLinkPurpose;
  readonly firstName: string;
  readonly clinic: string;
  readonly amount: Clp;
  readonly commission: Clp;
  /** The last digits of the card to charge; null in a mail about a card change if that card is never charged again. */
  readonly cardEnding: string | null;
  readonly url: string;
}

export const paymentLink: NotificationDefinition<PaymentLink> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: null,
};

function mailInSpanish({ purpose, firstName, clinic, amount, commission, cardEnding, url }: PaymentLink): MailWords {
  const charge = {
    amounts: [chargeAmount("es-CL", amount)],
    table: [...(cardEnding === null ? [] : [cardRow("es-CL", cardEnding)]), ...commissionRow("es-CL", commission)],
  };
  const code = `El enlace sirve por ${SELF_SERVICE_LINK_DAYS} días, y te pediremos un código que enviaremos a este correo.`;
  if (purpose === "pay_early")
    return {
      subject: "Paga antes el segundo cobro",
      paragraphs: [
        `Hola, ${firstName}. Nos pediste pagar antes el segundo cobro de tu atención en ${clinic}. Se hará en esta tarjeta, sin otro costo que el que ya aceptaste.`,
        code,
      ],
      ...charge,
      link: { label: "Pagar ahora", url },
    };
  return {
    subject: "Cambia la tarjeta de tu pago",
    paragraphs: [
      `Hola, ${firstName}. Nos pediste cambiar la tarjeta para el segundo cobro de tu atención en ${clinic}.${cardEnding === null ? "" : " Por ahora es esta."}`,
      code,
    ],
    ...charge,
    link: { label: "Cambiar mi tarjeta", url },
  };
}

function mailInEnglish({ purpose, firstName, clinic, amount, commission, cardEnding, url }: PaymentLink): MailWords {
  const charge = {
    amounts: [chargeAmount("en", amount)],
    table: [...(cardEnding === null ? [] : [cardRow("en", cardEnding)]), ...commissionRow("en", commission)],
  };
  const code = `The link works for ${SELF_SERVICE_LINK_DAYS} days, and we will ask you for a code that we send to this e-mail.`;
  if (purpose === "pay_early")
    return {
      subject: "Pay the second charge early",
      paragraphs: [
        `Hello, ${firstName}. You asked to pay the second charge for your consultation at ${clinic} early. It will be charged to this card, at no cost beyond what you accepted.`,
        code,
      ],
      ...charge,
      link: { label: "Pay now", url },
    };
  return {
    subject: "Change the card of your payment",
    paragraphs: [
      `Hello, ${firstName}. You asked to change the card for the second charge of your consultation at ${clinic}.${cardEnding === null ? "" : " For now it is this one."}`,
      code,
    ],
    ...charge,
    link: { label: "Change my card", url },
  };
}
