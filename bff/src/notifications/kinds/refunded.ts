import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import type { MailWords, NotificationDefinition } from "../notification-definition.ts";

/** An amount with the commission in it. */
interface Told {
  readonly amount: Clp;
  readonly commission: Clp;
}

/** The clinic has refunded an order, in part or as a whole; what each sum is, is computed from what was moved. */
export interface Refunded {
  readonly firstName: string;
  readonly clinic: string;
  /** The refunded part of the price. */
  readonly price: Clp;
  /** What is not charged later any more, and what the later charge is now; 0 if nothing is charged. */
  readonly offLaterCharge: Told;
  readonly laterCharge: Told;
  /** A charge was sent to the card and has no outcome yet. */
  readonly isCharging: boolean;
  /** The patient has revoked the mandate for that charge: it is left to pay otherwise. */
  readonly isMandateRevoked: boolean;
  readonly toCards: readonly (Told & { readonly cardEnding: string })[];
  /** What the patient's bank had given back before. */
  readonly byBank: Told;
  /** What the patient gets by bank transfer, and why it goes back to no card. */
  readonly byTransfer: Told;
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
      `Hola, ${firstName}. ${clinic} hizo una devolución de tu pago.${noChargeLeft(facts, "es-CL")}`,
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
      `Hello, ${firstName}. ${clinic} made a refund of your payment.${noChargeLeft(facts, "en")}`,
      ...(toCards.length > 0
        ? ["Depending on your bank, what goes back to your card may take some days to appear."]
        : []),
      ...transferred(transferredBecause, "en"),
    ],
    table: rows(facts, "en"),
  };
}

const NO_CHARGE_LEFT: Readonly<Record<Locale, { readonly over: string; readonly inFlight: string }>> = {
  "es-CL": {
    over: " Ya no habrá más cobros.",
    inFlight: " El cobro que queda está en curso: te avisaremos cómo termina.",
  },
  en: {
    over: " There will be no more charges.",
    inFlight: " The charge that is left is in progress: we will tell you how it ends.",
  },
};

/** What follows a refund that took something off the later charge and left nothing to start. */
function noChargeLeft({ offLaterCharge, laterCharge, isCharging }: Refunded, locale: Locale): string {
  if (offLaterCharge.amount === 0 || laterCharge.amount > 0) return "";
  return NO_CHARGE_LEFT[locale][isCharging ? "inFlight" : "over"];
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

type Words = Readonly<Record<"price" | "off" | "later" | "left" | "byBank" | "byTransfer" | "commission", string>> & {
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
        toCard: (ending) => `Vuelve a tu tarjeta terminada en ${ending}`,
        byBank: "Tu banco ya te lo había devuelto",
        byTransfer: "Te lo transferiremos",
        commission: "Comisión incluida",
      },
      short: {
        off: "ya no se cobran",
        later: "queda un cobro de",
        left: "quedan por pagar",
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
        toCard: (ending) => `Goes back to your card ending in ${ending}`,
        byBank: "Your bank had given it back already",
        byTransfer: "We will transfer it to you",
        commission: "Commission included",
      },
      short: {
        off: "not charged any more",
        later: "the charge that is left is",
        left: "what is left to pay is",
        toCard: (ending) => `goes back to your card ending in ${ending}`,
        byBank: "was given back by your bank before",
        byTransfer: "we will transfer to you",
      },
    },
  };

/** Each sum that is not 0, with the commission in it. */
function rows(facts: Refunded, locale: Locale): readonly (readonly [string, string])[] {
  const words = WORDS[locale].table;
  const row = (label: string, { amount, commission }: Told): (readonly [string, string])[] => {
    if (amount === 0) return [];
    const within = commission === 0 ? [] : [[words.commission, formatClp(commission)] as const];
    return [[label, formatClp(amount)], ...within];
  };
  return [
    [words.price, formatClp(facts.price)],
    ...row(words.off, facts.offLaterCharge),
    ...(facts.offLaterCharge.amount === 0
      ? []
      : row(facts.isMandateRevoked ? words.left : words.later, facts.laterCharge)),
    ...facts.toCards.flatMap((card) => row(words.toCard(card.cardEnding), card)),
    ...row(words.byBank, facts.byBank),
    ...row(words.byTransfer, facts.byTransfer),
  ];
}

function inShort(facts: Refunded, locale: Locale): string {
  const words = WORDS[locale].short;
  const said = (label: string, { amount }: Told) => (amount === 0 ? [] : [`${formatClp(amount)} ${label}`]);
  return [
    ...said(words.off, facts.offLaterCharge),
    ...(facts.offLaterCharge.amount === 0 || facts.laterCharge.amount === 0
      ? []
      : [`${facts.isMandateRevoked ? words.left : words.later} ${formatClp(facts.laterCharge.amount)}`]),
    ...facts.toCards.flatMap((card) => said(words.toCard(card.cardEnding), card)),
    ...said(words.byBank, facts.byBank),
    ...said(words.byTransfer, facts.byTransfer),
  ].join(", ");
}
