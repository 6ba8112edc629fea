/**
 * A text without the ids, hashes, tokens and signatures in it, any of which may have any few digits within, and without
 * the ports of this machine: what is left is looked through for a short secret, such as a code or the end of a card's
 * number. Digits alone stay, however many: they may be a whole number.
 */
export function withoutDrawnNames(text: string): string {
  return text.replaceAll(/(?=[\w-]*[a-z])[\w-]{16,}|(?<=\b(?:127\.0\.0\.1|localhost)):\d+/gi, "…");
}
