/** WCAG 2.2, 1.4.3. */
const CONTRAST_MIN = 4.5;
/** WCAG 2.2, 1.4.11. */
const SHAPE_CONTRAST_MIN = 3;

function channel(value: number): number {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** Relative luminance of `#rrggbb`, as WCAG defines it. */
function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => channel(Number.parseInt(color.slice(at, at + 2), 16)));
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** Whether white text on this colour is readable; other accents are rejected. */
export function isReadableAccent(accent: string | undefined): accent is string {
  return accent !== undefined && /^#[0-9a-f]{6}$/i.test(accent) && contrast(accent, "#ffffff") >= CONTRAST_MIN;
}

/** The colour of the widget itself. */
export const OWN_ACCENT = "#0b6b61";

/**
 * The colours around the accent in each scheme. Accent-coloured text is a mix: `share` is the accent's part of it,
 * `tintShare` its part of the tinted background behind some of these texts.
 */
export const ACCENT_SURROUNDINGS = {
  light: { surface: "#ffffff", sunken: "#eef0ef", text: { share: 0.88, towards: "#000000" }, tintShare: 0.08 },
  dark: { surface: "#121917", sunken: "#222d2a", text: { share: 0.45, towards: "#ffffff" }, tintShare: 0.22 },
} as const;
type Scheme = keyof typeof ACCENT_SURROUNDINGS;

/** Text on the button, links on the page and on the accent's tint, and the button's shape against the page. */
export const ACCENT_PLACES = ["button_words", "text", "text_on_tint", "button_shape"] as const;
export type AccentPlace = (typeof ACCENT_PLACES)[number];

export interface AccentContrast {
  readonly ratio: number;
  /** WCAG 2.2: 1.4.3 for text, 1.4.11 for the shape of a button. */
  readonly min: number;
}

export interface AccentVerdict {
  readonly ratio: number;
  readonly min: number;
  /** Whether white text on it is readable: `ratio` reaches `min`. */
  readonly isTaken: boolean;
  /**
   * The colour that the widget shows: the accent, or the widget's own colour; lightened on a dark page (`liftAccent`).
   */
  readonly shown: string;
  /** The contrasts of the shown colour. */
  readonly contrasts: Readonly<Record<AccentPlace, Readonly<Record<Scheme, AccentContrast>>>>;
}

/**
 * The accent, lightened as far as white text on it permits. The button then stands out on a dark page, in the partner's
 * hue.
 */
export function liftAccent(accent: string): string {
  let lifted = accent;
  for (let percent = 99; percent > 0; percent -= 1) {
    const lighter = mixColors(accent, percent / 100, "#ffffff");
    if (contrast(lighter, "#ffffff") < CONTRAST_MIN) break;
    lifted = lighter;
  }
  return lifted;
}

/** The effect of an accent (`#rrggbb`), if no other was set before. */
export function judgeAccent(accent: string): AccentVerdict {
  const isTaken = isReadableAccent(accent);
  const shown = isTaken ? accent : OWN_ACCENT;
  const inBoth = (of: AccentPlace) => ({ light: contrastOf(shown, of, "light"), dark: contrastOf(shown, of, "dark") });
  return {
    ratio: contrast(accent, "#ffffff"),
    min: CONTRAST_MIN,
    isTaken,
    shown,
    contrasts: {
      button_words: inBoth("button_words"),
      text: inBoth("text"),
      text_on_tint: inBoth("text_on_tint"),
      button_shape: inBoth("button_shape"),
    },
  };
}

function contrastOf(taken: string, of: AccentPlace, scheme: Scheme): AccentContrast {
  const accent = scheme === "dark" ? liftAccent(taken) : taken;
  const { surface, text, tintShare } = ACCENT_SURROUNDINGS[scheme];
  const words = mixColors(accent, text.share, text.towards);
  switch (of) {
    case "button_words":
      return { ratio: contrast(accent, "#ffffff"), min: CONTRAST_MIN };
    case "text":
      return { ratio: contrast(words, surface), min: CONTRAST_MIN };
    case "text_on_tint":
      return { ratio: contrast(words, mixColors(accent, tintShare, surface)), min: CONTRAST_MIN };
    case "button_shape":
      return { ratio: contrast(accent, surface), min: SHAPE_CONTRAST_MIN };
  }
}

/** `color-mix(in srgb, one share, other)`. */
export function mixColors(one: string, share: number, other: string): string {
  const channels = [1, 3, 5].map((at) => {
    const [a = 0, b = 0] = [one, other].map((color) => Number.parseInt(color.slice(at, at + 2), 16));
    return Math.round(a * share + b * (1 - share));
  });
  return `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}
