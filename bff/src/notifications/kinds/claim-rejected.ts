import type { Locale } from "../../contract/widget-tokens.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { type NotificationDefinition, shortMessage } from "../notification-definition.ts";

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

const REJECTED = {
  "es-CL": {
    alone: "rechazó tu reembolso",
    charged: "rechazó tu reembolso. El segundo cobro sigue como lo aceptaste",
  },
  en: {
    alone: "rejected your reimbursement",
    charged: "rejected your reimbursement. The second charge stays as you accepted it",
  },
} as const satisfies Readonly<Record<Locale, object>>;

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
        "Si no estás de acuerdo, reclama en tu isapre y, si no resulta, en la Superintendencia de Salud.",
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
        "If you disagree, complain to your isapre and, if that does not resolve it, to the Superintendencia de Salud (the regulator).",
      ],
    }),
  },
  message: shortMessage({
    values: ({ insurer, charge }, locale) => ({
      insurer,
      decision: REJECTED[locale][charge === null ? "alone" : "charged"],
    }),
    words: {
      "es-CL": ({ insurer, decision }) => `${insurer} ${decision}.`,
      en: ({ insurer, decision }) => `${insurer} ${decision}.`,
    },
    goes: "by_day",
  }),
};
