import { ACCESS_BLOCKED_DAYS } from "../../contract/terms.ts";
import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { dayInWords } from "../day-in-words.ts";
import type { MailWords, NotificationDefinition } from "../notification-definition.ts";
import { cardRow, chargeRows } from "./rows.ts";

/** Why there is no approval on the latest day. */
export type UnapprovedBecause =
  | "rejected"
  | "no_answer"
  | "no_access"
  | "no_receipt"
  | "no_document"
  | "access_blocked"
  | "portal_down"
  | "withdrawn";

/** Why a charge comes that could not be made when it was due: what had made it due. */
export type ResumedBecause = "approved" | "access_was_blocked" | "latest_day_over";

/**
 * Announces a charge that the patient does not start: that of the latest day, because the insurer has not approved the
 * claim, or one that could not be made when it was due.
 */
export interface ChargeAnnounced {
  readonly firstName: string;
  readonly clinic: string;
  readonly amount: Clp;
  readonly commission: Clp;
  readonly because: UnapprovedBecause | ResumedBecause;
  /** The insurer's approval or blocked access may still make it due earlier. */
  readonly mayComeEarlier: boolean;
  readonly day: CalendarDay;
  readonly cardEnding: string;
  /** Where the patient can pay earlier; null if the clinic has no widget to open. */
  readonly payUrl: string | null;
}

export const chargeAnnounced: NotificationDefinition<ChargeAnnounced> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: {
    words: {
      "es-CL": ({ amount, day, mayComeEarlier, cardEnding, payUrl }) =>
        `el ${dayInWords(day, "es-CL")}${mayComeEarlier ? ", o antes si tu isapre aprueba," : ""} cobraremos ${formatClp(amount)} en tu tarjeta terminada en ${cardEnding}.${payUrl === null ? "" : " Si quieres pagar antes, usa el botón que está en tu correo."}`,
      en: ({ amount, day, mayComeEarlier, cardEnding, payUrl }) =>
        `on ${dayInWords(day, "en")}${mayComeEarlier ? ", or earlier if your isapre approves," : ""} we will charge ${formatClp(amount)} to your card ending in ${cardEnding}.${payUrl === null ? "" : " To pay earlier, use the button in your e-mail."}`,
    },
    goes: "by_day",
  },
};

function mailInSpanish(facts: ChargeAnnounced): MailWords {
  const { firstName, amount, commission, cardEnding, payUrl } = facts;
  const day = dayInWords(facts.day, "es-CL");
  return {
    subject: `El ${day} haremos el cobro que queda`,
    paragraphs: [
      `Hola, ${firstName}. ${reasonInSpanish(facts)} haremos el cobro que queda el ${day}, una sola vez${facts.mayComeEarlier ? `, o antes si tu isapre aprueba el reembolso o si el acceso a tu isapre lleva ${ACCESS_BLOCKED_DAYS} días bloqueado` : ""}.`,
      `Revisa que tu tarjeta tenga cupo ese día.${payUrl === null ? "" : " También puedes pagarlo antes."}`,
    ],
    table: [...chargeRows("es-CL", amount, commission), cardRow("es-CL", cardEnding), ["Fecha", day]],
    ...(payUrl === null ? {} : { link: { label: "Pagar ahora", url: payUrl } }),
  };
}

/** Ends where the charge is named. */
function reasonInSpanish({ clinic, because }: ChargeAnnounced): string {
  switch (because) {
    case "approved":
      return `Tu isapre aprobó el reembolso de tu atención en ${clinic}, y el cobro que quedaba no se hizo:`;
    case "access_was_blocked":
      return `El acceso con que seguimos el reembolso de tu atención en ${clinic} estuvo bloqueado, y el cobro que quedaba no se hizo:`;
    case "latest_day_over":
      return `Pasó el plazo que aceptaste al pagar tu atención en ${clinic}, y el cobro que quedaba no se hizo:`;
    default:
      return `El reembolso de tu atención en ${clinic} no está aprobado: ${BECAUSE_IN_SPANISH[because]}. Se acaba el plazo que aceptaste al pagar, y por eso`;
  }
}

const BECAUSE_IN_SPANISH: Readonly<Record<UnapprovedBecause, string>> = {
  rejected: "tu isapre lo rechazó",
  no_answer: "tu isapre no ha respondido",
  no_access: "no lo hemos podido pedir, porque no nos has dado acceso a tu isapre",
  no_receipt: "no lo hemos podido pedir, porque la clínica no nos ha enviado tu boleta",
  no_document: "no lo hemos podido pedir, porque la clínica no nos ha enviado un documento que falta",
  access_blocked: "tu isapre bloqueó el acceso con que lo seguimos",
  portal_down: "no lo hemos podido pedir, porque el portal de tu isapre no funciona",
  withdrawn: "no lo pedimos, porque ya no tenemos tu autorización",
};

function mailInEnglish(facts: ChargeAnnounced): MailWords {
  const { firstName, amount, commission, cardEnding, payUrl } = facts;
  const day = dayInWords(facts.day, "en");
  return {
    subject: `On ${day} we will make the charge that is left`,
    paragraphs: [
      `Hello, ${firstName}. ${reasonInEnglish(facts)} we will make the charge that is left on ${day}, once${facts.mayComeEarlier ? `, or earlier if your isapre approves the reimbursement or access to it has been blocked for ${ACCESS_BLOCKED_DAYS} days` : ""}.`,
      `Check that your card has enough credit on that day.${payUrl === null ? "" : " You can also pay earlier."}`,
    ],
    table: [...chargeRows("en", amount, commission), cardRow("en", cardEnding), ["Date", day]],
    ...(payUrl === null ? {} : { link: { label: "Pay now", url: payUrl } }),
  };
}

/** Ends where the charge is named. */
function reasonInEnglish({ clinic, because }: ChargeAnnounced): string {
  switch (because) {
    case "approved":
      return `Your isapre approved the reimbursement of your consultation at ${clinic}, and the charge that was left was not made:`;
    case "access_was_blocked":
      return `The access with which we follow the reimbursement of your consultation at ${clinic} was blocked, and the charge that was left was not made:`;
    case "latest_day_over":
      return `The time that you accepted when you paid for your consultation at ${clinic} is over, and the charge that was left was not made:`;
    default:
      return `The reimbursement of your consultation at ${clinic} is not approved: ${BECAUSE_IN_ENGLISH[because]}. The time that you accepted when you paid is ending, so`;
  }
}

const BECAUSE_IN_ENGLISH: Readonly<Record<UnapprovedBecause, string>> = {
  rejected: "your isapre rejected it",
  no_answer: "your isapre has not answered",
  no_access: "we could not claim it, because you have not given us access to your isapre",
  no_receipt: "we could not claim it, because the clinic has not sent us your receipt",
  no_document: "we could not claim it, because the clinic has not sent us a document that is missing",
  access_blocked: "your isapre blocked the access with which we follow it",
  portal_down: "we could not claim it, because the portal of your isapre is not working",
  withdrawn: "we do not claim it, because we no longer have your permission",
};
