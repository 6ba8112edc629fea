import type { Locale } from "../contract/widget-tokens.ts";
import { messageWords, type Notification } from "./notification.ts";

/** What of a clinic's name stands in a message. */
const CLINIC_CHARACTERS_MAX = 40;

/**
 * A notification as a short message of one line; null for one that goes by mail alone. Whoever holds the telephone is not yet
 * the patient.
 */
export function renderMessage(notification: Notification, clinic: string, locale: Locale): string | null {
  const words = messageWords(notification, locale);
  return words === null ? null : `${shorten(clinic)}: ${words}`.replace(/\s+/g, " ").trim();
}

function shorten(clinic: string): string {
  const characters = [...clinic];
  if (characters.length <= CLINIC_CHARACTERS_MAX) return clinic;
  return `${characters.slice(0, CLINIC_CHARACTERS_MAX - 1).join("")}…`;
}
