/**
 * Quotes a text that contains a separator, a quote or a line end (RFC 4180). A formula, such as a partner's reference
 * `=1+1`, gets an apostrophe in front. So does the formula in `a;=1+1`: where the decimal sign is a comma, as in Chile,
 * spreadsheets separate cells by semicolons.
 */
export function csvLine(row: object): string {
  return Object.values(row)
    .map((value) => (typeof value === "string" ? value.replaceAll(BEFORE_FORMULA, "'") : String(value ?? "")))
    .map((text) => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
    .join(",");
}

/** Looks back only from a sign of a formula, so that its time grows with the length of the text. */
const BEFORE_FORMULA = /(?=[=+@＝＋＠－-])(?<=(?:^|[;\t\r\n])["\s]*)/g;
