import type { Brand } from "./brand.ts";

/** "Número de documento" of an identity card: a letter (cards before 2013) and nine digits, or nine digits. */
export type DocumentSerial = Brand<string, "DocumentSerial">;

/** The format of the newest cards is not public, so that the pattern is a setting of the service; this is its default. */
export const DOCUMENT_SERIAL_PATTERN = "^[A-Z]?\\d{9}$";

/** Dots, spaces and dashes are dropped and letters raised; `null` when what is left is no serial. */
export function readDocumentSerial(text: string, pattern: string = DOCUMENT_SERIAL_PATTERN): DocumentSerial | null {
  const serial = text
    .normalize("NFKC")
    .replace(/[.\s\p{Pd}]/gu, "")
    .toUpperCase();
  return serial.length <= 32 && new RegExp(pattern).test(serial) ? (serial as DocumentSerial) : null;
}
