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
        "La guarda el procesador de tarjetas, no la clínica. Cada vez que pagues con ella, te pediremos un código para confirmar que eres tú, y que apruebes ese pago con su segundo cobro.",
        "Puedes borrarla cuando quieras: abre «Ver mi pago», más abajo, y elige «Ver mis datos». Si no fuiste tú, bórrala y avísale a la clínica.",
      ],
    }),
    en: ({ firstName, clinic, cardEnding }) => ({
      subject: "We saved your card",
      paragraphs: [
        `${firstName}, when you paid at ${clinic} you asked us to save your card ending in ${cardEnding} for your next consultations.`,
        "The card processor keeps it, not the clinic. Each time you pay with it, we will ask for a code to confirm that it is you, and for your approval of that payment with its second charge.",
        "You can remove it at any time: open “See my payment” below and choose “See my data”. If it was not you, remove it and tell the clinic.",
      ],
    }),
  },
  message: null,
};
