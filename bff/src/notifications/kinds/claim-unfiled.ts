import type { MissingDocument } from "../../contract/expenses.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { type MailWords, type NotificationDefinition, shortMessage } from "../notification-definition.ts";
import { accessSafety } from "./access-safety.ts";

/** A claim cannot be filed, because the patient or the clinic has not provided something. */
export interface ClaimUnfiled {
  readonly firstName: string;
  readonly clinic: string;
  /** The patient has given no access to the insurer. */
  readonly lacksAccess: boolean;
  /** The document that the clinic has not sent; null if it has sent everything. */
  readonly lacksPaper: "receipt" | "document" | null;
  /** The missing documents, if one is missing. */
  readonly documents: readonly MissingDocument[];
  /** Where the patient can give access; null if it is not missing, or the clinic has no widget to open. */
  readonly accessUrl: string | null;
  /** The last day to claim, for a receipt of the day of the payment. */
  readonly claimUntil: CalendarDay;
  /** The latest day of the deferred charge; null if nothing more is charged or the day is already fixed. */
  readonly chargeDay: CalendarDay | null;
}

export const claimUnfiled: NotificationDefinition<ClaimUnfiled> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: shortMessage({
    values: (facts, locale) => ({ missing: missingInShort(facts, locale) }),
    words: {
      "es-CL": ({ missing }) => `${missing}.`,
      en: ({ missing }) => `${missing}.`,
    },
    goes: "by_day",
  }),
};

const DOCUMENTS: Readonly<Record<MissingDocument, Record<Locale, string>>> = {
  receipt: { "es-CL": "la boleta", en: "the receipt" },
  unlocked_receipt: {
    "es-CL": "la boleta en un PDF que se abra sin clave",
    en: "the receipt as a PDF that opens without a password",
  },
  medical_order: { "es-CL": "la orden médica", en: "the medical order" },
  prescription: { "es-CL": "la receta", en: "the prescription" },
  readable_photo: { "es-CL": "una foto que se pueda leer", en: "a photo that can be read" },
  other_document: { "es-CL": "un documento que pide tu isapre", en: "a document that your isapre asks for" },
};

/** `la orden médica y la receta` */
function inWords(documents: readonly MissingDocument[], locale: Locale): string {
  return new Intl.ListFormat(locale).format(documents.map((document) => DOCUMENTS[document][locale]));
}

function mailInSpanish(facts: ClaimUnfiled): MailWords {
  const { firstName, clinic, lacksAccess, lacksPaper, accessUrl, chargeDay } = facts;
  const until = `Hay plazo hasta el ${dayInWords(facts.claimUntil, "es-CL")}, si tu boleta tiene la fecha en que pagaste.`;
  const papers = {
    receipt: `${clinic} todavía no nos ha enviado tu boleta. Pídele que la envíe: sin ella no podemos pedir el reembolso.`,
    document: `${clinic} nos envió tu boleta, pero ${facts.documents.length > 1 ? "faltan" : "falta"} ${inWords(facts.documents, "es-CL")}. Pídele que envíe lo que falta; si lo tienes tú, házselo llegar.`,
  };
  const paper = lacksPaper === null ? [] : [papers[lacksPaper]];
  const charge =
    chargeDay === null
      ? []
      : [
          `El segundo cobro no depende de esto: lo haremos a más tardar el ${dayInWords(chargeDay, "es-CL")}, aunque tu isapre no reembolse.`,
        ];
  if (!lacksAccess)
    return {
      subject: lacksPaper === "document" ? "Falta un documento para tu reembolso" : "Falta la boleta de tu atención",
      paragraphs: [`Hola, ${firstName}. Todavía no hemos podido pedir tu reembolso.`, ...paper, until, ...charge],
    };
  return {
    subject: "Falta un paso para tu reembolso",
    paragraphs: [
      `Hola, ${firstName}. Para pedir el reembolso de tu atención en ${clinic} nos falta el acceso a tu isapre.`,
      ...paper,
      until,
      ...charge,
    ],
    ...(accessUrl === null ? {} : { link: { label: "Dar acceso a mi isapre", url: accessUrl } }),
    safety: accessSafety("es-CL", { clinic, accessUrl }),
  };
}

function mailInEnglish(facts: ClaimUnfiled): MailWords {
  const { firstName, clinic, lacksAccess, lacksPaper, accessUrl, chargeDay } = facts;
  const until = `You have until ${dayInWords(facts.claimUntil, "en")}, if your receipt is dated the day you paid.`;
  const papers = {
    receipt: `${clinic} has not sent us your receipt yet. Ask them to send it: without it we cannot claim the reimbursement.`,
    document: `${clinic} sent us your receipt, but we still need ${inWords(facts.documents, "en")}. Ask them to send it; if you have it, give it to them.`,
  };
  const paper = lacksPaper === null ? [] : [papers[lacksPaper]];
  const charge =
    chargeDay === null
      ? []
      : [
          `The second charge does not depend on this: we will make it on ${dayInWords(chargeDay, "en")} at the latest, even if your isapre (private health insurer) does not reimburse.`,
        ];
  if (!lacksAccess)
    return {
      subject:
        lacksPaper === "document"
          ? "A document is missing for your reimbursement"
          : "The receipt of your consultation is missing",
      paragraphs: [
        `Hello, ${firstName}. We have not been able to claim your reimbursement yet.`,
        ...paper,
        until,
        ...charge,
      ],
    };
  return {
    subject: "One step is missing for your reimbursement",
    paragraphs: [
      `Hello, ${firstName}. To claim the reimbursement of your consultation at ${clinic} we still need access to your isapre (private health insurer).`,
      ...paper,
      until,
      ...charge,
    ],
    ...(accessUrl === null ? {} : { link: { label: "Give access to my isapre", url: accessUrl } }),
    safety: accessSafety("en", { clinic, accessUrl }),
  };
}

const MISSING_IN_SHORT = {
  "es-CL": {
    access: "falta un paso para pedir tu reembolso: el acceso a tu isapre. Nunca te pediremos tu clave por mensaje",
    document: "todavía no podemos pedir tu reembolso: a la clínica le falta enviar un documento. Pídeselo",
    receipt: "todavía no podemos pedir tu reembolso: a la clínica le falta enviar tu boleta. Pídeselo",
  },
  en: {
    access:
      "one step is missing for your reimbursement: access to your isapre. We never ask for your password in a message",
    document: "we cannot claim your reimbursement yet: the clinic has still to send a document. Ask them for it",
    receipt: "we cannot claim your reimbursement yet: the clinic has still to send your receipt. Ask them for it",
  },
} as const satisfies Readonly<Record<Locale, object>>;

function missingInShort({ lacksAccess, lacksPaper }: ClaimUnfiled, locale: Locale): string {
  const paper = lacksPaper === "document" ? "document" : "receipt";
  return MISSING_IN_SHORT[locale][lacksAccess ? "access" : paper];
}
