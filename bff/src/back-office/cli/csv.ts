/** A text with a comma, a quote or a line end stands between quotes (RFC 4180). */
export function csvLine(row: object): string {
  return Object.values(row)
    .map((value) => (value === null ? "" : String(value)))
    .map((text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
    .join(",");
}
