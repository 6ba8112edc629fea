/**
 * A text without the ids, hashes, tokens and signatures in it, any of which may have any few digits within: what is left is looked
 * through for a short secret, such as a code or the end of a card's number.
 */
export function withoutDrawnNames(text: string): string {
  return text.replaceAll(/[\w-]{16,}/g, "…");
}
