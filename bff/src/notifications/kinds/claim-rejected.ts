import type { NotificationDefinition } from "../notification-definition.ts";

/** The insurer has rejected a claim. */
export interface ClaimRejected {
  readonly firstName: string;
  readonly clinic: string;
  readonly insurer: string;
  /** The insurer's own text. */
  readonly reason: string;
  /** Whether the deferred part is still to be charged. */
  readonly isChargeAhead: boolean;
}

export const claimRejected: NotificationDefinition<ClaimRejected> = {
  mail: {
    "es-CL": ({ firstName, clinic, insurer, reason, isChargeAhead }) => ({
      subject: "Tu isapre rechazó el reembolso",
      paragraphs: [
        `Hola, ${firstName}. ${insurer} rechazó el reembolso de tu atención en ${clinic}. Nos dijo: «${reason}».`,
        ...(isChargeAhead
          ? [
              "El cobro que queda de tu pago sigue como lo aceptaste: a más tardar en la fecha límite que está en tu comprobante.",
            ]
          : []),
        "Si no estás de acuerdo, puedes reclamar directamente en tu isapre.",
      ],
    }),
    en: ({ firstName, clinic, insurer, reason, isChargeAhead }) => ({
      subject: "Your isapre rejected the reimbursement",
      paragraphs: [
        `Hello, ${firstName}. ${insurer} rejected the reimbursement of your consultation at ${clinic}. It told us: “${reason}”.`,
        ...(isChargeAhead
          ? [
              "The charge that is left of your payment stays as you accepted it: at the latest on the date in your receipt.",
            ]
          : []),
        "If you do not agree, you can complain to your isapre directly.",
      ],
    }),
  },
  message: {
    words: {
      "es-CL": ({ insurer, isChargeAhead }) =>
        `${insurer} rechazó tu reembolso. El motivo está en tu correo.${isChargeAhead ? " El cobro que queda sigue como lo aceptaste." : ""}`,
      en: ({ insurer, isChargeAhead }) =>
        `${insurer} rejected your reimbursement. The reason is in your e-mail.${isChargeAhead ? " What is left will be charged as you accepted." : ""}`,
    },
    goes: "by_day",
  },
};
