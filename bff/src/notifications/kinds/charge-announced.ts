import { ACCESS_BLOCKED_DAYS } from "../../contract/terms.ts";
import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { type MailWords, type NotificationDefinition, shortMessage } from "../notification-definition.ts";
import { cardRow, chargeAmount, commissionRow } from "./rows.ts";

/** Why there is no approval on the latest day. */
export type UnapprovedBecause =
  | "rejected"
  | "no_answer"
  | "no_access"
  | "no_receipt"
  | "no_document"
  | "access_blocked"
  | "portal_down"
  | "withdrawn"
  | "not_followed"
  | "taken_back"
  | "given_up";

/** The trigger of a charge that could not be made on its due date. */
export type ResumedBecause = "approved" | "access_was_blocked" | "latest_day_over";

/**
 * Announces a charge that the patient does not start. It is due on the latest day, because the insurer has not approved
 * the claim, or it could not be made when it was due.
 */
export interface ChargeAnnounced {
  readonly firstName: string;
  readonly clinic: string;
  readonly amount: Clp;
  readonly commission: Clp;
  readonly because: UnapprovedBecause | ResumedBecause;
  /** The latest day that the patient accepted is over. */
  readonly isOverdue: boolean;
  /** The insurer's approval or blocked access may still make it due earlier. */
  readonly mayComeEarlier: boolean;
  readonly day: CalendarDay;
  readonly cardEnding: string;
  /** Where the patient can pay earlier; null if the clinic has no widget to open. */
  readonly payUrl: string | null;
}

const EARLIER = {
  "es-CL": ", o antes si tu isapre aprueba,",
  en: ", or earlier if your isapre approves,",
} as const satisfies Readonly<Record<Locale, string>>;

export const chargeAnnounced: NotificationDefinition<ChargeAnnounced> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: shortMessage({
    values: ({ amount, day, mayComeEarlier, cardEnding }, locale) => ({
      amount: formatClp(amount),
      day: `${dayInWords(day, locale)}${mayComeEarlier ? EARLIER[locale] : ""}`,
      cardEnding,
    }),
    words: {
      "es-CL": ({ amount, day, cardEnding }) =>
        `el ${day} cobraremos ${amount} en tu tarjeta terminada en ${cardEnding}.`,
      en: ({ amount, day, cardEnding }) => `on ${day} we will charge ${amount} to your card ending in ${cardEnding}.`,
    },
    goes: "by_day",
  }),
};

function mailInSpanish(facts: ChargeAnnounced): MailWords {
  const { firstName, amount, commission, cardEnding, payUrl } = facts;
  const day = dayInWords(facts.day, "es-CL");
  return {
    subject: `El ${day} haremos el segundo cobro`,
    paragraphs: [
      `Hola, ${firstName}. ${reasonInSpanish(facts)} haremos el segundo cobro el ${day}, una sola vez${facts.mayComeEarlier ? `, o antes si tu isapre aprueba el reembolso o nos bloquea el acceso ${ACCESS_BLOCKED_DAYS} días seguidos` : ""}.`,
      `Revisa que tu tarjeta tenga cupo ese día.${payUrl === null ? "" : " También puedes pagarlo antes."}`,
    ],
    amounts: [chargeAmount("es-CL", amount)],
    table: [["Fecha", day], cardRow("es-CL", cardEnding), ...commissionRow("es-CL", commission)],
    ...(payUrl === null ? {} : { link: { label: "Pagar ahora", url: payUrl } }),
    attached: ["calendar"],
  };
}

/** Ends where the charge is named. */
function reasonInSpanish({ clinic, because, isOverdue }: ChargeAnnounced): string {
  switch (because) {
    case "approved":
      return `Tu isapre aprobó el reembolso de tu atención en ${clinic}, y el segundo cobro no se hizo. Por eso`;
    case "access_was_blocked":
      return `Tu isapre nos bloqueó el acceso para tu atención en ${clinic}, y el segundo cobro no se hizo. Por eso`;
    case "latest_day_over":
      return `Pasó el plazo que aceptaste al pagar tu atención en ${clinic}, y el segundo cobro no se hizo. Por eso`;
    default:
      return `El reembolso de tu atención en ${clinic} no está aprobado: ${BECAUSE_IN_SPANISH[because]}. ${isOverdue ? "Ya pasó" : "Se acaba"} el plazo que aceptaste al pagar, y por eso`;
  }
}

const BECAUSE_IN_SPANISH: Readonly<Record<UnapprovedBecause, string>> = {
  rejected: "tu isapre lo rechazó",
  no_answer: "tu isapre no ha respondido",
  no_access: "no lo pudimos pedir, porque no nos has dado acceso a tu isapre",
  no_receipt: "no lo pudimos pedir, porque la clínica no nos ha enviado tu boleta",
  no_document: "no lo pudimos pedir, porque la clínica no nos ha enviado un documento que falta",
  access_blocked: "tu isapre nos bloqueó el acceso",
  portal_down: "no lo pudimos pedir, porque el sitio de tu isapre no funciona",
  withdrawn: "no lo pedimos, porque ya no tenemos tu autorización",
  not_followed: "no sabemos si tu isapre respondió, porque ya no tenemos tu autorización para preguntarle",
  taken_back: "retiramos la solicitud en tu isapre",
  given_up: "no se pudo pedir",
};

function mailInEnglish(facts: ChargeAnnounced): MailWords {
  const { firstName, amount, commission, cardEnding, payUrl } = facts;
  const day = dayInWords(facts.day, "en");
  return {
    subject: `On ${day} we will make the second charge`,
    paragraphs: [
      `Hello, ${firstName}. ${reasonInEnglish(facts)} we will make the second charge on ${day}, once${facts.mayComeEarlier ? `, or earlier if your isapre approves the reimbursement or blocks our access for ${ACCESS_BLOCKED_DAYS} days in a row` : ""}.`,
      `Check that your card has enough available credit that day.${payUrl === null ? "" : " You can also pay earlier."}`,
    ],
    amounts: [chargeAmount("en", amount)],
    table: [["Date", day], cardRow("en", cardEnding), ...commissionRow("en", commission)],
    ...(payUrl === null ? {} : { link: { label: "Pay now", url: payUrl } }),
    attached: ["calendar"],
  };
}

/** Ends where the charge is named. */
function reasonInEnglish({ clinic, because, isOverdue }: ChargeAnnounced): string {
  switch (because) {
    case "approved":
      return `Your isapre (private health insurer) approved the reimbursement of your consultation at ${clinic}, and the second charge was not made, so`;
    case "access_was_blocked":
      return `Your isapre (private health insurer) blocked our access for your consultation at ${clinic}, and the second charge was not made, so`;
    case "latest_day_over":
      return `The time that you accepted when you paid for your consultation at ${clinic} is over, and the second charge was not made, so`;
    default:
      return `The reimbursement of your consultation at ${clinic} is not approved: ${BECAUSE_IN_ENGLISH[because]}. The time that you accepted when you paid ${isOverdue ? "is over" : "is ending"}, so`;
  }
}

const BECAUSE_IN_ENGLISH: Readonly<Record<UnapprovedBecause, string>> = {
  rejected: "your isapre (private health insurer) rejected it",
  no_answer: "your isapre (private health insurer) has not answered",
  no_access: "we could not claim it, because you have not given us access to your isapre (private health insurer)",
  no_receipt: "we could not claim it, because the clinic has not sent us your receipt",
  no_document: "we could not claim it, because the clinic has not sent us a missing document",
  access_blocked: "your isapre (private health insurer) blocked our access",
  portal_down: "we could not claim it, because the site of your isapre (private health insurer) is not working",
  withdrawn: "we did not claim it, because we no longer have your authorization",
  not_followed:
    "we do not know whether your isapre (private health insurer) has answered, because we no longer have your authorization to ask it",
  taken_back: "we withdrew the claim from your isapre (private health insurer)",
  given_up: "it could not be claimed",
};
