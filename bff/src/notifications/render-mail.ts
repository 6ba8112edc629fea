import type { OrderDocument } from "../contract/order-files.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import type { Email } from "../gateways/messenger.ts";
import { dayInWords } from "../platform/day-in-words.ts";
import { layOut, type MailContent, type MailSender, SERVICE_NAME } from "./mail-layout.ts";
import { mailWords, type Notification } from "./notification.ts";
import type { AboutPayment, MailWords, Row } from "./notification-definition.ts";

/** The origin of a mail, and the payment that it is about. */
export interface MailContext {
  readonly sender: MailSender;
  readonly about?: AboutPayment | null;
  /** The address of the page of that payment. */
  readonly paymentPage?: string | null;
  /** Whether the mail is sent without its files, and says where to get them. */
  readonly isWithoutFiles?: boolean;
}

/**
 * Renders a notification as an e-mail, whose text and HTML parts have the same content in one language. All values are
 * escaped in the HTML.
 */
export function renderMail(
  to: string,
  notification: Notification,
  { sender, about = null, paymentPage = null, isWithoutFiles = false }: MailContext,
  locale: Locale,
): Email {
  const content = contentOf(mailWords(notification, locale), { sender, about, paymentPage, isWithoutFiles }, locale);
  return { to, subject: content.subject, text: textOf(content), html: layOut(content, sender, locale) };
}

/** The files attached to a notification's mail. */
export function documentsOf(notification: Notification): readonly OrderDocument[] {
  return mailWords(notification, "es-CL").attached ?? [];
}

function contentOf(
  words: MailWords,
  { sender, about, paymentPage, isWithoutFiles }: Required<MailContext>,
  locale: Locale,
): MailContent {
  const { amounts = [], table = [], safety = [], attached = [], saysHowToPay = false, code, link } = words;
  const howToPay = WORDS[locale].howToPay[paymentPage === null ? "inWriting" : "onPage"];
  const paragraphs = [...words.paragraphs, ...(saysHowToPay ? [howToPay] : [])];
  const { supportEmail: email, supportPhone: phone } = sender;
  const [first = ""] = paragraphs;
  const atAGlance = amounts.map(([label, value]) => `${label}: ${value}`).join(" · ");
  return {
    ...(code === undefined ? {} : { code }),
    ...(link === undefined ? {} : { link }),
    subject: oneLine(words.subject),
    preheader: oneLine(atAGlance === "" ? first : atAGlance),
    paragraphs,
    amounts,
    table,
    safety,
    attached: filesText(attached, { isWithoutFiles, isOnPage: paymentPage !== null }, locale),
    about: about === null ? null : { title: WORDS[locale].about, rows: aboutRows(about, locale) },
    contact: { words: WORDS[locale].contact(sender.name), email, phone },
    page: paymentPage === null ? null : { label: WORDS[locale].page, url: paymentPage },
    signature: WORDS[locale].signature(about?.clinic ?? sender.name),
  };
}

/** Names the attached files; without them, says where to get the receipt and the contract. */
function filesText(
  files: readonly OrderDocument[],
  { isWithoutFiles, isOnPage }: { readonly isWithoutFiles: boolean; readonly isOnPage: boolean },
  locale: Locale,
): string | null {
  const words = WORDS[locale];
  if (!isWithoutFiles) return files.length === 0 ? null : words.attached(files);
  const papers = files.filter((file) => file !== "calendar");
  if (papers.length === 0) return null;
  return isOnPage ? words.onPage(papers) : words.byClinic(papers);
}

const WORDS = {
  "es-CL": {
    page: "Ver mi pago",
    howToPay: {
      onPage:
        "Para pagar lo que queda, abre «Ver mi pago», más abajo, e ingresa otra tarjeta. Si prefieres pagar de otra forma, escríbenos.",
      inWriting: "Para pagar lo que queda, escríbenos.",
    },
    about: "Sobre qué pago te escribimos",
    clinic: "Clínica",
    reference: "Referencia",
    consultation: "Fecha de la atención",
    paid: "Pagaste el",
    card: "Con tu tarjeta",
    contact: (clinic: string) => `¿Dudas? Escríbele a ${clinic}`,
    signature: (clinic: string) => `Te escribe ${SERVICE_NAME}, el servicio de pago de ${clinic}.`,
    attached: (files: readonly OrderDocument[]) => `Adjuntos: ${listed(files, "es-CL")}.`,
    onPage: (files: readonly OrderDocument[]) => `En «Ver mi pago» puedes descargar ${listed(files, "es-CL")}.`,
    byClinic: (files: readonly OrderDocument[]) => `Puedes pedirle a la clínica ${listed(files, "es-CL")}.`,
    files: { receipt: "tu comprobante", agreement: "tu contrato", calendar: "un aviso para tu calendario" },
  },
  en: {
    page: "See my payment",
    howToPay: {
      onPage: "To pay the rest, open “See my payment” below and add another card. To pay in another way, write to us.",
      inWriting: "To pay the rest, write to us.",
    },
    about: "The payment this is about",
    clinic: "Clinic",
    reference: "Reference",
    consultation: "Date of the consultation",
    paid: "You paid on",
    card: "With your card",
    contact: (clinic: string) => `Questions? Write to ${clinic}`,
    signature: (clinic: string) => `Sent by ${SERVICE_NAME}, the payment service of ${clinic}.`,
    attached: (files: readonly OrderDocument[]) => `Attached: ${listed(files, "en")}.`,
    onPage: (files: readonly OrderDocument[]) => `Under “See my payment” you can download ${listed(files, "en")}.`,
    byClinic: (files: readonly OrderDocument[]) => `You can ask the clinic for ${listed(files, "en")}.`,
    files: { receipt: "your receipt", agreement: "your contract", calendar: "an entry for your calendar" },
  },
} as const satisfies Readonly<Record<Locale, object>>;

function listed(files: readonly OrderDocument[], locale: Locale): string {
  return new Intl.ListFormat(locale).format(files.map((file) => WORDS[locale].files[file]));
}

function aboutRows(about: AboutPayment, locale: Locale): readonly Row[] {
  const { clinic, reference, consultationDay, paidOn, cardEnding } = about;
  const words = WORDS[locale];
  return [
    [words.clinic, clinic],
    [words.reference, reference],
    ...(consultationDay === null ? [] : [[words.consultation, dayInWords(consultationDay, locale)] as const]),
    ...(paidOn === null ? [] : [[words.paid, dayInWords(paidOn, locale)] as const]),
    ...(cardEnding === null ? [] : [[words.card, `••${cardEnding}`] as const]),
  ];
}

/** A subject is a header, so a line break in a name must not begin another header. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function textOf(content: MailContent): string {
  const { paragraphs, code, amounts, table, link, safety, attached, about, page, contact, signature } = content;
  const [first = "", ...rest] = paragraphs;
  const { words, email, phone } = contact;
  return [
    first,
    ...(code === undefined ? [] : [code]),
    ...[amounts, table].flatMap((rows) => (rows.length === 0 ? [] : [linesOf(rows)])),
    ...rest,
    ...(link === undefined ? [] : [`${link.label}: ${link.url}`]),
    ...safety,
    ...(attached === null ? [] : [attached]),
    ...(about === null ? [] : [`${about.title}\n${linesOf(about.rows)}`]),
    ...(page == null ? [] : [`${page.label}: ${page.url}`]),
    `--\n${words}: ${email}${phone === null ? "" : ` · ${phone}`}\n${signature}`,
  ].join("\n\n");
}

function linesOf(rows: readonly Row[]): string {
  return rows.map(([label, value]) => `${label}: ${value}`).join("\n");
}
