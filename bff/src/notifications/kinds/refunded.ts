import { type Clp, formatClp } from "../../contract/vocabulary/clp.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import {
  type MailWords,
  type NotificationDefinition,
  type Row,
  shortMessage,
  type Upcoming,
  undatedOf,
} from "../notification-definition.ts";
import { UNDATED } from "./rows.ts";

/** An amount, including its commission. */
interface Returned {
  readonly amount: Clp;
  readonly commission: Clp;
}

/** The clinic has refunded an order, in part or in full. Each amount is computed from the money that moved. */
export interface Refunded {
  readonly firstName: string;
  readonly clinic: string;
  /** The refunded part of the price. */
  readonly price: Clp;
  /** The amount taken off the later charge. */
  readonly offLaterCharge: Returned;
  /** The charge that is still to come. */
  readonly upcoming: Upcoming;
  readonly toCards: readonly (Returned & { readonly cardEnding: string })[];
  /** The amount that the patient's bank had already returned. */
  readonly byBank: Returned;
  /** The amount that the patient gets by bank transfer, and why no card gets it. */
  readonly byTransfer: Returned;
  readonly transferredBecause: readonly ("card_takes_no_part" | "paid_without_card")[];
}

const VERB = {
  "es-CL": { made: "hicimos", recorded: "registramos" },
  en: { made: "made", recorded: "recorded" },
} as const satisfies Readonly<Record<Locale, object>>;

const NOTHING_MOVED = {
  "es-CL": {
    mail: "No hay dinero que devolverte: este monto no lo habías pagado y ya no se te cobra.",
    short: (price: string) => `${price}, que no habías pagado y ya no se te cobran`,
  },
  en: {
    mail: "There is no money to return: you had not paid this amount, and it is no longer charged.",
    short: (price: string) => `${price}, which you had not paid and no longer owe`,
  },
} as const satisfies Readonly<Record<Locale, object>>;

/** In the Spanish text, *reembolso* is the insurer's reimbursement and *devolución* the clinic's refund. */
export const refunded: NotificationDefinition<Refunded> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: shortMessage({
    values: (facts, locale) => ({
      verb: VERB[locale][isBankOnly(facts) ? "recorded" : "made"],
      sums: inShort(facts, locale),
    }),
    words: {
      "es-CL": ({ verb, sums }) => `${verb} una devolución de tu pago: ${sums}.`,
      en: ({ verb, sums }) => `we ${verb} a refund of your payment: ${sums}.`,
    },
    goes: "by_day",
  }),
};

function mailInSpanish(facts: Refunded): MailWords {
  const { firstName, clinic, toCards, transferredBecause } = facts;
  return {
    subject: `Devolución de tu pago en ${clinic}`,
    paragraphs: [
      `Hola, ${firstName}. ${isBankOnly(facts) ? `${clinic} reconoció lo que tu banco ya te había devuelto.` : `${clinic} hizo una devolución de tu pago.`}${ahead(facts, "es-CL")}`,
      ...(toCards.length > 0
        ? ["Dependiendo de tu banco, lo que vuelve a tu tarjeta puede tardar algunos días en aparecer."]
        : []),
      ...(isNothingMoved(facts) ? [NOTHING_MOVED["es-CL"].mail] : []),
      ...transferred(transferredBecause, "es-CL"),
    ],
    amounts: [[WORDS["es-CL"].table.price, formatClp(facts.price)]],
    table: rows(facts, "es-CL"),
    saysHowToPay: facts.upcoming.kind === "card_needed",
    attached: ["calendar"],
  };
}

function mailInEnglish(facts: Refunded): MailWords {
  const { firstName, clinic, toCards, transferredBecause } = facts;
  return {
    subject: `Refund of your payment at ${clinic}`,
    paragraphs: [
      `Hello, ${firstName}. ${isBankOnly(facts) ? `${clinic} acknowledged what your bank had already returned.` : `${clinic} made a refund of your payment.`}${ahead(facts, "en")}`,
      ...(toCards.length > 0
        ? ["Depending on your bank, what goes back to your card may take some days to appear."]
        : []),
      ...(isNothingMoved(facts) ? [NOTHING_MOVED.en.mail] : []),
      ...transferred(transferredBecause, "en"),
    ],
    amounts: [[WORDS.en.table.price, formatClp(facts.price)]],
    table: rows(facts, "en"),
    saysHowToPay: facts.upcoming.kind === "card_needed",
    attached: ["calendar"],
  };
}

/** The clinic returned nothing: it took over what the bank had returned. Only commission may come off later. */
function isBankOnly({ offLaterCharge: off, toCards, byTransfer, byBank }: Refunded): boolean {
  return byBank.amount > 0 && off.amount === off.commission && byTransfer.amount === 0 && toCards.length === 0;
}

/** The refunded part had been written off: the patient neither paid it nor owes it. */
function isNothingMoved({ offLaterCharge: off, toCards, byBank, byTransfer, upcoming }: Refunded): boolean {
  const isOwed = upcoming.kind !== "none" && upcoming.amount > 0;
  return !isOwed && toCards.length === 0 && off.amount + byBank.amount + byTransfer.amount === 0;
}

const NO_MORE_CHARGES = { "es-CL": "Ya no habrá más cobros.", en: "There will be no more charges." };

/** Begins with a space; empty if there is nothing to say that the amounts do not. */
function ahead({ offLaterCharge, upcoming }: Refunded, locale: Locale): string {
  if (upcoming.kind === "none") return offLaterCharge.amount === 0 ? "" : ` ${NO_MORE_CHARGES[locale]}`;
  const undated = undatedOf(upcoming);
  if (upcoming.amount === 0 || undated === null || undated.kind === "card_needed") return "";
  return ` ${UNDATED[locale][undated.kind].mail}`;
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
    card_takes_no_part: "Your card does not accept partial refunds, so we will transfer it to you.",
    paid_without_card: "We will transfer what you paid without a card.",
    account: "We will write to ask for your account.",
  },
};

/** Why an amount is transferred, and what the patient can expect; empty if none is. */
function transferred(because: Refunded["transferredBecause"], locale: Locale): readonly string[] {
  const words = TRANSFERRED[locale];
  return because.length === 0 ? [] : [[...because.map((reason) => words[reason]), words.account].join(" ")];
}

type Words = Readonly<
  Record<
    "price" | "off" | "later" | "left" | "inFlight" | "byBank" | "byTransfer" | "commission" | "onDay" | "byDay",
    string
  >
> & {
  readonly toCard: (ending: string) => string;
};

const WORDS: Readonly<
  Record<Locale, { readonly table: Words; readonly short: Omit<Words, "price" | "commission" | "onDay" | "byDay"> }>
> = {
  "es-CL": {
    table: {
      price: "Devolución de la atención",
      off: "Ya no se cobra",
      later: "El segundo cobro es ahora de",
      left: "Te queda por pagar",
      inFlight: "Segundo cobro en curso",
      toCard: (ending) => `Vuelve a tu tarjeta terminada en ${ending}`,
      byBank: "Tu banco ya te lo había devuelto",
      byTransfer: "Te lo transferiremos",
      commission: "Comisión incluida",
      onDay: "Fecha del segundo cobro",
      byDay: "A más tardar",
    },
    short: {
      off: "ya no se cobran",
      later: "el segundo cobro es de",
      left: "quedan por pagar",
      inFlight: "está en curso el segundo cobro, de",
      toCard: (ending) => `vuelven a tu tarjeta terminada en ${ending}`,
      byBank: "ya te los había devuelto tu banco",
      byTransfer: "te los transferiremos",
    },
  },
  en: {
    table: {
      price: "Refund of the consultation",
      off: "Not charged any more",
      later: "The second charge is now",
      left: "Left to pay",
      inFlight: "Second charge in progress",
      toCard: (ending) => `Goes back to your card ending in ${ending}`,
      byBank: "Your bank had already returned it",
      byTransfer: "We will transfer it to you",
      commission: "Fee included",
      onDay: "Date of the second charge",
      byDay: "At the latest",
    },
    short: {
      off: "is no longer charged",
      later: "the second charge is",
      left: "left to pay:",
      inFlight: "the second charge, in progress, is",
      toCard: (ending) => `goes back to your card ending in ${ending}`,
      byBank: "had already been returned by your bank",
      byTransfer: "will be transferred to you",
    },
  },
};

/** Each sum that is not 0, including its commission. */
function rows(facts: Refunded, locale: Locale): readonly (readonly [string, string])[] {
  const words = WORDS[locale].table;
  const row = (label: string, { amount, commission }: Returned): (readonly [string, string])[] => {
    if (amount === 0) return [];
    const within = commission === 0 ? [] : [[words.commission, formatClp(commission)] as const];
    return [[label, formatClp(amount)], ...within];
  };
  return [
    ...row(words.off, facts.offLaterCharge),
    ...leftOf(facts, words).flatMap(([label, left]) => row(label, left)),
    ...dayOf(facts, locale),
    ...facts.toCards.flatMap((card) => row(words.toCard(card.cardEnding), card)),
    ...row(words.byBank, facts.byBank),
    ...row(words.byTransfer, facts.byTransfer),
  ];
}

/** The day of the second charge, or its latest day; empty if no day is known. */
function dayOf({ upcoming }: Refunded, locale: Locale): readonly Row[] {
  if ((upcoming.kind !== "on_day" && upcoming.kind !== "by_day") || upcoming.amount === 0) return [];
  return [[WORDS[locale].table[upcoming.kind === "on_day" ? "onDay" : "byDay"], dayInWords(upcoming.day, locale)]];
}

/** The rest of the second charge, with its label; empty if there is none. */
function leftOf(
  { upcoming }: Refunded,
  { later, left, inFlight }: Pick<Words, "later" | "left" | "inFlight">,
): readonly (readonly [string, Returned])[] {
  if (upcoming.kind === "none" || upcoming.amount === 0) return [];
  const owed = { in_flight: inFlight, card_needed: left, owed_on_hold: left } as const;
  const planned = { on_hold: later, on_day: later, by_day: later } as const;
  return [[{ ...owed, ...planned }[upcoming.kind], upcoming]];
}

function inShort(facts: Refunded, locale: Locale): string {
  if (isNothingMoved(facts)) return NOTHING_MOVED[locale].short(formatClp(facts.price));
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
