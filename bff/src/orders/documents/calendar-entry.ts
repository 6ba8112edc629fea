import type { CalendarFile } from "../../contract/order-files.ts";
import type { UpcomingCharge } from "../../contract/orders.ts";
import { formatClp } from "../../contract/vocabulary/clp.ts";
import { SECOND_MS } from "../../contract/vocabulary/durations.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import { SERVICE_NAME } from "../../notifications/mail-layout.ts";
import { dayInWords } from "../../platform/day-in-words.ts";
import { idFor } from "../../platform/ids.ts";
import { addCalendarDays, type CalendarDay, santiagoDay } from "../../platform/santiago-time.ts";
import type { OrderRecord } from "../order-record.ts";
import { latestDueDate } from "../quote.ts";

/*
 * The second charge as a calendar entry (RFC 5545). Every file of an order has the same UID and a higher SEQUENCE than
 * those made before, so that a calendar moves or cancels the entry that it has.
 */

export interface CalendarFacts {
  readonly order: Pick<OrderRecord, "orderId" | "reference"> & { readonly paidAt: Date };
  readonly clinic: { readonly name: string; readonly supportEmail: string };
  readonly consultationDay: CalendarDay | null;
  readonly upcoming: UpcomingCharge | null;
  readonly locale: Locale;
  /** The provider's time. */
  readonly now: Date;
}

const WORDS = {
  "es-CL": {
    file: "segundo-cobro.ics",
    charge: "Segundo cobro",
    byDay: "Último día: puede ser antes, si tu isapre aprueba o nos bloquea el acceso.",
    onDay: "Revisa que tu tarjeta tenga cupo.",
    owed: "Último día para pagar: no se cobrará en tu tarjeta.",
    ended: "Este cobro ya no está pendiente.",
    reference: "Referencia",
    consultation: "Fecha de la atención",
  },
  en: {
    file: "second-charge.ics",
    charge: "Second charge",
    byDay: "Last day: it may be earlier, if your isapre (private health insurer) approves or blocks our access.",
    onDay: "Check that your card has enough available credit.",
    owed: "Last day to pay: your card will not be charged.",
    ended: "This charge is no longer pending.",
    reference: "Reference",
    consultation: "Date of the consultation",
  },
} as const satisfies Readonly<Record<Locale, object>>;

/** The entry of an order's second charge; a cancellation if no charge is to come on a known day. */
export function calendarEntry(facts: CalendarFacts): CalendarFile {
  const { order, clinic, consultationDay, upcoming, locale, now } = facts;
  const words = WORDS[locale];
  const day = entryDay(facts);
  const amount = upcoming === null || upcoming.amount === 0 ? "" : ` ${formatClp(upcoming.amount)}`;
  const about = day === null ? words.ended : words[reasonOf(upcoming)];
  const date = day ?? latestDueDate(order.paidAt);
  const description = [
    about,
    `${words.reference}: ${order.reference}`,
    ...(consultationDay === null ? [] : [`${words.consultation}: ${dayInWords(consultationDay, locale)}`]),
    SERVICE_NAME,
  ];
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    `PRODID:-//AAPD//${SERVICE_NAME.replaceAll(",", "")}//${locale === "en" ? "EN" : "ES"}`,
    `METHOD:${day === null ? "CANCEL" : "PUBLISH"}`,
    "BEGIN:VEVENT",
    `UID:${idFor(`${order.orderId}:second_charge`)}`,
    `SEQUENCE:${Math.max(0, Math.floor((now.getTime() - order.paidAt.getTime()) / SECOND_MS))}`,
    `DTSTAMP:${now.toISOString().replace(/\.\d+|[-:]/g, "")}`,
    `DTSTART;VALUE=DATE:${compact(date)}`,
    `DTEND;VALUE=DATE:${compact(addCalendarDays(date, 1))}`,
    `SUMMARY:${escaped(`${words.charge}${amount} · ${clinic.name}`)}`,
    `DESCRIPTION:${escaped(description.join("\n"))}`,
    `ORGANIZER;CN=${quoted(clinic.name)}:mailto:${clinic.supportEmail}`,
    `STATUS:${day === null ? "CANCELLED" : "CONFIRMED"}`,
    "TRANSP:TRANSPARENT",
    "CLASS:PRIVATE",
    ...(day === null ? [] : alarm(words.charge)),
    "END:VEVENT",
    "END:VCALENDAR",
  ];
  const text = `${lines.map(folded).join("\r\n")}\r\n`;
  return { name: words.file, type: "text/calendar", base64: Buffer.from(text).toString("base64") };
}

/** The day of the charge, or the last day to pay it; null if no charge is to come, or its day is unknown. */
export function entryDay({
  upcoming,
  order,
  now,
}: Pick<CalendarFacts, "upcoming" | "now"> & { readonly order: { readonly paidAt: Date } }): CalendarDay | null {
  if (upcoming === null || upcoming.status === "none") return null;
  if (upcoming.day !== null) return upcoming.day;
  const latest = latestDueDate(order.paidAt);
  return upcoming.status === "card_needed" && santiagoDay(now) <= latest ? latest : null;
}

function reasonOf(upcoming: UpcomingCharge | null): "byDay" | "onDay" | "owed" {
  if (upcoming?.status === "card_needed") return "owed";
  return upcoming?.status === "by_day" ? "byDay" : "onDay";
}

/** At 9 a.m. on the day before. */
function alarm(words: string): readonly string[] {
  return ["BEGIN:VALARM", "ACTION:DISPLAY", `DESCRIPTION:${escaped(words)}`, "TRIGGER:-PT15H", "END:VALARM"];
}

function compact(day: CalendarDay): string {
  return day.replaceAll("-", "");
}

function escaped(text: string): string {
  return text.replace(/[\\;,]/g, "\\$&").replace(/\r?\n/g, "\\n");
}

/** A parameter's value, which can hold neither quotes nor control characters. */
function quoted(text: string): string {
  return `"${text.replace(/["\p{Cc}]/gu, " ")}"`;
}

const LINE_BYTES_MAX = 75;

/** A content line has at most 75 bytes; the rest follows on lines that begin with a space. */
function folded(line: string): string {
  const parts: string[] = [""];
  for (const character of line) {
    const part = parts.at(-1) ?? "";
    const room = parts.length === 1 ? LINE_BYTES_MAX : LINE_BYTES_MAX - 1;
    if (Buffer.byteLength(part + character) > room) parts.push(character);
    else parts[parts.length - 1] = part + character;
  }
  return parts.join("\r\n ");
}
