/**
 * A text without its ids, hashes, tokens, signatures and local ports, which may contain any short digit sequence by
 * chance. The rest is searched for short secrets, such as a code or the end of a card number. Numbers of any length
 * stay, because one may be a whole card number.
 */
export function withoutDrawnNames(text: string): string {
  return text.replaceAll(/(?=[\w-]*[a-z])[\w-]{16,}|(?<=\b(?:127\.0\.0\.1|localhost)):\d+/gi, "…");
}
