import type { NotificationDefinition } from "../notification-definition.ts";

/** Sent to the owner of a registration when its consents, and perhaps the insurer access, were given again. */
export interface RegistrationRenewed {
  readonly clinic: string;
  readonly hasNewAccess: boolean;
}

export const registrationRenewed: NotificationDefinition<RegistrationRenewed> = {
  mail: {
    "es-CL": ({ clinic, hasNewAccess }) => ({
      subject: "Tu registro cambió",
      paragraphs: [
        `En ${clinic} se aceptaron de nuevo las autorizaciones de tu registro${hasNewAccess ? " y se entregó otra vez la clave de tu isapre" : ""}. Quien lo hizo se identificó como tú.`,
        "Si no fuiste tú, avísale a la clínica: puedes retirar esas autorizaciones y pedir que borremos tus datos.",
      ],
    }),
    en: ({ clinic, hasNewAccess }) => ({
      subject: "Your registration changed",
      paragraphs: [
        `Someone who identified themselves as you signed up again at ${clinic}. They accepted the authorizations${hasNewAccess ? " and gave the password of your isapre" : ""}.`,
        "If it was not you, tell the clinic: you can withdraw those authorizations and ask us to erase your data.",
      ],
    }),
  },
  message: null,
};
