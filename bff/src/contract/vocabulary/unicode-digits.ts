/** The class of a character that separates nothing: punctuation, blanks, marks. Digits have their value, 0 to 9. */
export const IGNORED = 10;
export const LETTER = 11;
/** A character that stands for several, such as `⑫` or `㏫`; see `compositeClasses`. */
export const COMPOSITE = 12;

/** `⅒` stands for three digits. */
export const CLASSES_OF_CHARACTER_MAX = 3;

const UNKNOWN = 255;
const BLOCK_LENGTH = 256;
/** No digit and no letter has a higher code point. */
const CODE_POINTS_MAX = 0x40000;

const classes = new Uint8Array(CODE_POINTS_MAX).fill(UNKNOWN);
const composites = new Map<number, readonly number[]>();

/**
 * The class of a character after Unicode's NFKC. The whole text is never normalized, because many consecutive combining
 * marks would take quadratic time. Composition across characters creates no digits.
 */
export function characterClass(codePoint: number): number {
  if (codePoint >= CODE_POINTS_MAX) return IGNORED;
  const known = classes[codePoint];
  if (known !== UNKNOWN && known !== undefined) return known;
  classifyBlock(codePoint - (codePoint % BLOCK_LENGTH));
  return classes[codePoint] ?? IGNORED;
}

/** The classes of the characters that a composite stands for. */
export function compositeClasses(codePoint: number): readonly number[] {
  return composites.get(codePoint) ?? [];
}

/** Whether the character is a digit, or stands for characters that include one. */
export function standsForDigit(codePoint: number): boolean {
  const found = characterClass(codePoint);
  return found < IGNORED || (found === COMPOSITE && compositeClasses(codePoint).some((part) => part < IGNORED));
}

/** Whether the character is a decimal digit in any script. */
export function isDecimalDigit(codePoint: number): boolean {
  if (codePoint < 0x80) return codePoint >= 0x30 && codePoint <= 0x39;
  return characterClass(codePoint) < IGNORED && /^\p{Nd}$/u.test(String.fromCodePoint(codePoint));
}

function classifyBlock(start: number): void {
  for (let codePoint = start; codePoint < start + BLOCK_LENGTH; codePoint += 1)
    classes[codePoint] = classify(codePoint);
}

function classify(codePoint: number): number {
  const parts: number[] = [];
  for (const part of String.fromCodePoint(codePoint).normalize("NFKC")) {
    const partClass = classOfNormalized(part);
    if (partClass !== IGNORED && !(partClass === LETTER && parts.at(-1) === LETTER)) parts.push(partClass);
  }
  const [only = IGNORED] = parts;
  if (parts.length <= 1) return only;
  composites.set(codePoint, parts);
  return COMPOSITE;
}

function classOfNormalized(character: string): number {
  if (/\p{L}/u.test(character)) return LETTER;
  return /\p{Nd}/u.test(character) ? digitValue(character.codePointAt(0) ?? 0) : IGNORED;
}

/** `٤` → 4. The ten digits of a script are consecutive. */
function digitValue(codePoint: number): number {
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(codePoint - value - 1))) value += 1;
  return value;
}
