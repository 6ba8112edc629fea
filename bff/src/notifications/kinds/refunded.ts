import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import type { MailWords, NotificationDefinition } from "../notification-definition.ts";
import type { Upcoming } from "./upcoming.ts";

/** An amount with the commission in it. */
interface Returned {
  readonly amount: Clp;
  readonly commission: Clp;
}

/** The clinic has refunded an order, in part or as a whole; what each sum is, is computed from what was moved. */
export interface Refunded {
  readonly firstName: string;
  readonly clinic: string;
  /** The refunded part of the price. */
  readonly price: Clp;
  /** What is not charged later any more. */
  readonly offLaterCharge: Returned;
  /** The charge that is still to come. */
  readonly upcoming: Upcoming;
  readonly toCards: readonly (Returned & { readonly cardEnding: string })[];
  /** What the patient's bank had given back before. */
  readonly byBank: Returned;
  /** What the patient gets by bank transfer, and why it goes back to no card. */
  readonly byTransfer: Returned;
  readonly transferredBecause: readonly ("card_takes_no_part" | "paid_without_card")[];
}

/** In the Spanish text, *reembolso* is the insurer's reimbursement and *devolución* the clinic's refund. */
export const refunded: NotificationDefinition<Refunded> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: {
    words: {
      "es-CL": (facts) =>
        `hicimos una devolución de tu pago: ${inShort(facts, "es-CL")}. El detalle está en tu correo.`,
      en: (facts) => `we made a refund of your payment: ${inShort(facts, "en")}. The details are in your e-mail.`,
    },
    goes: "by_day",
  },
};

function mailInSpanish(facts: Refunded): MailWords {
  const { firstName, clinic, toCards, transferredBecause } = facts;
  return {
    subject: `Devolución de tu pago en ${clinic}`,
    paragraphs: [
      `Hola, ${firstName}. ${clinic} hizo una devolución de tu pago.${ahead(facts, { none: " Ya no habrá más cobros.", in_flight: " El cobro que queda está en curso: te avisaremos cómo termina." })}`,
      ...(toCards.length > 0
        ? ["Según tu banco, lo que vuelve a tu tarjeta puede tardar algunos días en aparecer."]
        : []),
      ...transferred(transferredBecause, "es-CL"),
    ],
    table: rows(facts, "es-CL"),
  };
}

function mailInEnglish(facts: Refunded): MailWords {
  const { firstName, clinic, toCards, transferredBecause } = facts;
  return {
    subject: `Refund of your payment at ${clinic}`,
    paragraphs: [
      `Hello, ${firstName}. ${clinic} made a refund of your payment.${ahead(facts, { none: " There will be no more charges.", in_flight: " The charge that is left is in progress: we will tell you how it ends." })}`,
      ...(toCards.length > 0
        ? ["Depending on your bank, what goes back to your card may take some days to appear."]
        : []),
      ...transferred(transferredBecause, "en"),
    ],
    table: rows(facts, "en"),
  };
}

/** What is said of a refund that took something off the later charge, by what is left of it. */
function ahead(
  { offLaterCharge, upcoming }: Refunded,
  words: Readonly<Partial<Record<Upcoming["kind"], string>>>,
): string {
  return offLaterCharge.amount === 0 ? "" : (words[upcoming.kind] ?? "");
}

const TRANSFERRED: Readonly<
  Record<Locale, Readonly<Record<Refunded["transferredBecause"][number] | "account", string>>>
> = {
  "es-CL": {
    card_takes_no_part: "Tu tarjeta no permite devolver una parte, así que te la transferiremos.",
    paid_without_card: "Lo que pagaste sin tarjeta te lo transferiremos.",
    account: "Te escribiremos para pedirte la cuenta.",
  },
  en: {
    card_takes_no_part: "Your card cannot take a part back, so we will transfer it to you.",
    paid_without_card: "What you paid without a card we will transfer to you.",
    account: "We will write to you to ask for your account.",
  },
};

/** Why something is transferred, and what the patient has to expect; nothing where nothing is. */
function transferred(because: Refunded["transferredBecause"], locale: Locale): readonly string[] {
  const words = TRANSFERRED[locale];
  return because.length === 0 ? [] : [[...because.map((reason) => words[reason]), words.account].join(" ")];
}

type Words = Readonly<
  Record<"price" | "off" | "later" | "left" | "inFlight" | "byBank" | "byTransfer" | "commission", string>
> & {
  readonly toCard: (ending: string) => string;
};

const WORDS: Readonly<Record<Locale, { readonly table: Words; readonly short: Omit<Words, "price" | "commission"> }>> =
  {
    "es-CL": {
      table: {
        price: "Devolución de la atención",
        off: "Ya no se cobra",
        later: "El cobro que queda es ahora de",
        left: "Lo que queda por pagar es ahora",
        inFlight: "Cobro en curso",
        toCard: (ending) => `Vuelve a tu tarjeta terminada en ${ending}`,
        byBank: "Tu banco ya te lo había devuelto",
        byTransfer: "Te lo transferiremos",
        commission: "Comisión incluida",
      },
      short: {
        off: "ya no se cobran",
        later: "queda un cobro de",
        left: "quedan por pagar",
        inFlight: "está en curso un cobro de",
        toCard: (ending) => `vuelven a tu tarjeta terminada en ${ending}`,
        byBank: "ya te los había devuelto tu banco",
        byTransfer: "te los transferiremos",
      },
    },
    en: {
      table: {
        price: "Refund of the consultation",
        off: "Not charged any more",
        later: "The charge that is left is now",
        left: "What is left to pay is now",
        inFlight: "Charge in progress",
        toCard: (ending) => `Goes back to your card ending in ${ending}`,
        byBank: "Your bank had given it back already",
        byTransfer: "We will transfer it to you",
        commission: "Commission included",
      },
      short: {
        off: "not charged any more",
        later: "the charge that is left is",
        left: "what is left to pay is",
        inFlight: "a charge is in progress, of",
        toCard: (ending) => `goes back to your card ending in ${ending}`,
        byBank: "was given back by your bank before",
        byTransfer: "we will transfer to you",
      },
    },
  };

/** Each sum that is not 0, with the commission in it. */
function rows(facts: Refunded, locale: Locale): readonly (readonly [string, string])[] {
  const words = WORDS[locale].table;
  const row = (label: string, { amount, commission }: Returned): (readonly [string, string])[] => {
    if (amount === 0) return [];
    const within = commission === 0 ? [] : [[words.commission, formatClp(commission)] as const];
    return [[label, formatClp(amount)], ...within];
  };
  return [
    [words.price, formatClp(facts.price)],
    ...row(words.off, facts.offLaterCharge),
    ...leftOf(facts, words).flatMap(([label, left]) => row(label, left)),
    ...facts.toCards.flatMap((card) => row(words.toCard(card.cardEnding), card)),
    ...row(words.byBank, facts.byBank),
    ...row(words.byTransfer, facts.byTransfer),
  ];
}

/** What is left of the later charge after something was taken off it, with its label; nothing if nothing is left. */
function leftOf(
  { offLaterCharge, upcoming }: Refunded,
  { later, left, inFlight }: Pick<Words, "later" | "left" | "inFlight">,
): readonly (readonly [string, Returned])[] {
  if (offLaterCharge.amount === 0 || upcoming.kind === "none" || upcoming.amount === 0) return [];
  const label = { in_flight: inFlight, card_needed: left, on_hold: later, on_day: later, by_day: later }[upcoming.kind];
  return [[label, upcoming]];
}

function inShort(facts: Refunded, locale: Locale): string {
  const words = WORDS[locale].short;
  const line = (label: string, { amount }: Returned) => (amount === 0 ? [] : [`${formatClp(amount)} ${label}`]);
  return [
    ...line(words.off, facts.offLaterCharge),
    ...leftOf(facts, words).map(([label, { amount }]) => `${label} ${formatClp(amount)}`),
    ...facts.toCards.flatMap((card) => line(words.toCard(card.cardEnding), card)),
    ...line(words.byBank, facts.byBank),
    ...line(words.byTransfer, facts.byTransfer),
  ].join(", ");
}
