import type { NotificationDefinition } from "../notification-definition.ts";

/** Sent when a saved card has paid at a clinic for the first time. */
export interface SavedCardUsed {
  readonly firstName: string;
  readonly clinic: string;
  readonly cardEnding: string;
}

export const savedCardUsed: NotificationDefinition<SavedCardUsed> = {
  mail: {
    "es-CL": ({ firstName, clinic, cardEnding }) => ({
      subject: `Pagaste en ${clinic} con tu tarjeta guardada`,
      paragraphs: [
        `${firstName}, pagaste por primera vez en ${clinic} con tu tarjeta guardada, terminada en ${cardEnding}.`,
        "Si no fuiste tú, borra la tarjeta en Mis datos y avísale a la clínica.",
      ],
    }),
    en: ({ firstName, clinic, cardEnding }) => ({
      subject: `You paid at ${clinic} with your saved card`,
      paragraphs: [
        `${firstName}, you paid at ${clinic} for the first time with your saved card, ending in ${cardEnding}.`,
        "If it was not you, remove the card in My data and tell the clinic.",
      ],
    }),
  },
  message: null,
};
