import type { Locale } from "../contract/widget-tokens.ts";
import type { Email } from "../gateways/messenger.ts";
import { escapeHtml } from "../platform/http/html.ts";
import { mailWords, type Notification } from "./notification.ts";
import type { EnclosedText, MailWords } from "./notification-definition.ts";

/** The clinic's contact at the end of every mail. */
interface NotificationSender {
  readonly clinic: string;
  readonly supportEmail: string;
  readonly supportPhone: string | null;
}

/**
 * Renders a notification as an e-mail, whose text and HTML parts have the same content in one language. All values are
 * escaped in the HTML.
 */
export function renderMail(to: string, notification: Notification, sender: NotificationSender, locale: Locale): Email {
  const words = mailWords(notification, locale);
  const contact = contactIn[locale](sender);
  return { to, subject: oneLine(words.subject), text: textOf(words, contact), html: htmlOf(words, contact, locale) };
}

const contactIn: Readonly<Record<Locale, (sender: NotificationSender) => string>> = {
  "es-CL": ({ clinic, supportEmail, supportPhone }) =>
    `¿Dudas? Escribe a ${clinic}: ${supportEmail}${supportPhone === null ? "" : ` o al ${supportPhone}`}.`,
  en: ({ clinic, supportEmail, supportPhone }) =>
    `Questions? Write to ${clinic}: ${supportEmail}${supportPhone === null ? "" : `, or call ${supportPhone}`}.`,
};

/** A subject is a header, so a line break in a name must not begin another header. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function textOf({ paragraphs, code, table = [], link, enclosed = [] }: MailWords, contact: string): string {
  const [first = "", ...rest] = paragraphs;
  return [
    first,
    ...(code === undefined ? [] : [code]),
    ...(table.length === 0 ? [] : [table.map(([name, value]) => `${name}: ${value}`).join("\n")]),
    ...rest,
    ...(link === undefined ? [] : [`${link.label}: ${link.url}`]),
    `--\n${contact}`,
    ...enclosed.flatMap(({ title, blocks }) => [
      title,
      ...blocks.map(({ type, text }) => (type === "item" ? `• ${text}` : text)),
    ]),
  ].join("\n\n");
}

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif";

/** Uses tables and inline styles, because mail programs support little else. */
function htmlOf(
  { subject, paragraphs, code, table = [], link, enclosed = [] }: MailWords,
  contact: string,
  locale: Locale,
): string {
  const [first = "", ...rest] = paragraphs.map((text) => `<p style="margin:0 0 16px">${escapeHtml(text)}</p>`);
  const rows = table.map(
    ([name, value]) =>
      `<tr><td style="padding:6px 12px 6px 0">${escapeHtml(name)}</td><td style="padding:6px 0;text-align:right;${wrapping(value)}"><strong>${escapeHtml(value)}</strong></td></tr>`,
  );
  const body = [
    first,
    code === undefined
      ? ""
      : `<p style="margin:0 0 16px;font-size:32px;letter-spacing:6px"><strong>${escapeHtml(code)}</strong></p>`,
    rows.length === 0
      ? ""
      : `<table role="presentation" style="width:100%;border-collapse:collapse;margin:0 0 16px">${rows.join("")}</table>`,
    ...rest,
    link === undefined ? "" : button(link),
    `<p style="margin:24px 0 0;font-size:14px;color:#555555">${escapeHtml(contact)}</p>`,
    ...enclosed.map(enclosedHtml),
  ].join("");
  return [
    `<!doctype html><html lang="${locale}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escapeHtml(oneLine(subject))}</title></head>`,
    `<body style="margin:0;padding:24px 16px;background:#f4f4f5;color:#18181b;font-size:16px;line-height:1.5;${FONT}">`,
    `<div style="max-width:520px;margin:0 auto;padding:24px;background:#ffffff;border-radius:12px">${body}</div>`,
    "</body></html>",
  ].join("");
}

/** Amounts and other short words stay on one line, and only a word that no telephone's line holds breaks anywhere. */
function wrapping(value: string): string {
  if (/^\S{1,16}$/.test(value)) return "white-space:nowrap";
  return /\S{25}/.test(value) ? "overflow-wrap:anywhere" : "overflow-wrap:break-word";
}

function enclosedHtml({ title, blocks }: EnclosedText): string {
  const lines = blocks.map(({ type, text }) => {
    if (type === "heading") return `<h3 style="margin:16px 0 8px;font-size:15px">${escapeHtml(text)}</h3>`;
    return `<p style="margin:0 0 8px">${type === "item" ? "• " : ""}${escapeHtml(text)}</p>`;
  });
  const head = `<h2 style="margin:0 0 12px;font-size:18px">${escapeHtml(title)}</h2>`;
  return `<div style="margin:24px 0 0;padding:24px 0 0;border-top:1px solid #d4d4d8;font-size:14px">${head}${lines.join("")}</div>`;
}

function button({ label, url }: NonNullable<MailWords["link"]>): string {
  const style =
    "display:inline-block;padding:12px 20px;border-radius:8px;background:#18181b;color:#ffffff;text-decoration:none";
  return `<p style="margin:0 0 16px"><a href="${escapeHtml(url)}" style="${style}">${escapeHtml(label)}</a></p>`;
}

/** A mail to a provider: paragraphs, and nothing else. */
export function plainEmail({
  paragraphs,
  ...mail
}: Pick<Email, "to" | "subject"> & { readonly paragraphs: readonly string[] }): Email {
  return {
    ...mail,
    text: `${paragraphs.join("\n\n")}\n`,
    html: paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join("\n"),
  };
}
