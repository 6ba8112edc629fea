import type { Phone } from "../contract/vocabulary/phone.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import type { Message } from "../gateways/messenger.ts";
import { addCalendarDays, santiagoDay, santiagoMoment } from "../platform/santiago-time.ts";
import { toGsm7 } from "./gsm7.ts";
import {
  messageGoes,
  messageIsAlone,
  messageLastLine,
  messageParts,
  type Notification,
  type NotificationKind,
} from "./notification.ts";
import type { MessageValues } from "./notification-definition.ts";

/** Messages that are not urgent are sent between these hours, in America/Santiago. */
const FIRST_HOUR = 8;
const LAST_HOUR = 21;

/** Whether a number may accept messages: Chilean mobiles and all numbers abroad, but not Chilean landlines. */
export function takesMessages(phone: Phone): boolean {
  return !phone.startsWith("+56") || phone.startsWith("+569");
}

/** When a message may be sent: now, or in the morning if it is night and its kind is not urgent. */
export function messageHour(kind: NotificationKind, at: Date): Date {
  if (messageGoes(kind) === "at_once") return at;
  const day = santiagoDay(at);
  const morning = santiagoMoment(day, FIRST_HOUR);
  if (at < morning) return morning;
  return at < santiagoMoment(day, LAST_HOUR) ? at : santiagoMoment(addCalendarDays(day, 1), FIRST_HOUR);
}

/** The maximum number of characters of a clinic's name in a message. */
const CLINIC_CHARACTERS_MAX = 40;

/** Where to find the details. Messages have no link. */
const LOOK: Readonly<Record<Locale, string>> = { "es-CL": "Revisa tu correo.", en: "Check your e-mail." };

/**
 * Renders a notification as a message of one line, plus a last line if its kind has one; null if its kind has only a
 * mail. Uses only the alphabet of short messages. The holder of the telephone may not be the patient.
 */
export function renderMessage(notification: Notification, clinic: string, locale: Locale): Omit<Message, "to"> | null {
  const parts = messageParts(notification, locale);
  if (parts === null) return null;
  const look = messageIsAlone(notification.kind) ? "" : ` ${LOOK[locale]}`;
  const shortened = shorten(clinic);
  const line = inOneLine(toGsm7(`${shortened}: ${parts.words}${look}`));
  const lastLine = messageLastLine(notification);
  const values: MessageValues = { clinic: shortened, ...parts.values };
  return {
    text: lastLine === null ? line : `${line}\n${lastLine}`,
    template: { name: notification.kind, language: locale },
    values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, inOneLine(value)])),
  };
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function shorten(clinic: string): string {
  const characters = [...clinic];
  if (characters.length <= CLINIC_CHARACTERS_MAX) return clinic;
  return `${characters.slice(0, CLINIC_CHARACTERS_MAX - 3).join("")}...`;
}
