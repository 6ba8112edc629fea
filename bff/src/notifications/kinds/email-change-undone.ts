import type { NotificationDefinition } from "../notification-definition.ts";

/** Sent to the newer address when the owner of the previous one has objected to the change. */
export interface EmailChangeUndone {
  readonly maskedRut: string;
}

export const emailChangeUndone: NotificationDefinition<EmailChangeUndone> = {
  mail: {
    "es-CL": ({ maskedRut }) => ({
      subject: "Deshicimos el cambio de correo",
      paragraphs: [
        `El RUT ${maskedRut} ya no usa este correo: desde el correo que tenía antes nos avisaron que el cambio no lo hizo su titular.`,
        "Si el RUT es tuyo, escríbenos.",
      ],
    }),
    en: ({ maskedRut }) => ({
      subject: "We undid the change of e-mail",
      paragraphs: [
        `The RUT ${maskedRut} no longer uses this e-mail: the owner of the earlier e-mail told us that they did not make the change.`,
        "If the RUT is yours, write to us.",
      ],
    }),
  },
  message: null,
};
