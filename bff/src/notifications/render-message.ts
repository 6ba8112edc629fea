import type { Locale } from "../contract/widget-tokens.ts";
import { toGsm7 } from "./gsm7.ts";
import { messageLastLine, messageWords, type Notification } from "./notification.ts";

/** The most characters of a clinic's name in a message. */
const CLINIC_CHARACTERS_MAX = 40;

/**
 * Renders a notification as a message of one line, and a last line where its kind has one; null if its kind has only a mail. It is in
 * the alphabet of short messages. The holder of the telephone may not be the patient.
 */
export function renderMessage(notification: Notification, clinic: string, locale: Locale): string | null {
  const words = messageWords(notification, locale);
  if (words === null) return null;
  const line = toGsm7(`${shorten(clinic)}: ${words}`)
    .replace(/\s+/g, " ")
    .trim();
  const lastLine = messageLastLine(notification);
  return lastLine === null ? line : `${line}\n${lastLine}`;
}

function shorten(clinic: string): string {
  const characters = [...clinic];
  if (characters.length <= CLINIC_CHARACTERS_MAX) return clinic;
  return `${characters.slice(0, CLINIC_CHARACTERS_MAX - 3).join("")}...`;
}
