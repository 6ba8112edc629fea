import { readDocumentSerial } from "bff/contract/vocabulary/document-serial";
import { validatedText } from "../../form/step-form.ts";

/** What any serial is. The format itself is a setting of the service, which says so where a number does not have it. */
const ANY_SERIAL = "^[A-Z\\d]{6,}$";

export function serialSchema() {
  return validatedText((text) => {
    if (text.trim() === "") return "serial_missing";
    return readDocumentSerial(text, ANY_SERIAL) === null ? "serial_malformed" : null;
  });
}

/** `123456789` → `123.456.789`, as it is printed; `A123456789` stays in one piece. */
export function tidySerial(text: string): string {
  const serial = readDocumentSerial(text);
  if (serial === null) return text;
  return /^\d+$/.test(serial) ? serial.replace(/\B(?=(\d{3})+$)/g, ".") : serial;
}
