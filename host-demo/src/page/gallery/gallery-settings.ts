import { type Look, ownPartOf, readLook } from "../appearance/look.ts";

export const ALL = "all";

/** The settings that can show either one choice or all of them side by side. */
export const CHOICES = {
  width: [
    { value: "320", words: "320 px" },
    { value: "360", words: "360 px" },
    { value: "390", words: "390 px" },
    { value: "768", words: "768 px" },
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

/** What the gallery imitates of a patient's device and data. The first choice is the default. */
export const IMITATED = {
  text: [
    { value: "100", words: "100 %" },
    { value: "130", words: "130 %" },
    { value: "200", words: "200 %" },
  ],
  contrast: [
    { value: "normal", words: "Normal" },
    { value: "forced", words: "Colores forzados (aprox.)" },
  ],
  motion: [
    { value: "normal", words: "Normal" },
    { value: "reduced", words: "Reducido" },
  ],
  content: [
    { value: "normal", words: "Normal" },
    { value: "long", words: "Nombres y montos largos" },
  ],
} as const;

export type ChoiceName = keyof typeof CHOICES;
export type ImitatedName = keyof typeof IMITATED;

/** The settings in the gallery's address, with defaults for those that are absent. */
export interface GallerySettings extends Readonly<Record<ChoiceName | ImitatedName, string>> {
  readonly group: string;
  /** The only state that is shown; an empty string shows all states of the group. */
  readonly state: string;
  readonly look: Look;
}

const DEFAULTS: Omit<GallerySettings, "look"> = {
  group: "summary",
  state: "",
  width: "360",
  locale: "es-CL",
  scheme: "light",
  text: IMITATED.text[0].value,
  contrast: IMITATED.contrast[0].value,
  motion: IMITATED.motion[0].value,
  content: IMITATED.content[0].value,
};

/** Reads the settings from the address; absent and invalid ones get their defaults. */
export function readSettings(query: URLSearchParams): GallerySettings {
  const oneOf = (name: ChoiceName | ImitatedName, known: readonly string[]) => {
    const value = query.get(name);
    return value !== null && known.includes(value) ? value : DEFAULTS[name];
  };
  const choice = (name: ChoiceName) => oneOf(name, [ALL, ...CHOICES[name].map(({ value }) => value)]);
  const imitated = (name: ImitatedName) =>
    oneOf(
      name,
      IMITATED[name].map(({ value }) => value),
    );
  return {
    group: query.get("group") ?? DEFAULTS.group,
    state: query.get("state") ?? DEFAULTS.state,
    width: choice("width"),
    locale: choice("locale"),
    scheme: choice("scheme"),
    text: imitated("text"),
    contrast: imitated("contrast"),
    motion: imitated("motion"),
    content: imitated("content"),
    look: readLook(query),
  };
}

/** The shortest query for these settings. */
export function writeSettings({ look, ...settings }: GallerySettings): URLSearchParams {
  return new URLSearchParams([...changedOf(settings), ...Object.entries(ownPartOf(look))]);
}

function changedOf(settings: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(settings).filter(([name, value]) => value !== Reflect.get(DEFAULTS, name));
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
  const { look, text, contrast, motion, content } = settings;
  const rest = [...changedOf({ text, contrast, motion, content }), ...Object.entries(ownPartOf(look))];
  return chosen(CHOICES.width, settings.width).flatMap((width) =>
    chosen(CHOICES.locale, settings.locale).flatMap((locale) =>
      chosen(CHOICES.scheme, settings.scheme).map((scheme): Picture => {
        const query = new URLSearchParams([
          ["state", state],
          ["locale", locale.value],
          ["scheme", scheme.value],
          ...rest,
        ]);
        return {
          state,
          words: [width, locale, scheme].map(({ words }) => words.toLowerCase()).join(", "),
          scheme: scheme.value,
          widthPx: Number(width.value),
          url: `${widgetHostUrl}/gallery.html?${query}`,
        };
      }),
    ),
  );
}
