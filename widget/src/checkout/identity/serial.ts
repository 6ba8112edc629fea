import { readDocumentSerial } from "bff/contract/vocabulary/document-serial";
import { validatedText } from "../../form/step-form.ts";

/** Accepts any serial. The format itself is a setting of the service, which rejects a wrong one. */
const ANY_SERIAL = "^[A-Z\\d]{6,}$";

export function serialSchema() {
  return validatedText((text) => {
    if (text.trim() === "") return "serial_missing";
    return readDocumentSerial(text, ANY_SERIAL) === null ? "serial_malformed" : null;
  });
}

/** `123456789` → `123.456.789`, as printed on the card; `A123456789` stays unchanged. */
export function tidySerial(text: string): string {
  const serial = readDocumentSerial(text);
  if (serial === null) return text;
  return /^\d+$/.test(serial) ? serial.replace(/\B(?=(\d{3})+$)/g, ".") : serial;
}
