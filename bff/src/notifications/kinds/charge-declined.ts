import type { DeclineLimit, DeclineReason } from "../../contract/errors.ts";
import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import {
  type InEachLanguage,
  type MailWords,
  type NotificationDefinition,
  shortMessage,
} from "../notification-definition.ts";
import { cardRow, chargeAmount } from "./rows.ts";

/** What happens after a declined charge. */
export type NextCharge =
  | { readonly kind: "tried_again"; readonly day: CalendarDay; readonly amount: Clp }
  /** The patient had requested this charge; the amount is still due on this day at the latest. */
  | { readonly kind: "as_before"; readonly day: CalendarDay }
  /** This card is never charged again. */
  | { readonly kind: "given_up" }
  /** No charge is currently due. A later one is announced first. */
  | { readonly kind: "paused" };

/** The charge of the deferred part was declined. */
export interface ChargeDeclined {
  readonly firstName: string;
  readonly clinic: string;
  readonly amount: Clp;
  /** The day of the declined charge. */
  readonly day: CalendarDay;
  readonly reason: DeclineReason;
  /** The card limit that the charge exceeded; null if the bank does not report it. */
  readonly limit?: DeclineLimit | null;
  readonly cardEnding: string;
  readonly next: NextCharge;
  /** Where the patient can change the card; null if the clinic has no widget to open. */
  readonly cardUrl: string | null;
}

const NEXT_IN_SHORT: InEachLanguage<NextCharge, string> = { "es-CL": nextInShortSpanish, en: nextInShortEnglish };

export const chargeDeclined: NotificationDefinition<ChargeDeclined> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: shortMessage({
    values: ({ amount, cardEnding, next }, locale) => ({
      amount: formatClp(amount),
      cardEnding,
      next: NEXT_IN_SHORT[locale](next),
    }),
    words: {
      "es-CL": ({ amount, cardEnding, next }) =>
        `no pudimos cobrar ${amount} en tu tarjeta terminada en ${cardEnding}. ${next}`,
      en: ({ amount, cardEnding, next }) =>
        `we could not charge ${amount} to your card ending in ${cardEnding}. ${next}`,
    },
    goes: "by_day",
  }),
};

function mailInSpanish({
  firstName,
  clinic,
  amount,
  day,
  reason,
  limit,
  cardEnding,
  next,
  cardUrl,
}: ChargeDeclined): MailWords {
  return {
    subject: "No pudimos hacer el segundo cobro",
    paragraphs: [
      `Hola, ${firstName}. Intentamos hacer el segundo cobro de tu atención en ${clinic}, y no resultó: ${limit == null ? REASONS_IN_SPANISH[reason] : LIMITS_IN_SPANISH[limit]}`,
      nextInSpanish(next, cardUrl),
    ],
    amounts: [chargeAmount("es-CL", amount)],
    table: [["Intentado el", dayInWords(day, "es-CL")], cardRow("es-CL", cardEnding)],
    ...(cardUrl === null ? {} : { link: { label: "Cambiar mi tarjeta", url: cardUrl } }),
    attached: ["calendar"],
  };
}

function nextInSpanish(next: NextCharge, cardUrl: string | null): string {
  switch (next.kind) {
    case "tried_again":
      return `Intentaremos cobrar ${formatClp(next.amount)} de nuevo el ${dayInWords(next.day, "es-CL")}. Si prefieres otra tarjeta, cámbiala antes.`;
    case "as_before":
      return `El segundo cobro sigue pendiente: lo haremos a más tardar el ${dayInWords(next.day, "es-CL")}. Si prefieres otra tarjeta, cámbiala antes.`;
    case "given_up":
      return `No lo intentaremos de nuevo con esta tarjeta, y el monto sigue pendiente. ${cardUrl === null ? "Escríbenos para pagarlo." : "Para pagarlo, ingresa otra tarjeta con este botón: se cobrará en ella. Si prefieres pagar de otra forma, escríbenos."}`;
    case "paused":
      return "El monto sigue pendiente. Si lo intentamos de nuevo, te avisaremos al menos el día antes.";
  }
}

/** The reasons, worded so that the patient knows what to do. */
const REASONS_IN_SPANISH: Readonly<Record<DeclineReason, string>> = {
  declined: "tu banco no lo aprobó. Pregúntale por qué.",
  insufficient_funds: "la tarjeta no tenía cupo suficiente.",
  card_expired: "la tarjeta está vencida.",
  card_lost_or_stolen: "la tarjeta figura como perdida o robada.",
  card_blocked: "la tarjeta está bloqueada. Habla con tu banco.",
  security_code_wrong: "tu banco no reconoció los datos de la tarjeta.",
  authentication_failed: "tu banco no pudo confirmar que eras tú.",
  authentication_abandoned: "tu banco no pudo confirmar que eras tú.",
};

const LIMITS_IN_SPANISH: Readonly<Record<DeclineLimit, string>> = {
  amount: "tu tarjeta tiene un límite por compra o por día menor que este monto. Puedes subirlo en la app de tu banco.",
  uses: "tu tarjeta llegó al máximo de usos que permite tu banco. Puedes subirlo en su app.",
};

function mailInEnglish({
  firstName,
  clinic,
  amount,
  day,
  reason,
  limit,
  cardEnding,
  next,
  cardUrl,
}: ChargeDeclined): MailWords {
  return {
    subject: "We could not make the second charge",
    paragraphs: [
      `Hello, ${firstName}. We tried to make the second charge for your consultation at ${clinic}, and it failed: ${limit == null ? REASONS_IN_ENGLISH[reason] : LIMITS_IN_ENGLISH[limit]}`,
      nextInEnglish(next, cardUrl),
    ],
    amounts: [chargeAmount("en", amount)],
    table: [["Tried on", dayInWords(day, "en")], cardRow("en", cardEnding)],
    ...(cardUrl === null ? {} : { link: { label: "Change my card", url: cardUrl } }),
    attached: ["calendar"],
  };
}

function nextInEnglish(next: NextCharge, cardUrl: string | null): string {
  switch (next.kind) {
    case "tried_again":
      return `We will try to charge ${formatClp(next.amount)} again on ${dayInWords(next.day, "en")}. If you prefer another card, change it before then.`;
    case "as_before":
      return `The second charge is still to come: we will make it on ${dayInWords(next.day, "en")} at the latest. If you prefer another card, change it before then.`;
    case "given_up":
      return `We will not try again with this card, and the amount is still owed. ${cardUrl === null ? "Write to us to pay it." : "To pay it, add another card with this button, and we will charge it. To pay in another way, write to us."}`;
    case "paused":
      return "The amount is still owed. If we try again, we will tell you at least the day before.";
  }
}

const REASONS_IN_ENGLISH: Readonly<Record<DeclineReason, string>> = {
  declined: "your bank did not approve it. Ask your bank why.",
  insufficient_funds: "the card did not have enough available credit.",
  card_expired: "the card has expired.",
  card_lost_or_stolen: "the card is reported as lost or stolen.",
  card_blocked: "the card is blocked. Talk to your bank.",
  security_code_wrong: "your bank did not recognise the card's details.",
  authentication_failed: "your bank could not confirm that it was you.",
  authentication_abandoned: "your bank could not confirm that it was you.",
};

const LIMITS_IN_ENGLISH: Readonly<Record<DeclineLimit, string>> = {
  amount: "your card has a limit per purchase or per day below this amount. You can raise it in your bank's app.",
  uses: "your card has reached its usage limit. You can raise it in your bank's app.",
};

function nextInShortSpanish(next: NextCharge): string {
  switch (next.kind) {
    case "tried_again":
      return `Lo intentaremos de nuevo el ${dayInWords(next.day, "es-CL")}.`;
    case "as_before":
      return `El cobro sigue como antes: a más tardar el ${dayInWords(next.day, "es-CL")}.`;
    case "given_up":
      return "No lo intentaremos de nuevo con ella.";
    case "paused":
      return "Si lo intentamos de nuevo, te avisaremos antes.";
  }
}

function nextInShortEnglish(next: NextCharge): string {
  switch (next.kind) {
    case "tried_again":
      return `We will try again on ${dayInWords(next.day, "en")}.`;
    case "as_before":
      return `The charge is still to come, on ${dayInWords(next.day, "en")} at the latest.`;
    case "given_up":
      return "We will not try again with it.";
    case "paused":
      return "If we try again, we will tell you first.";
  }
}
