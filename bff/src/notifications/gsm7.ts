/*
 * GSM 03.38, the alphabet of short messages: 153 characters fit in each part of a long message. One character outside
 * of it makes the whole message UCS-2, with 67 in a part, which doubles its cost.
 */

const BASIC = new Set(
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà",
);
/** Each of these takes the place of two characters. */
const EXTENDED = new Set("^{}\\[~]|€");
const SEPTETS_PER_PART = 153;
const SEPTETS_ALONE = 160;

/** Replacements of punctuation that the alphabet lacks. */
const PUNCTUATION: Readonly<Record<string, string>> = {
  "…": "...",
  "–": "-",
  "—": "-",
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "«": '"',
  "»": '"',
  "•": "-",
  "\u00a0": " ",
};

/**
 * A text in the alphabet of short messages. Accents that it lacks are dropped (`í` becomes `i`), but letters that it
 * has stay (`ñ`). Any other character becomes a question mark.
 */
export function toGsm7(text: string): string {
  return Array.from(text.normalize("NFC"), characterOf).join("");
}

function characterOf(character: string): string {
  if (isGsm7(character)) return character;
  const [bare = ""] = character.normalize("NFD");
  return PUNCTUATION[character] ?? (isGsm7(bare) ? bare : "?");
}

function isGsm7(character: string): boolean {
  return BASIC.has(character) || EXTENDED.has(character);
}

/** How many parts a message is sent in. Throws a `RangeError` for a text that is not in the alphabet. */
export function gsm7Parts(text: string): number {
  let septets = 0;
  for (const character of text) {
    if (!isGsm7(character)) throw new RangeError(`${JSON.stringify(character)} is not in GSM 03.38.`);
    septets += EXTENDED.has(character) ? 2 : 1;
  }
  return septets <= SEPTETS_ALONE ? 1 : Math.ceil(septets / SEPTETS_PER_PART);
}
