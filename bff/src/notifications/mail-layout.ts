import type { Appearance, Locale } from "../contract/widget-tokens.ts";
import type { Email } from "../gateways/messenger.ts";
import { escapeHtml } from "../platform/http/html.ts";
import type { Provider } from "../platform/provider.ts";
import type { MailWords, Row } from "./notification-definition.ts";

/*
 * The one layout of all mails: tables and inlined styles for Outlook, and a `<style>` for dark mode and narrow screens.
 * Mail programs that ignore it show the whole mail in light colours.
 */

/** The clinic in whose name a mail is sent: its logo and colour, and its contact at the end. */
export type MailSender = Pick<Provider, "name" | "logoUrl" | "appearance" | "supportEmail" | "supportPhone">;

/** The service's name, which every mail carries. */
export const SERVICE_NAME = "Atiéndete ahora, paga después";

/** The content of a mail, in reading order. */
export interface MailContent extends Pick<MailWords, "code" | "link"> {
  readonly subject: string;
  /** The text that an inbox shows after the subject. */
  readonly preheader: string;
  readonly paragraphs: readonly string[];
  readonly amounts: readonly Row[];
  readonly table: readonly Row[];
  readonly safety: readonly string[];
  /** Names the files that come with the mail; null if none do. */
  readonly attached: string | null;
  /** The payment that the mail is about. */
  readonly about: { readonly title: string; readonly rows: readonly Row[] } | null;
  /** The page of that payment. */
  readonly page: MailWords["link"] | null;
  readonly contact: { readonly words: string; readonly email: string; readonly phone: string | null };
  /** Names the service, and the clinic that it serves. */
  readonly signature: string;
}

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const WIDTH_PX = 560;
/** Outlook needs the attribute. */
const WIDE = `width="${100}%"`;
const TEXT = "color:#17201d";
const SOFT = "color:#56635e";
const RULE = "border-top:1px solid #dde3e0";
/** Only `!important` overrides inlined styles. */
const DARK = [
  ".page{background:#0d1311!important}",
  ".card{background:#18201d!important}",
  ".text{color:#e9efec!important}",
  ".soft{color:#a9b6b0!important}",
  ".rule{border-color:#34403b!important}",
  ".box{background:#222c28!important}",
  ".link{color:#8fd6c8!important}",
  ".button{border-color:#e9efec!important}",
  ".logo{background:#ffffff!important;padding:6px!important;border-radius:6px!important}",
];

/** The HTML of a mail. All values are escaped. */
export function layOut(content: MailContent, sender: MailSender, locale: Locale): string {
  const accent = accentOf(sender.appearance);
  const parts = [
    letterhead(sender, accent),
    bodyOf(content, accent),
    ...(content.about === null ? [] : [aboutHtml(content.about)]),
    ...(content.page == null ? [] : [pageHtml(content.page)]),
    footerOf(content),
  ];
  return [
    `<!doctype html><html lang="${locale}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
    '<meta name="format-detection" content="telephone=no,date=no,address=no">',
    `<title>${escapeHtml(content.subject)}</title>`,
    `<style>:root{color-scheme:light dark}@media (prefers-color-scheme:dark){${DARK.join("")}}`,
    "@media (max-width:480px){.page-cell{padding:0!important}.cell{padding-left:20px!important;padding-right:20px!important}}</style>",
    // Outlook on Windows otherwise takes a line's height as its minimum.
    "<!--[if mso]><style>td,p{mso-line-height-rule:exactly}</style><![endif]-->",
    `</head><body class="page" style="margin:0;padding:0;background:#eef1f0;${FONT}">`,
    preheader(content.preheader),
    `<table role="presentation" class="page" ${WIDE} cellpadding="0" cellspacing="0" border="0" style="background:#eef1f0"><tr>`,
    '<td class="page-cell" align="center" style="padding:24px 12px">',
    `<!--[if mso]><table role="presentation" width="${WIDTH_PX}" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->`,
    `<div style="max-width:${WIDTH_PX}px;margin:0 auto"><table role="presentation" class="card" ${WIDE} cellpadding="0" cellspacing="0" border="0" style="background:#ffffff;border-top:4px solid ${accent}">`,
    ...parts.map(
      (part) => `<tr><td class="cell text" align="left" style="${part.style};${TEXT};${FONT}">${part.html}</td></tr>`,
    ),
    "</table></div><!--[if mso]></td></tr></table><![endif]--></td></tr></table></body></html>",
  ].join("");
}

interface Part {
  readonly html: string;
  /** The style of its cell. */
  readonly style: string;
}

/** Shown only in the inbox. The spaces keep the first words of the mail out of it. */
function preheader(text: string): string {
  const hidden =
    "display:none;font-size:1px;line-height:1px;max-height:0;max-width:0;opacity:0;overflow:hidden;mso-hide:all";
  return `<div style="${hidden}">${escapeHtml(text)}${"&#847;&zwnj;&nbsp;".repeat(40)}</div>`;
}

function letterhead({ name, logoUrl }: MailSender, accent: string): Part {
  const html =
    logoUrl === null
      ? `<strong class="link" style="font-size:18px;line-height:24px;color:${accent}">${escapeHtml(name)}</strong>`
      : `<img class="logo" src="${escapeHtml(logoUrl)}" alt="${escapeHtml(name)}" height="40" style="display:block;height:auto;max-height:40px;max-width:240px;border:0;font-size:18px;line-height:24px;font-weight:bold">`;
  return { html, style: "padding:24px 32px 0" };
}

function bodyOf(content: MailContent, accent: string): Part {
  const { paragraphs, code, amounts, table, link, safety, attached } = content;
  const [first = "", ...rest] = paragraphs.map((text) => paragraph(text));
  const html = [
    first,
    code === undefined
      ? ""
      : `<p class="text" style="margin:0 0 20px;font-size:32px;line-height:40px;letter-spacing:6px;${TEXT}"><strong>${escapeHtml(code)}</strong></p>`,
    amounts.length === 0 ? "" : amountsHtml(amounts),
    table.length === 0 ? "" : `<div style="margin:0 0 20px">${tableHtml(table)}</div>`,
    ...rest,
    link === undefined ? "" : button(link, accent),
    ...safety.map((text) => small(text)),
    attached === null ? "" : small(attached),
  ].join("");
  return { html, style: "padding:20px 32px 8px" };
}

function paragraph(text: string): string {
  return `<p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;${TEXT}">${escapeHtml(text)}</p>`;
}

function small(text: string): string {
  return `<p class="soft" style="margin:0 0 12px;font-size:14px;line-height:20px;${SOFT}">${escapeHtml(text)}</p>`;
}

/** Each amount is on one line with its label, which no mail program breaks. */
function amountsHtml(rows: readonly Row[]): string {
  const lines = rows.map(
    ([label, value]) =>
      `<tr><td class="text" style="padding:6px 12px 6px 16px;font-size:16px;line-height:24px;${TEXT}">${escapeHtml(label)}</td><td class="text" align="right" nowrap style="padding:6px 16px 6px 0;font-size:22px;line-height:28px;white-space:nowrap;${TEXT}"><strong>${escapeHtml(value)}</strong></td></tr>`,
  );
  return `<table role="presentation" class="box" ${WIDE} cellpadding="0" cellspacing="0" border="0" style="margin:0 0 20px;background:#f3f6f5">${lines.join("")}</table>`;
}

function tableHtml(rows: readonly Row[]): string {
  const lines = rows.map(
    ([label, value]) =>
      `<tr><td class="soft rule" valign="top" style="padding:8px 12px 8px 0;${RULE};font-size:14px;line-height:20px;${SOFT}">${escapeHtml(label)}</td><td class="text rule" valign="top" align="right"${isShort(value) ? " nowrap" : ""} style="padding:8px 0;${RULE};font-size:14px;line-height:20px;${wrapping(value)}${TEXT}"><strong>${escapeHtml(value)}</strong></td></tr>`,
  );
  return `<table role="presentation" ${WIDE} cellpadding="0" cellspacing="0" border="0">${lines.join("")}</table>`;
}

/** Amounts, days and other short values stay on one line, in Outlook by the cell's attribute. */
function isShort(value: string): boolean {
  return value.length <= 24;
}

/** Only a word longer than a phone's line may break anywhere. */
function wrapping(value: string): string {
  if (isShort(value)) return "white-space:nowrap;";
  return /\S{25}/.test(value) ? "word-break:break-word;" : "";
}

function aboutHtml({ title, rows }: NonNullable<MailContent["about"]>): Part {
  const head = `<p class="soft" style="margin:0 0 4px;font-size:14px;line-height:20px;${SOFT}">${escapeHtml(title)}</p>`;
  return { html: `${head}${tableHtml(rows)}`, style: "padding:8px 32px 16px" };
}

function pageHtml({ label, url }: NonNullable<MailContent["page"]>): Part {
  const link = `<a class="link" href="${escapeHtml(url)}" style="color:#0b6b61">${escapeHtml(label)}</a>`;
  const html = `<p class="text" style="margin:0;font-size:16px;line-height:24px;${TEXT}">${link}</p>`;
  return { html, style: "padding:0 32px 16px" };
}

function footerOf({ contact: { words, email, phone }, signature }: MailContent): Part {
  const link = (href: string, text: string) =>
    `<a class="link" href="${escapeHtml(href)}" style="${wrapping(text)}color:#0b6b61">${escapeHtml(text)}</a>`;
  const ways = [
    link(`mailto:${email}`, email),
    ...(phone === null ? [] : [link(`tel:${phone.replace(/[^+\d]/g, "")}`, phone)]),
  ];
  const line = (html: string) =>
    `<p class="soft" style="margin:0 0 4px;font-size:14px;line-height:20px;${SOFT}">${html}</p>`;
  const lines = `${line(`${escapeHtml(words)}: ${ways.join(" · ")}`)}${line(escapeHtml(signature))}`;
  const html = `<table role="presentation" ${WIDE} cellpadding="0" cellspacing="0" border="0"><tr><td class="rule" style="${RULE};padding-top:16px">${lines}</td></tr></table>`;
  return { html, style: "padding:8px 32px 28px" };
}

/** The cell has the padding and colour, because Outlook draws neither around a link. */
function button({ label, url }: NonNullable<MailContent["link"]>, accent: string): string {
  const cell = `padding:14px 24px;background:${accent};border:1px solid ${accent};border-radius:8px`;
  const words = `display:inline-block;font-size:16px;line-height:20px;font-weight:bold;color:#ffffff;text-decoration:none;${FONT}`;
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:4px 0 20px"><tr><td class="button" bgcolor="${accent}" align="center" style="${cell}"><a href="${escapeHtml(url)}" style="${words}">${escapeHtml(label)}</a></td></tr></table>`;
}

/** The product's green. Used if the clinic has no colour on which white text is readable. */
const OWN_ACCENT = "#0b6b61";

/** WCAG 2.2, 1.4.3. */
const CONTRAST_MIN = 4.5;

/** The colour of a clinic's mails and documents, on which white text is readable. */
export function accentOf({ accent }: Pick<Appearance, "accent">): string {
  return accent !== undefined && contrastWithWhite(accent) >= CONTRAST_MIN ? accent.toLowerCase() : OWN_ACCENT;
}

/** The contrast of a colour `#rrggbb` with white, from 1 to 21. */
export function contrastWithWhite(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => linear(Number.parseInt(colour.slice(at, at + 2), 16)));
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}

function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** A mail to a provider, of paragraphs only. */
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
