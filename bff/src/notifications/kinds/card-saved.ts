import type { NotificationDefinition } from "../notification-definition.ts";

/** Sent when the processor keeps a patient's card for later orders. */
export interface CardSaved {
  readonly firstName: string;
  readonly clinic: string;
  readonly cardEnding: string;
}

export const cardSaved: NotificationDefinition<CardSaved> = {
  mail: {
    "es-CL": ({ firstName, clinic, cardEnding }) => ({
      subject: "Guardamos tu tarjeta",
      paragraphs: [
        `${firstName}, al pagar en ${clinic} pediste guardar tu tarjeta terminada en ${cardEnding} para tus próximas atenciones.`,
        "La guarda el procesador de tarjetas, no la clínica. Para pagar otra atención con ella, siempre confirmas con un código que eres tú y apruebas ese pago, con su segundo cobro.",
        "Puedes borrarla cuando quieras en Mis datos. Si no fuiste tú, bórrala y avísale a la clínica.",
      ],
    }),
    en: ({ firstName, clinic, cardEnding }) => ({
      subject: "We saved your card",
      paragraphs: [
        `${firstName}, when you paid at ${clinic} you asked to keep your card ending in ${cardEnding} for your next consultations.`,
        "The card processor keeps it, not the clinic. To pay for another consultation with it, you always confirm by a code that it is you and approve that payment, with its second charge.",
        "You can remove it at any time in My data. If it was not you, remove it and tell the clinic.",
      ],
    }),
  },
  message: null,
};
