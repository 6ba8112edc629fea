import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import { type NotificationDefinition, shortMessage } from "../notification-definition.ts";

/** The rest of the deferred part was written off: it is never charged. */
export interface WrittenOff {
  readonly firstName: string;
  readonly clinic: string;
  /** The amount due before, commission included. */
  readonly amount: Clp;
}

export const writtenOff: NotificationDefinition<WrittenOff> = {
  mail: {
    "es-CL": ({ firstName, clinic, amount }) => ({
      subject: `Ya no haremos el segundo cobro de tu pago en ${clinic}`,
      paragraphs: [
        `Hola, ${firstName}. No haremos el segundo cobro de tu atención en ${clinic}. No tienes que hacer nada, y los enlaces que te enviamos para pagarlo o cambiar tu tarjeta ya no sirven.`,
      ],
      amounts: [["Ya no se cobra", formatClp(amount)]],
      attached: ["calendar"],
    }),
    en: ({ firstName, clinic, amount }) => ({
      subject: `We will not make the second charge of your payment at ${clinic}`,
      paragraphs: [
        `Hello, ${firstName}. We will not make the second charge for your consultation at ${clinic}. You do not have to do anything, and the links that we sent to pay it or to change your card no longer work.`,
      ],
      amounts: [["Not charged any more", formatClp(amount)]],
      attached: ["calendar"],
    }),
  },
  message: shortMessage({
    values: ({ amount }) => ({ amount: formatClp(amount) }),
    words: {
      "es-CL": ({ amount }) => `no haremos el segundo cobro de tu pago, ${amount}. No tienes que hacer nada.`,
      en: ({ amount }) => `we will not make the second charge, ${amount}. You do not have to do anything.`,
    },
    goes: "by_day",
  }),
};
