import { type Look, ownPartOf, readLook } from "../appearance/look.ts";

/** The gallery's settings that can show either one choice or all of them side by side. */
export const CHOICES = {
  width: [
    { value: "phone", words: "Teléfono", widthPx: 360 },
    { value: "desktop", words: "Escritorio", widthPx: 760 },
  ],
  locale: [
    { value: "es-CL", words: "Español" },
    { value: "en", words: "Inglés" },
  ],
  scheme: [
    { value: "light", words: "Claro" },
    { value: "dark", words: "Oscuro" },
  ],
} as const;
export const ALL = "all";

/** The settings in the gallery's address, with defaults for those that are absent. */
export interface GallerySettings {
  readonly group: string;
  readonly width: string;
  readonly locale: string;
  readonly scheme: string;
  readonly look: Look;
}

const DEFAULTS = {
  group: "summary",
  width: "phone",
  locale: "es-CL",
  scheme: "light",
} as const;

function oneOf(value: string | null, known: readonly string[], otherwise: string): string {
  return value !== null && known.includes(value) ? value : otherwise;
}

/** Reads the settings from the address; absent and invalid ones get their defaults. */
export function readSettings(query: URLSearchParams): GallerySettings {
  const choice = (name: keyof typeof CHOICES) =>
    oneOf(query.get(name), [ALL, ...CHOICES[name].map(({ value }) => value)], DEFAULTS[name]);
  return {
    group: query.get("group") ?? DEFAULTS.group,
    width: choice("width"),
    locale: choice("locale"),
    scheme: choice("scheme"),
    look: readLook(query),
  };
}

/** The shortest query for these settings. */
export function writeSettings({ look, ...settings }: GallerySettings): URLSearchParams {
  const changed = Object.entries(settings).filter(([name, value]) => value !== Reflect.get(DEFAULTS, name));
  return new URLSearchParams([...changed, ...Object.entries(ownPartOf(look))]);
}

/** One state with one choice of settings: a frame of the gallery. */
export interface Picture {
  readonly state: string;
  readonly words: string;
  readonly scheme: string;
  readonly widthPx: number;
  readonly url: string;
}

function chosen<Choice extends { readonly value: string }>(
  choices: readonly Choice[],
  value: string,
): readonly Choice[] {
  return value === ALL ? choices : choices.filter((choice) => choice.value === value);
}

/** The frames for a state: one, or one for each choice that is shown side by side. */
export function picturesOf(state: string, settings: GallerySettings, widgetHostUrl: string): readonly Picture[] {
  const look = Object.entries(ownPartOf(settings.look));
  return chosen(CHOICES.width, settings.width).flatMap((width) =>
    chosen(CHOICES.locale, settings.locale).flatMap((locale) =>
      chosen(CHOICES.scheme, settings.scheme).map((scheme): Picture => {
        const query = new URLSearchParams([
          ["state", state],
          ["locale", locale.value],
          ["scheme", scheme.value],
          ...look,
        ]);
        return {
          state,
          words: [width, locale, scheme].map(({ words }) => words.toLowerCase()).join(", "),
          scheme: scheme.value,
          widthPx: width.widthPx,
          url: `${widgetHostUrl}/gallery.html?${query}`,
        };
      }),
    ),
  );
}
