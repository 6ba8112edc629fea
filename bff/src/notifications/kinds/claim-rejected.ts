import type { CalendarDay } from "../../platform/santiago-time.ts";
import { dayInWords } from "../day-in-words.ts";
import type { NotificationDefinition } from "../notification-definition.ts";

/** The insurer has rejected a claim. */
export interface ClaimRejected {
  readonly firstName: string;
  readonly clinic: string;
  readonly insurer: string;
  /** The insurer's own text. */
  readonly reason: string;
  /** The day of the charge that is left, or its latest day; null if none is made as far as is known now. */
  readonly charge: { readonly kind: "on_day" | "by_day"; readonly day: CalendarDay } | null;
}

export const claimRejected: NotificationDefinition<ClaimRejected> = {
  mail: {
    "es-CL": ({ firstName, clinic, insurer, reason, charge }) => ({
      subject: "Tu isapre rechazó el reembolso",
      paragraphs: [
        `Hola, ${firstName}. ${insurer} rechazó el reembolso de tu atención en ${clinic}. Nos dijo: «${reason}».`,
        ...(charge === null
          ? []
          : [
              `El cobro que queda de tu pago sigue como lo aceptaste: lo haremos ${charge.kind === "by_day" ? "a más tardar " : ""}el ${dayInWords(charge.day, "es-CL")}.`,
            ]),
        "Si no estás de acuerdo, puedes reclamar directamente en tu isapre.",
      ],
    }),
    en: ({ firstName, clinic, insurer, reason, charge }) => ({
      subject: "Your isapre rejected the reimbursement",
      paragraphs: [
        `Hello, ${firstName}. ${insurer} rejected the reimbursement of your consultation at ${clinic}. It told us: “${reason}”.`,
        ...(charge === null
          ? []
          : [
              `The charge that is left of your payment stays as you accepted it: we will make it on ${dayInWords(charge.day, "en")}${charge.kind === "by_day" ? " at the latest" : ""}.`,
            ]),
        "If you do not agree, you can complain to your isapre directly.",
      ],
    }),
  },
  message: {
    words: {
      "es-CL": ({ insurer, charge }) =>
        `${insurer} rechazó tu reembolso. El motivo está en tu correo.${charge === null ? "" : " El cobro que queda sigue como lo aceptaste."}`,
      en: ({ insurer, charge }) =>
        `${insurer} rejected your reimbursement. The reason is in your e-mail.${charge === null ? "" : " What is left will be charged as you accepted."}`,
    },
    goes: "by_day",
  },
};
