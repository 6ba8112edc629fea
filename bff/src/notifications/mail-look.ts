import type { Appearance } from "../contract/widget-tokens.ts";

/** The product's green. Used if the clinic has no colour on which white text is readable. */
const OWN_ACCENT = "#0b6b61";
/** WCAG 2.2, 1.4.3. */
const CONTRAST_MIN = 4.5;

/** The colour of a clinic's mails and documents, on which white text is readable. */
export function accentOf({ accent }: Pick<Appearance, "accent">): string {
  return accent !== undefined && contrastWithWhite(accent) >= CONTRAST_MIN ? accent.toLowerCase() : OWN_ACCENT;
}

/** The contrast of a colour `#rrggbb` with white, from 1 to 21. */
export function contrastWithWhite(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => linear(Number.parseInt(colour.slice(at, at + 2), 16)));
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}

function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
