import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { type NotificationDefinition, shortMessage } from "../notification-definition.ts";

/** A charge that should not have been made has gone back to the patient's card. */
export interface ChargeReturned {
  readonly firstName: string;
  readonly clinic: string;
  readonly amount: Clp;
  /** The day on which the card was charged. */
  readonly day: CalendarDay;
}

export const chargeReturned: NotificationDefinition<ChargeReturned> = {
  mail: {
    "es-CL": ({ firstName, clinic, amount, day }) => ({
      subject: "Devolvimos a tu tarjeta un cobro que no correspondía",
      paragraphs: [
        `Hola, ${firstName}. El ${dayInWords(day, "es-CL")} hicimos en tu tarjeta un cobro que no correspondía, por tu atención en ${clinic}. Fue un error nuestro y ya lo devolvimos completo.`,
        "No tienes que hacer nada. Dependiendo de tu banco, puede tardar algunos días en aparecer. Lo demás de tu pago sigue igual.",
      ],
      amounts: [["Vuelve a tu tarjeta", formatClp(amount)]],
    }),
    en: ({ firstName, clinic, amount, day }) => ({
      subject: "We returned a charge that should not have been made",
      paragraphs: [
        `Hello, ${firstName}. On ${dayInWords(day, "en")} we made a charge to your card that should not have been made, for your consultation at ${clinic}. It was our mistake, and we have returned all of it.`,
        "You do not have to do anything. Depending on your bank, it may take some days to appear. Nothing else about your payment changes.",
      ],
      amounts: [["Goes back to your card", formatClp(amount)]],
    }),
  },
  message: shortMessage({
    values: ({ amount }) => ({ amount: formatClp(amount) }),
    words: {
      "es-CL": ({ amount }) =>
        `devolvimos a tu tarjeta ${amount} de un cobro que no correspondía. No tienes que hacer nada.`,
      en: ({ amount }) =>
        `we returned ${amount} to your card, a charge that should not have been made. You do not have to do anything.`,
    },
    goes: "by_day",
  }),
};
