import type { PatientErrorCode } from "bff/contract/errors";
import { OBJECTION_HOURS } from "bff/contract/terms";
import type { Locale } from "bff/contract/widget-tokens";
import type { ProblemWords } from "./words.ts";

/** Codes that only the pages of self-service links receive. */
export type LinkErrorCode = Extract<PatientErrorCode, "consent_not_withdrawable" | "email_change_unsettled">;

/** Texts for self-service links, which have no payment and no embedding page. They replace the checkout's. */
export type LinkProblems = Readonly<Record<LinkErrorCode | "widget_token_expired" | "widget_token_used", ProblemWords>>;

export const LINK_PROBLEMS: Readonly<Record<Locale, LinkProblems>> = {
  "es-CL": {
    consent_not_withdrawable: {
      title: "Esta autorización no se puede retirar",
      text: "Es parte de un contrato que aceptaste. Lo demás sí lo puedes retirar.",
    },
    email_change_unsettled: {
      title: "Tu correo cambió hace poco",
      text: `Quien tenía antes este RUT todavía puede objetar el cambio. Vuelve cuando hayan pasado ${OBJECTION_HOURS} horas.`,
    },
    widget_token_expired: {
      title: "Este enlace venció",
      text: "Si todavía lo necesitas, escríbele a tu clínica.",
    },
    widget_token_used: {
      title: "Este enlace ya se usó",
      text: "Ya no queda nada que hacer con él. Si tienes dudas, escríbele a tu clínica.",
    },
  },
  en: {
    consent_not_withdrawable: {
      title: "This cannot be withdrawn",
      text: "It is part of a contract that you accepted. You may withdraw the rest.",
    },
    email_change_unsettled: {
      title: "Your e-mail was changed a short while ago",
      text: `Whoever had this RUT before may still object to the change. Come back when ${OBJECTION_HOURS} hours have passed.`,
    },
    widget_token_expired: {
      title: "This link has expired",
      text: "If you still need it, write to your clinic.",
    },
    widget_token_used: {
      title: "This link has been used",
      text: "There is nothing left to do with it. If you have questions, write to your clinic.",
    },
  },
};
