import type { Locale } from "../../contract/widget-tokens.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import {
  type MailWords,
  type NotificationDefinition,
  shortMessage,
  type UndatedCharge,
} from "../notification-definition.ts";
import { UNDATED, upcomingRows } from "./rows.ts";

type SecondCharge = { readonly kind: "on_day" | "by_day"; readonly day: CalendarDay } | UndatedCharge;

/** The insurer has rejected a claim. */
export interface ClaimRejected {
  readonly firstName: string;
  readonly clinic: string;
  readonly insurer: string;
  /** The insurer's own text. */
  readonly reason: string;
  /** The second charge, with its day or latest day if it has one; null if nothing is owed. */
  readonly charge: SecondCharge | null;
}

const REJECTED = {
  "es-CL": { decision: "rechazó tu reembolso", asAccepted: "El segundo cobro sigue como lo aceptaste" },
  en: { decision: "rejected your reimbursement", asAccepted: "The second charge stays as you accepted it" },
} as const satisfies Readonly<Record<Locale, object>>;

function decisionInShort(charge: SecondCharge | null, locale: Locale): string {
  const { decision, asAccepted } = REJECTED[locale];
  if (charge === null) return decision;
  return `${decision}. ${"day" in charge ? asAccepted : UNDATED[locale][charge.kind].short}`;
}

function chargeInSpanish(charge: SecondCharge): string {
  if (!("day" in charge)) return UNDATED["es-CL"][charge.kind].mail;
  const latest = charge.kind === "by_day" ? "a más tardar " : "";
  return `${REJECTED["es-CL"].asAccepted}: lo haremos ${latest}el ${dayInWords(charge.day, "es-CL")}.`;
}

function chargeInEnglish(charge: SecondCharge): string {
  if (!("day" in charge)) return UNDATED.en[charge.kind].mail;
  const latest = charge.kind === "by_day" ? " at the latest" : "";
  return `${REJECTED.en.asAccepted}: we will make it on ${dayInWords(charge.day, "en")}${latest}.`;
}

function owed(charge: SecondCharge | null, locale: Locale): Pick<MailWords, "table" | "saysHowToPay"> {
  if (charge === null || "day" in charge) return {};
  return { table: upcomingRows(locale, charge), saysHowToPay: charge.kind === "card_needed" };
}

export const claimRejected: NotificationDefinition<ClaimRejected> = {
  mail: {
    "es-CL": ({ firstName, clinic, insurer, reason, charge }) => ({
      subject: "Tu isapre rechazó el reembolso",
      paragraphs: [
        `Hola, ${firstName}. ${insurer} rechazó el reembolso de tu atención en ${clinic}. Nos dijo: «${reason}»${reason.endsWith(".") ? "" : "."}`,
        ...(charge === null ? [] : [chargeInSpanish(charge)]),
        "Si no estás de acuerdo, reclama en tu isapre y, si no resulta, en la Superintendencia de Salud.",
      ],
      ...owed(charge, "es-CL"),
    }),
    en: ({ firstName, clinic, insurer, reason, charge }) => ({
      subject: "Your isapre rejected the reimbursement",
      paragraphs: [
        `Hello, ${firstName}. ${insurer}, your isapre (private health insurer), rejected the reimbursement of your consultation at ${clinic}. It told us: “${reason}”${reason.endsWith(".") ? "" : "."}`,
        ...(charge === null ? [] : [chargeInEnglish(charge)]),
        "If you disagree, complain to your isapre and, if that does not resolve it, to the Superintendencia de Salud (the regulator).",
      ],
      ...owed(charge, "en"),
    }),
  },
  message: shortMessage({
    values: ({ insurer, charge }, locale) => ({
      insurer,
      decision: decisionInShort(charge, locale),
    }),
    words: {
      "es-CL": ({ insurer, decision }) => `${insurer} ${decision}.`,
      en: ({ insurer, decision }) => `${insurer} ${decision}.`,
    },
    goes: "by_day",
  }),
};
