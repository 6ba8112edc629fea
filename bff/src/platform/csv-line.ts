/**
 * Quotes a text that contains a comma, a quote or a line end (RFC 4180). A text that a spreadsheet would compute, such
 * as a partner's reference `=1+1`, gets an apostrophe in front.
 */
export function csvLine(row: object): string {
  return Object.values(row)
    .map((value) => (typeof value === "string" ? value.replace(/^(?=[=+@\t-])/, "'") : String(value ?? "")))
    .map((text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
    .join(",");
}
