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
        "Si no fuiste tú, avísale a la clínica y borra la tarjeta: abre «Ver mi pago», más abajo, y elige «Ver mis datos».",
      ],
    }),
    en: ({ firstName, clinic, cardEnding }) => ({
      subject: `You paid at ${clinic} with your saved card`,
      paragraphs: [
        `${firstName}, you paid at ${clinic} for the first time with your saved card, ending in ${cardEnding}.`,
        "If it was not you, tell the clinic and remove the card: open “See my payment” below and choose “See my data”.",
      ],
    }),
  },
  message: null,
};
