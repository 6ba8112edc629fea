/**
 * Removes random ids, hashes and signatures from a text: any of them can contain the last four digits of a card. Keeps
 * digits that could be a card number, with or without hyphens.
 */
export function withoutDrawnNames(text: string): string {
  return text.replaceAll(/(?=[\w-]*[a-z])[\w-]{16,}|[\d-]{24,}/gi, "…");
}
