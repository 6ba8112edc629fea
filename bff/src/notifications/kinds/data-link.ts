import { DATA_LINK_HOURS } from "../../contract/terms.ts";
import type { NotificationDefinition } from "../notification-definition.ts";

/** The link to the patient's own data. */
export interface DataLink {
  readonly dataUrl: string;
}

export const dataLink: NotificationDefinition<DataLink> = {
  mail: {
    "es-CL": ({ dataUrl }) => ({
      subject: "Tus datos",
      paragraphs: [
        "Con este enlace puedes ver y descargar tus datos, retirar lo que autorizaste o pedir que los borremos.",
        `Sirve por ${DATA_LINK_HOURS} horas, y te pediremos un código que enviaremos a este correo.`,
        "Si no lo pediste, no tienes que hacer nada.",
      ],
      link: { label: "Ver mis datos", url: dataUrl },
    }),
    en: ({ dataUrl }) => ({
      subject: "Your data",
      paragraphs: [
        "With this link you can see and download your data, withdraw what you authorised, or ask us to erase it.",
        `It works for ${DATA_LINK_HOURS} hours, and we will ask you for a code that we send to this e-mail.`,
        "If you did not ask for it, you do not have to do anything.",
      ],
      link: { label: "See my data", url: dataUrl },
    }),
  },
  message: null,
};
