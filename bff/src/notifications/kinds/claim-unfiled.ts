import type { MissingDocument } from "../../contract/expenses.ts";
import { CLAIMED_WITHIN_DAYS } from "../../contract/terms.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import { dayInWords } from "../day-in-words.ts";
import type { MailWords, NotificationDefinition } from "../notification-definition.ts";

/** A claim cannot be filed, because something is missing that the patient or the clinic has. */
export interface ClaimUnfiled {
  readonly firstName: string;
  readonly clinic: string;
  /** The patient has given no access to the insurer. */
  readonly lacksAccess: boolean;
  /** What the clinic has not sent; null if it has sent everything. */
  readonly lacksPaper: "receipt" | "document" | null;
  /** With a document that is missing: which ones. */
  readonly documents: readonly MissingDocument[];
  /** Where the patient can give access; null if it is not missing, or the clinic has no widget to open. */
  readonly accessUrl: string | null;
  /** The last day to claim, for a receipt of the day of the payment. */
  readonly claimUntil: CalendarDay;
  /** When the deferred part is charged at the latest; null if nothing is charged any more or the day is settled. */
  readonly chargeDay: CalendarDay | null;
}

export const claimUnfiled: NotificationDefinition<ClaimUnfiled> = {
  mail: { "es-CL": mailInSpanish, en: mailInEnglish },
  message: { words: { "es-CL": messageInSpanish, en: messageInEnglish }, goes: "by_day" },
};

const DOCUMENTS: Readonly<Record<MissingDocument, Record<"es-CL" | "en", string>>> = {
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
function inWords(documents: readonly MissingDocument[], locale: "es-CL" | "en"): string {
  return new Intl.ListFormat(locale).format(documents.map((document) => DOCUMENTS[document][locale]));
}

function mailInSpanish(facts: ClaimUnfiled): MailWords {
  const { firstName, clinic, lacksAccess, lacksPaper, accessUrl, chargeDay } = facts;
  const until = `Las isapres reciben boletas de hasta ${CLAIMED_WITHIN_DAYS} días. Si la tuya es del día en que pagaste, el plazo termina el ${dayInWords(facts.claimUntil, "es-CL")}.`;
  const papers = {
    receipt: `${clinic} todavía no nos ha enviado la boleta de tu atención. Pídele que nos la envíe: sin la boleta no podemos pedir el reembolso.`,
    document: `${clinic} nos envió tu boleta, pero para pedir el reembolso todavía falta ${inWords(facts.documents, "es-CL")}. Es la clínica quien nos lo tiene que enviar: pídeselo. Si lo tienes tú, házselo llegar a la clínica.`,
  };
  const paper = lacksPaper === null ? [] : [papers[lacksPaper]];
  const charge =
    chargeDay === null
      ? []
      : [
          `El cobro que queda no depende de esto: lo haremos a más tardar el ${dayInWords(chargeDay, "es-CL")}, aunque tu isapre no reembolse.`,
        ];
  if (!lacksAccess)
    return {
      subject: lacksPaper === "document" ? "Falta un documento para tu reembolso" : "Falta la boleta de tu atención",
      paragraphs: [`Hola, ${firstName}. Todavía no hemos podido pedir tu reembolso.`, ...paper, until, ...charge],
    };
  return {
    subject: "Falta un paso: danos acceso a tu isapre",
    paragraphs: [
      `Hola, ${firstName}. Todavía no podemos pedir el reembolso de tu atención en ${clinic}, porque no nos has dado acceso a tu isapre.`,
      ...paper,
      until,
      ...charge,
      "Nunca te pediremos tu clave por teléfono ni por mensaje: solo en la página que abre el botón de este correo.",
    ],
    ...(accessUrl === null ? {} : { link: { label: "Dar acceso a mi isapre", url: accessUrl } }),
  };
}

function mailInEnglish(facts: ClaimUnfiled): MailWords {
  const { firstName, clinic, lacksAccess, lacksPaper, accessUrl, chargeDay } = facts;
  const until = `Isapres take receipts that are up to ${CLAIMED_WITHIN_DAYS} days old. If yours is of the day on which you paid, the time ends on ${dayInWords(facts.claimUntil, "en")}.`;
  const papers = {
    receipt: `${clinic} has not yet sent us the receipt of your consultation. Ask them to send it to us: without the receipt we cannot claim the reimbursement.`,
    document: `${clinic} sent us your receipt, but to claim the reimbursement we still need ${inWords(facts.documents, "en")}. The clinic has to send it to us: ask them for it. If you have it yourself, give it to the clinic.`,
  };
  const paper = lacksPaper === null ? [] : [papers[lacksPaper]];
  const charge =
    chargeDay === null
      ? []
      : [
          `The charge that is left does not depend on this: we will make it on ${dayInWords(chargeDay, "en")} at the latest, even if your isapre does not reimburse.`,
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
    subject: "One step is missing: give us access to your isapre",
    paragraphs: [
      `Hello, ${firstName}. We cannot claim the reimbursement of your consultation at ${clinic} yet, because you have not given us access to your isapre.`,
      ...paper,
      until,
      ...charge,
      "We never ask for your password by telephone or in a message: only on the page that the button in this mail opens.",
    ],
    ...(accessUrl === null ? {} : { link: { label: "Give access to my isapre", url: accessUrl } }),
  };
}

function messageInSpanish({ lacksAccess, lacksPaper, accessUrl }: ClaimUnfiled): string {
  if (!lacksAccess)
    return `todavía no podemos pedir tu reembolso: a la clínica le falta enviar ${lacksPaper === "document" ? "un documento" : "tu boleta"}. Pídeselo; en tu correo está qué es.`;
  const how = accessUrl === null ? "Te escribimos a tu correo." : "Usa el botón que está en tu correo.";
  return `falta un paso para pedir tu reembolso: danos acceso a tu isapre. ${how} Nunca te pediremos tu clave por mensaje.`;
}

function messageInEnglish({ lacksAccess, lacksPaper, accessUrl }: ClaimUnfiled): string {
  if (!lacksAccess)
    return `we cannot claim your reimbursement yet: the clinic has still to send ${lacksPaper === "document" ? "a document" : "your receipt"}. Ask them for it; your e-mail says what it is.`;
  const how = accessUrl === null ? "We wrote to your e-mail." : "Use the button in your e-mail.";
  return `one step is missing for your reimbursement: give us access to your isapre. ${how} We never ask for your password in a message.`;
}
