import { SELF_SERVICE_LINK_DAYS } from "../../contract/terms.ts";
import type { NotificationDefinition } from "../notification-definition.ts";

/** A link to give access to the insurer, which an operator sends because the patient has asked for it. */
export interface AccessLink {
  readonly firstName: string;
  readonly clinic: string;
  readonly accessUrl: string;
}

export const accessLink: NotificationDefinition<AccessLink> = {
  mail: {
    "es-CL": ({ firstName, clinic, accessUrl }) => ({
      subject: "Da acceso a tu isapre",
      paragraphs: [
        `Hola, ${firstName}. Nos pediste dar acceso a tu isapre, para que pidamos el reembolso de tu atención en ${clinic}.`,
        `El enlace sirve por ${SELF_SERVICE_LINK_DAYS} días, y te pediremos un código que enviaremos a este correo.`,
        "Nunca te pediremos tu clave por teléfono ni por mensaje: solo en la página que abre este botón.",
      ],
      link: { label: "Dar acceso a mi isapre", url: accessUrl },
    }),
    en: ({ firstName, clinic, accessUrl }) => ({
      subject: "Give access to your isapre",
      paragraphs: [
        `Hello, ${firstName}. You asked to give access to your isapre, so that we claim the reimbursement of your consultation at ${clinic}.`,
        `The link works for ${SELF_SERVICE_LINK_DAYS} days, and we will ask you for a code that we send to this e-mail.`,
        "We never ask for your password by telephone or in a message: only on the page that this button opens.",
      ],
      link: { label: "Give access to my isapre", url: accessUrl },
    }),
  },
  message: null,
};
