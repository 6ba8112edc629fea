import { SELF_SERVICE_LINK_DAYS } from "../../contract/terms.ts";
import type { NotificationDefinition } from "../notification-definition.ts";
import { accessSafety } from "./access-safety.ts";

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
        `Hola, ${firstName}. Nos pediste la página para dar acceso a tu isapre. Con él pedimos el reembolso de tu atención en ${clinic}.`,
        `El enlace sirve por ${SELF_SERVICE_LINK_DAYS} días.`,
      ],
      link: { label: "Dar acceso a mi isapre", url: accessUrl },
      safety: accessSafety("es-CL", { clinic, accessUrl }),
    }),
    en: ({ firstName, clinic, accessUrl }) => ({
      subject: "Give access to your isapre",
      paragraphs: [
        `Hello, ${firstName}. You asked for the page to give access to your isapre (private health insurer). We use it to claim the reimbursement of your consultation at ${clinic}.`,
        `The link works for ${SELF_SERVICE_LINK_DAYS} days.`,
      ],
      link: { label: "Give access to my isapre", url: accessUrl },
      safety: accessSafety("en", { clinic, accessUrl }),
    }),
  },
  message: null,
};
