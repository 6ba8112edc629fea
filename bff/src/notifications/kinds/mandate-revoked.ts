import { ACCESS_BLOCKED_DAYS } from "../../contract/terms.ts";
import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { type MailWords, type NotificationDefinition, shortMessage } from "../notification-definition.ts";
import { commissionRow } from "./rows.ts";

/** The mandate to charge the card later was revoked; the debt stays. */
export interface MandateRevoked {
  readonly firstName: string;
  readonly clinic: string;
  readonly amount: Clp;
  /** The commission included in the amount. */
  readonly commission: Clp;
  readonly cardEnding: string;
  /** A refund of the amount failed, so that it is owed again. */
  readonly isRefundFailed: boolean;
  /** A chargeback or a refund holds the charge: nothing is to be paid until it ends. */
  readonly isOnHold: boolean;
  /** The latest day to pay; null if it is due now or on hold. */
  readonly latestDay: CalendarDay | null;
  /** The insurer's approval or blocked access may still make it due before that day. */
  readonly mayComeEarlier: boolean;
  /** Where the patient can give another card; null if it is on hold, or the clinic has no widget to open. */
  readonly cardUrl: string | null;
}

const DUE = {
  "es-CL": {
    now: " y ya corresponde pagarlos",
    by: (day: string) => `, que vencen a más tardar el ${day}`,
    onHold: ", pero por ahora no tienes que pagarlos",
  },
  en: {
    now: ", which is due now",
    by: (day: string) => `, due on ${day} at the latest`,
    onHold: ", but you do not have to pay it for now",
  },
} as const satisfies Readonly<Record<Locale, object>>;

export const mandateRevoked: NotificationDefinition<MandateRevoked> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: shortMessage({
    values: (facts, locale) => ({
      cardEnding: facts.cardEnding,
      debt: `${formatClp(facts.amount)}${dueInShort(facts, locale)}`,
    }),
    words: {
      "es-CL": ({ cardEnding, debt }) =>
        `no cobraremos tu tarjeta terminada en ${cardEnding}, porque retiraste la autorización. Debes ${debt}.`,
      en: ({ cardEnding, debt }) =>
        `we will not charge your card ending in ${cardEnding}, because you withdrew the authorization. You owe ${debt}.`,
    },
    goes: "by_day",
  }),
};

function dueInShort({ isOnHold, latestDay }: MandateRevoked, locale: Locale): string {
  const words = DUE[locale];
  if (isOnHold) return words.onHold;
  return latestDay === null ? words.now : words.by(dayInWords(latestDay, locale));
}

function mailInSpanish(facts: MandateRevoked): MailWords {
  const {
    firstName,
    clinic,
    amount,
    commission,
    cardEnding,
    isRefundFailed,
    isOnHold,
    latestDay,
    mayComeEarlier,
    cardUrl,
  } = facts;
  const isDue = latestDay === null && !isOnHold;
  const way =
    cardUrl === null
      ? "Escríbenos para pagarlo."
      : `Para pagarlo, ingresa otra tarjeta con este botón: ${latestDay === null ? "se cobra al ingresarla" : "se cobrará en ella cuando corresponda"}. Si prefieres pagar de otra forma, escríbenos.`;
  return {
    subject: isRefundFailed
      ? "No se pudo hacer una devolución de tu pago"
      : isDue
        ? "Ya corresponde pagar el resto de tu atención"
        : "Retiraste la autorización para cobrar tu tarjeta",
    paragraphs: [
      `Hola, ${firstName}. ${isRefundFailed ? `No se pudo hacer una devolución de tu pago en ${clinic}. ` : ""}Como retiraste la autorización, no haremos ningún cobro más en tu tarjeta terminada en ${cardEnding}.`,
      ...(isOnHold
        ? [
            `Todavía debes el resto de tu atención en ${clinic}, pero por ahora no tienes que pagarlo. Te escribiremos cuando corresponda.`,
          ]
        : [
            latestDay === null
              ? `Ya corresponde pagar el resto de tu atención en ${clinic}.`
              : `Todavía debes el resto de tu atención en ${clinic}. Vence ${mayComeEarlier ? `cuando tu isapre apruebe el reembolso, si nos bloquea el acceso ${ACCESS_BLOCKED_DAYS} días seguidos o, a más tardar,` : "a más tardar"} el ${dayInWords(latestDay, "es-CL")}.`,
            way,
          ]),
    ],
    amounts: [["Debes", formatClp(amount)]],
    table: commissionRow("es-CL", commission),
    ...(cardUrl === null ? {} : { link: { label: "Ingresar otra tarjeta", url: cardUrl } }),
    attached: ["calendar"],
  };
}

function mailInEnglish(facts: MandateRevoked): MailWords {
  const {
    firstName,
    clinic,
    amount,
    commission,
    cardEnding,
    isRefundFailed,
    isOnHold,
    latestDay,
    mayComeEarlier,
    cardUrl,
  } = facts;
  const isDue = latestDay === null && !isOnHold;
  const way =
    cardUrl === null
      ? "Write to us to pay it."
      : `To pay it, add another card with this button: it is charged ${latestDay === null ? "when you add it" : "when the payment is due"}. To pay in another way, write to us.`;
  return {
    subject: isRefundFailed
      ? "A refund of your payment could not be made"
      : isDue
        ? "The rest of your consultation is due now"
        : "You withdrew the authorization to charge your card",
    paragraphs: [
      `Hello, ${firstName}. ${isRefundFailed ? `A refund of your payment at ${clinic} could not be made. ` : ""}You withdrew the authorization, so we will not charge your card ending in ${cardEnding} again.`,
      ...(isOnHold
        ? [
            `The rest of your consultation at ${clinic} is still owed, but you do not have to pay it for now. We will write to you when it is due.`,
          ]
        : [
            latestDay === null
              ? `The rest of your consultation at ${clinic} is due now.`
              : `The rest of your consultation at ${clinic} is still owed. It is due ${mayComeEarlier ? `when your isapre (private health insurer) approves the reimbursement, if it blocks our access for ${ACCESS_BLOCKED_DAYS} days in a row or, at the latest, on` : "by"} ${dayInWords(latestDay, "en")}.`,
            way,
          ]),
    ],
    amounts: [["You owe", formatClp(amount)]],
    table: commissionRow("en", commission),
    ...(cardUrl === null ? {} : { link: { label: "Add another card", url: cardUrl } }),
    attached: ["calendar"],
  };
}
