import { ACCESS_BLOCKED_DAYS } from "../../contract/terms.ts";
import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { dayInWords } from "../day-in-words.ts";
import type { MailWords, NotificationDefinition } from "../notification-definition.ts";
import { commissionRow } from "./rows.ts";

/** The mandate to charge the card later was revoked; what is owed stays. */
export interface MandateRevoked {
  readonly firstName: string;
  readonly clinic: string;
  readonly amount: Clp;
  /** The commission in it. */
  readonly commission: Clp;
  readonly cardEnding: string;
  /** The latest day to pay; null if it is due now. */
  readonly latestDay: CalendarDay | null;
  /** Where the patient can give another card; null if the clinic has no widget to open. */
  readonly cardUrl: string | null;
}

export const mandateRevoked: NotificationDefinition<MandateRevoked> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: {
    words: {
      "es-CL": ({ amount, cardEnding, latestDay }) =>
        `no cobraremos tu tarjeta terminada en ${cardEnding}, porque retiraste la autorización. Debes ${formatClp(amount)}${latestDay === null ? " y ya corresponde pagarlos" : `, a más tardar el ${dayInWords(latestDay, "es-CL")}`}. En tu correo te decimos cómo pagar.`,
      en: ({ amount, cardEnding, latestDay }) =>
        `we will not charge your card ending in ${cardEnding}, because you withdrew the authority. You owe ${formatClp(amount)}${latestDay === null ? ", which is due now" : `, on ${dayInWords(latestDay, "en")} at the latest`}. Your e-mail says how to pay.`,
    },
    goes: "by_day",
  },
};

function mailInSpanish(facts: MandateRevoked): MailWords {
  const { firstName, clinic, amount, commission, cardEnding, latestDay, cardUrl } = facts;
  const way =
    cardUrl === null
      ? "Escríbenos para pagarlo."
      : "Para pagarlo, ingresa otra tarjeta con este botón: el cobro se hará en ella. Si prefieres pagar de otra forma, escríbenos.";
  return {
    subject:
      latestDay === null
        ? "Ya corresponde pagar lo que queda de tu atención"
        : "Retiraste la autorización para cobrar tu tarjeta",
    paragraphs: [
      `Hola, ${firstName}. Como retiraste la autorización, no haremos ningún cobro más en tu tarjeta terminada en ${cardEnding}.`,
      latestDay === null
        ? `Lo que queda de tu atención en ${clinic} ya se debe.`
        : `Lo que queda de tu atención en ${clinic} se sigue debiendo. Se paga cuando tu isapre apruebe el reembolso, si el acceso a tu isapre lleva ${ACCESS_BLOCKED_DAYS} días bloqueado o, a más tardar, el ${dayInWords(latestDay, "es-CL")}.`,
      way,
    ],
    table: [["Debes", formatClp(amount)], ...commissionRow("Comisión incluida", commission)],
    ...(cardUrl === null ? {} : { link: { label: "Ingresar otra tarjeta", url: cardUrl } }),
  };
}

function mailInEnglish(facts: MandateRevoked): MailWords {
  const { firstName, clinic, amount, commission, cardEnding, latestDay, cardUrl } = facts;
  const way =
    cardUrl === null
      ? "Write to us to pay it."
      : "To pay it, give another card with this button: it will be charged. If you prefer to pay in another way, write to us.";
  return {
    subject:
      latestDay === null
        ? "What is left of your consultation is due now"
        : "You withdrew the authority to charge your card",
    paragraphs: [
      `Hello, ${firstName}. As you withdrew the authority, we will make no more charges to your card ending in ${cardEnding}.`,
      latestDay === null
        ? `What is left of your consultation at ${clinic} is due now.`
        : `What is left of your consultation at ${clinic} is still owed. It is to be paid when your isapre approves the reimbursement, if the access to your isapre has been blocked for ${ACCESS_BLOCKED_DAYS} days or, at the latest, on ${dayInWords(latestDay, "en")}.`,
      way,
    ],
    table: [["You owe", formatClp(amount)], ...commissionRow("Commission included", commission)],
    ...(cardUrl === null ? {} : { link: { label: "Give another card", url: cardUrl } }),
  };
}
