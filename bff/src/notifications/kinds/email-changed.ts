import { OBJECTION_HOURS } from "../../contract/terms.ts";
import type { NotificationDefinition } from "../notification-definition.ts";

/** Sent to the old address when another one has replaced it. */
export interface EmailChanged {
  readonly maskedRut: string;
  readonly maskedEmail: string;
  /** `null` if the old address was never proven to belong to the patient, so that its reader may not object. */
  readonly objectionUrl: string | null;
}

export const emailChanged: NotificationDefinition<EmailChanged> = {
  mail: {
    "es-CL": ({ maskedRut, maskedEmail, objectionUrl }) => ({
      subject: "El correo de tu cuenta cambió",
      paragraphs: [
        `El RUT ${maskedRut} ahora usa el correo ${maskedEmail}. Quien lo cambió confirmó su identidad con su documento.`,
        ...(objectionUrl === null
          ? []
          : [`Si no fuiste tú, avísanos con el botón dentro de ${OBJECTION_HOURS} horas y lo dejaremos como estaba.`]),
      ],
      ...(objectionUrl === null ? {} : { link: { label: "No fui yo", url: objectionUrl } }),
    }),
    en: ({ maskedRut, maskedEmail, objectionUrl }) => ({
      subject: "The e-mail of your account changed",
      paragraphs: [
        `The RUT ${maskedRut} now uses the e-mail ${maskedEmail}. Whoever changed it confirmed their identity with their document.`,
        ...(objectionUrl === null
          ? []
          : [
              `If it was not you, tell us with the button within ${OBJECTION_HOURS} hours, and we will put it back as it was.`,
            ]),
      ],
      ...(objectionUrl === null ? {} : { link: { label: "It was not me", url: objectionUrl } }),
    }),
  },
  message: null,
};
