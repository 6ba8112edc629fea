import { CODE_LIFETIME_MINUTES } from "../../contract/terms.ts";
import type { NotificationDefinition } from "../notification-definition.ts";

/** A one-time code that the patient has requested. */
export interface RecoveryCode {
  readonly code: string;
}

export const recoveryCode: NotificationDefinition<RecoveryCode> = {
  isOtp: true,
  mail: {
    "es-CL": ({ code }) => ({
      subject: "Tu código",
      paragraphs: [
        "Este es el código que pediste para confirmar que eres tú.",
        `Vence en ${CODE_LIFETIME_MINUTES} minutos. No lo compartas con nadie: nunca te lo pediremos por teléfono ni por mensaje.`,
        "Si no lo pediste, no tienes que hacer nada.",
      ],
      code,
    }),
    en: ({ code }) => ({
      subject: "Your code",
      paragraphs: [
        "This is the code that you asked for to confirm that it is you.",
        `It expires in ${CODE_LIFETIME_MINUTES} minutes. Share it with nobody: we never ask for it by telephone or in a message.`,
        "If you did not ask for it, you do not have to do anything.",
      ],
      code,
    }),
  },
  message: null,
};
