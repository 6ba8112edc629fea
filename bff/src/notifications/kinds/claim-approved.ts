import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { dayInWords } from "../day-in-words.ts";
import type { MailWords, NotificationDefinition } from "../notification-definition.ts";
import { cardRow, chargeRows } from "./rows.ts";

/** The insurer has approved a claim. */
export interface ClaimApproved {
  readonly firstName: string;
  readonly clinic: string;
  readonly insurer: string;
  readonly reimbursed: Clp;
  /** The charge that the approval makes due, on that day; null if it was due already or is not made then. */
  readonly charge: {
    readonly amount: Clp;
    readonly commission: Clp;
    readonly cardEnding: string;
    readonly day: CalendarDay;
  } | null;
}

export const claimApproved: NotificationDefinition<ClaimApproved> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: {
    // It may come on the morning after the charge.
    words: {
      "es-CL": ({ insurer, charge }) =>
        `${insurer} aprobó tu reembolso.${charge === null ? "" : ` Cobro de lo que quedaba de tu pago: ${formatClp(charge.amount)}, el ${dayInWords(charge.day, "es-CL")}.`}`,
      en: ({ insurer, charge }) =>
        `${insurer} approved your reimbursement.${charge === null ? "" : ` Charge of what was left of your payment: ${formatClp(charge.amount)}, on ${dayInWords(charge.day, "en")}.`}`,
    },
    goes: "by_day",
  },
};

function mailInSpanish({ firstName, clinic, insurer, reimbursed, charge }: ClaimApproved): MailWords {
  return {
    subject: "Aprobaron tu reembolso",
    paragraphs: [
      `Hola, ${firstName}. ${insurer} aprobó el reembolso de tu atención en ${clinic}. El dinero te lo paga tu isapre, en la forma que tengas acordada con ella.`,
      ...(charge === null
        ? []
        : [
            `Con eso, el ${dayInWords(charge.day, "es-CL")} se hace el cobro que quedaba pendiente de tu pago. Te avisaremos cuando esté hecho.`,
          ]),
    ],
    ...tableOf("es-CL", "Reembolso de tu isapre", { reimbursed, charge }),
  };
}

function mailInEnglish({ firstName, clinic, insurer, reimbursed, charge }: ClaimApproved): MailWords {
  return {
    subject: "Your reimbursement was approved",
    paragraphs: [
      `Hello, ${firstName}. ${insurer} approved the reimbursement of your consultation at ${clinic}. Your isapre pays you the money, in the way that you have agreed with it.`,
      ...(charge === null
        ? []
        : [
            `With that, the charge that was left of your payment is made on ${dayInWords(charge.day, "en")}. We will tell you when it is done.`,
          ]),
    ],
    ...tableOf("en", "Reimbursement from your isapre", { reimbursed, charge }),
  };
}

function tableOf(
  locale: Locale,
  label: string,
  { reimbursed, charge }: Pick<ClaimApproved, "reimbursed" | "charge">,
): Pick<MailWords, "table"> {
  const rows = [
    ...(reimbursed > 0 ? [[label, formatClp(reimbursed)] as const] : []),
    ...(charge === null
      ? []
      : [...chargeRows(locale, charge.amount, charge.commission), cardRow(locale, charge.cardEnding)]),
  ];
  return rows.length === 0 ? {} : { table: rows };
}
