import type { Brand } from "./brand.ts";

/** The "número de documento" of an identity card: nine digits on the cards of 2013 to 2024. */
export type DocumentSerial = Brand<string, "DocumentSerial">;

/** The format of the newest cards is not public, so the pattern is a setting of the service; this is its default. */
export const DOCUMENT_SERIAL_PATTERN = "^[A-Z]?\\d{9}$";

/** Longer texts are not even normalized. */
const TEXT_LENGTH_MAX = 64;

/** Removes dots, spaces and dashes and converts letters to upper case; `null` if the result is not a serial. */
export function readDocumentSerial(text: string, pattern: string = DOCUMENT_SERIAL_PATTERN): DocumentSerial | null {
  if (text.length > TEXT_LENGTH_MAX) return null;
  const serial = text
    .normalize("NFKC")
    .replace(/[.\s\p{Pd}]/gu, "")
    .toUpperCase();
  return serial.length <= 32 && new RegExp(pattern).test(serial) ? (serial as DocumentSerial) : null;
}
