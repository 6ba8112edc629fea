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
  /** The day or latest day of the remaining charge; null if none is currently planned. */
  readonly charge: { readonly kind: "on_day" | "by_day"; readonly day: CalendarDay } | null;
}

export const claimRejected: NotificationDefinition<ClaimRejected> = {
  mail: {
    "es-CL": ({ firstName, clinic, insurer, reason, charge }) => ({
      subject: "Tu isapre rechazó el reembolso",
      paragraphs: [
        `Hola, ${firstName}. ${insurer} rechazó el reembolso de tu atención en ${clinic}. Nos dijo: «${reason}»${reason.endsWith(".") ? "" : "."}`,
        ...(charge === null
          ? []
          : [
              `El segundo cobro sigue como lo aceptaste: lo haremos ${charge.kind === "by_day" ? "a más tardar " : ""}el ${dayInWords(charge.day, "es-CL")}.`,
            ]),
        "Si no estás de acuerdo, reclama en tu isapre y, si no lo resuelve, en la Superintendencia de Salud.",
      ],
    }),
    en: ({ firstName, clinic, insurer, reason, charge }) => ({
      subject: "Your isapre rejected the reimbursement",
      paragraphs: [
        `Hello, ${firstName}. ${insurer}, your isapre (private health insurer), rejected the reimbursement of your consultation at ${clinic}. It told us: “${reason}”${reason.endsWith(".") ? "" : "."}`,
        ...(charge === null
          ? []
          : [
              `The second charge stays as you accepted it: we will make it on ${dayInWords(charge.day, "en")}${charge.kind === "by_day" ? " at the latest" : ""}.`,
            ]),
        "If you disagree, complain to your isapre and, if it does not resolve it, to the Superintendencia de Salud (the regulator).",
      ],
    }),
  },
  message: {
    words: {
      "es-CL": ({ insurer, charge }) =>
        `${insurer} rechazó tu reembolso.${charge === null ? "" : " El segundo cobro sigue como lo aceptaste."}`,
      en: ({ insurer, charge }) =>
        `${insurer} rejected your reimbursement.${charge === null ? "" : " The second charge stays as you accepted it."}`,
    },
    goes: "by_day",
  },
};
