import type { Appearance } from "bff/contract/widget-tokens";

/** The settings of the look with a few choices, in designers' words. */
export const LOOK_CHOICES = {
  radius: [
    { value: "none", words: "Rectos" },
    { value: "small", words: "Pequeños" },
    { value: "medium", words: "Medianos" },
    { value: "large", words: "Grandes" },
  ],
  font: [
    { value: "system", words: "Del sistema" },
    { value: "humanist", words: "Humanista" },
    { value: "geometric", words: "Geométrica" },
    { value: "serif", words: "Con serifa" },
  ],
  density: [
    { value: "comfortable", words: "Cómoda" },
    { value: "compact", words: "Compacta" },
  ],
  labels: [
    { value: "above", words: "Encima" },
    { value: "inside", words: "Dentro" },
  ],
} as const satisfies { [Name in keyof Appearance]: readonly { value: Appearance[Name]; words: string }[] };
export type LookName = keyof typeof LOOK_CHOICES;

/** The look of the checkout, except for the colour scheme. These are the defaults. */
export interface Look {
  /** `#rrggbb`; an empty string is the widget's own. */
  readonly accent: string;
  readonly radius: string;
  readonly font: string;
  readonly density: string;
  readonly labels: string;
}

export const OWN_LOOK: Look = {
  accent: "",
  radius: "medium",
  font: "system",
  density: "comfortable",
  labels: "above",
};

export function isColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

/** Parses a look from an address; absent and unknown settings are the widget's own. */
export function readLook(query: URLSearchParams): Look {
  const accent = query.get("accent") ?? "";
  const choice = (name: LookName): string =>
    LOOK_CHOICES[name].find(({ value }) => value === query.get(name))?.value ?? OWN_LOOK[name];
  return {
    accent: isColor(accent) ? accent.toLowerCase() : OWN_LOOK.accent,
    radius: choice("radius"),
    font: choice("font"),
    density: choice("density"),
    labels: choice("labels"),
  };
}

/** The settings of a look that differ from the widget's own, by their wire names. */
export function ownPartOf({ accent, radius, font, density, labels }: Look): Record<string, string> {
  const settings = Object.entries({ accent, radius, font, density, labels });
  return Object.fromEntries(settings.filter(([name, value]) => value !== Reflect.get(OWN_LOOK, name)));
}
