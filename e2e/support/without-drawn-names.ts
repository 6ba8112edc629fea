/** A text without the ids, hashes and signatures in it, any of which may have the last four digits of a card within. */
export function withoutDrawnNames(text: string): string {
  return text.replaceAll(/[\w-]{16,}/g, "…");
}
