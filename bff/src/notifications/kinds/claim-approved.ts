import { addClp, type Clp, formatClp, subtractClp } from "../../contract/vocabulary/clp.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import {
  type MailWords,
  type NotificationDefinition,
  shortMessage,
  type UndatedCharge,
} from "../notification-definition.ts";
import { cardRow, chargeAmount, commissionRow, UNDATED, upcomingRows } from "./rows.ts";

/** The charge caused by an approval, and the amount that the patient has paid for the order before. */
interface ApprovedCharge {
  readonly amount: Clp;
  readonly commission: Clp;
  readonly cardEnding: string;
  readonly day: CalendarDay;
  /** Whether that is the day of the notification. */
  readonly isToday: boolean;
  /** The amount charged before and not returned. */
  readonly paidBefore: Clp;
}

/** The insurer has approved a claim. */
export interface ClaimApproved {
  readonly firstName: string;
  readonly clinic: string;
  readonly insurer: string;
  /** 0 if the insurer reported no amount. */
  readonly reimbursed: Clp;
  /** The charge that the approval makes due; null if it was already due or is not made now. */
  readonly charge: ApprovedCharge | null;
  /** The amount paid and kept of an order on which nothing is left to charge, 0 after a full refund; otherwise null. */
  readonly settled: Clp | null;
  /** A second charge that is owed without a day; otherwise null. */
  readonly undated: UndatedCharge | null;
}

export const claimApproved: NotificationDefinition<ClaimApproved> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: shortMessage({
    values: (facts, locale) => ({ insurer: facts.insurer, decision: decisionInShort(facts, locale) }),
    words: {
      "es-CL": ({ insurer, decision }) => `${insurer} ${decision}.`,
      en: ({ insurer, decision }) => `${insurer} ${decision}.`,
    },
    goes: "by_day",
  }),
};

/** For an order that was refunded in full: `settled` is 0. */
const REFUNDED: Readonly<Record<Locale, { readonly mail: string; readonly short: string }>> = {
  "es-CL": {
    mail: "El pago de esta atención se devolvió completo y no te cobraremos nada. Avísale a tu isapre: puede pedirte que le devuelvas el reembolso.",
    short: "No te cobraremos nada, porque tu pago se devolvió completo",
  },
  en: {
    mail: "Your payment for this consultation was refunded in full, and we will not charge you anything. Tell your isapre: it may ask you to pay the reimbursement back.",
    short: "We will not charge you anything, because your payment was refunded in full",
  },
};

function decisionInShort({ charge, settled, undated }: ClaimApproved, locale: Locale): string {
  const approved = { "es-CL": "aprobó tu reembolso", en: "approved your reimbursement" }[locale];
  if (charge === null) {
    if (undated !== null) return `${approved}. ${UNDATED[locale][undated.kind].short}`;
    return settled === 0 ? `${approved}. ${REFUNDED[locale].short}` : approved;
  }
  const [amount, day] = [formatClp(charge.amount), dayInWords(charge.day, locale)];
  const second = {
    "es-CL": `Segundo cobro: ${amount}, el ${day}, en tu tarjeta terminada en ${charge.cardEnding}`,
    en: `Second charge: ${amount}, on ${day}, to your card ending in ${charge.cardEnding}`,
  };
  return `${approved}. ${second[locale]}`;
}

/** The amount that the patient bears once the isapre has paid. */
type OwnCost =
  /** `own`: the part of the charge that the isapre does not reimburse. */
  | { readonly kind: "added"; readonly own: Clp }
  /** The reimbursement exceeds the charge. `own`: the part of the earlier payment that the patient bears. */
  | { readonly kind: "within"; readonly own: Clp }
  | { readonly kind: "none" };

/** Null if the insurer reported no amount, or the patient's payments are not final. */
export function ownCostOf({
  reimbursed,
  charge,
  settled,
}: Pick<ClaimApproved, "reimbursed" | "charge" | "settled">): OwnCost | null {
  if (reimbursed === 0) return null;
  if (charge === null) {
    if (settled === null || settled === 0) return null;
    return reimbursed < settled ? { kind: "within", own: subtractClp(settled, reimbursed) } : { kind: "none" };
  }
  const { amount, paidBefore } = charge;
  const all = addClp(amount, paidBefore);
  if (reimbursed <= amount && reimbursed < all) return { kind: "added", own: subtractClp(amount, reimbursed) };
  return reimbursed < all ? { kind: "within", own: subtractClp(all, reimbursed) } : { kind: "none" };
}

function mailInSpanish(facts: ClaimApproved): MailWords {
  const { firstName, clinic, insurer, charge } = facts;
  const approved = `Hola, ${firstName}. ${insurer} aprobó el reembolso de tu atención en ${clinic}. Tu isapre te lo paga directamente.`;
  if (charge === null)
    return {
      subject: "Aprobaron tu reembolso",
      paragraphs: [approved, ...withoutCharge("es-CL", facts)],
      ...tableOf("es-CL", facts),
    };
  const day = dayInWords(charge.day, "es-CL");
  return {
    subject: "Aprobaron tu reembolso",
    paragraphs: [
      approved,
      `${charge.isToday ? `Hoy, ${day},` : `El ${day}`} cobramos ${formatClp(charge.amount)} en tu tarjeta ••${charge.cardEnding}. ${costInSpanish(facts)}`.trim(),
      "Te avisaremos cuando el cobro esté hecho.",
    ],
    ...tableOf("es-CL", facts),
    attached: ["calendar"],
  };
}

/** What the approval means for the money if it causes no charge; empty if that is not known. */
function withoutCharge(locale: Locale, facts: ClaimApproved): readonly string[] {
  if (facts.undated !== null) return [UNDATED[locale][facts.undated.kind].mail];
  if (facts.settled === 0) return [REFUNDED[locale].mail];
  if (ownCostOf(facts) === null) return [];
  return [locale === "en" ? costInEnglish(facts) : costInSpanish(facts)];
}

function costInSpanish(facts: ClaimApproved): string {
  const cost = ownCostOf(facts);
  const paid = formatClp(facts.charge?.paidBefore ?? facts.settled ?? facts.reimbursed);
  const back = `Tu isapre te devuelve ${formatClp(facts.reimbursed)}:`;
  switch (cost?.kind) {
    case undefined:
      return "";
    case "added":
      return `${back} de tu bolsillo salen ${added(cost.own, facts, { plus: " más ", paid: `los ${paid} que ya pagaste` })}.`;
    case "within":
      return `${back} de los ${paid} que ya pagaste, salen de tu bolsillo ${formatClp(cost.own)}.`;
    case "none":
      return `${back} cubre todo lo que ${facts.charge === null ? "pagaste" : "pagas"}.`;
  }
}

/** The part of the charge that stays with the patient, and what they paid before. Amounts of 0 are left out. */
function added(
  own: Clp,
  { charge }: Pick<ClaimApproved, "charge">,
  words: { readonly plus: string; readonly paid: string },
): string {
  const before = charge === null || charge.paidBefore === 0 ? [] : [words.paid];
  return [...(own === 0 ? [] : [formatClp(own)]), ...before].join(words.plus);
}

function mailInEnglish(facts: ClaimApproved): MailWords {
  const { firstName, clinic, insurer, charge } = facts;
  const approved = `Hello, ${firstName}. ${insurer}, your isapre (private health insurer), approved the reimbursement of your consultation at ${clinic}. It pays you directly.`;
  if (charge === null)
    return {
      subject: "Your reimbursement was approved",
      paragraphs: [approved, ...withoutCharge("en", facts)],
      ...tableOf("en", facts),
    };
  const day = dayInWords(charge.day, "en");
  return {
    subject: "Your reimbursement was approved",
    paragraphs: [
      approved,
      `${charge.isToday ? `Today, ${day},` : `On ${day}`} we charge ${formatClp(charge.amount)} to your card ••${charge.cardEnding}. ${costInEnglish(facts)}`.trim(),
      "We will tell you when the charge is done.",
    ],
    ...tableOf("en", facts),
    attached: ["calendar"],
  };
}

function costInEnglish(facts: ClaimApproved): string {
  const cost = ownCostOf(facts);
  const paid = formatClp(facts.charge?.paidBefore ?? facts.settled ?? facts.reimbursed);
  const back = `Your isapre pays you back ${formatClp(facts.reimbursed)}:`;
  switch (cost?.kind) {
    case undefined:
      return "";
    case "added":
      return `${back} your own cost is ${added(cost.own, facts, { plus: " plus ", paid: `the ${paid} that you already paid` })}.`;
    case "within":
      return `${back} of the ${paid} that you already paid, your own cost is ${formatClp(cost.own)}.`;
    case "none":
      return `${back} it covers everything that you ${facts.charge === null ? "paid" : "pay"}.`;
  }
}

function tableOf(
  locale: Locale,
  { reimbursed, charge, undated }: ClaimApproved,
): Pick<MailWords, "amounts" | "table" | "saysHowToPay"> {
  const label = locale === "en" ? "Reimbursement from your isapre" : "Reembolso de tu isapre";
  return {
    amounts: [
      ...(reimbursed > 0 ? [[label, formatClp(reimbursed)] as const] : []),
      ...(charge === null ? [] : [chargeAmount(locale, charge.amount)]),
    ],
    table: [
      ...(charge === null ? [] : [cardRow(locale, charge.cardEnding), ...commissionRow(locale, charge.commission)]),
      ...upcomingRows(locale, undated),
    ],
    saysHowToPay: undated?.kind === "card_needed",
  };
}
