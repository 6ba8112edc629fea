/** What the gallery can show at once: one of the choices, or all of them side by side. */
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

/** How a partner may dress the checkout; empty is what the checkout does by itself. */
export const LOOKS = {
  radius: ["none", "small", "medium", "large"],
  font: ["system", "humanist", "geometric", "serif"],
} as const;

/** What the gallery's address says, always whole. */
export interface GallerySettings {
  readonly group: string;
  readonly width: string;
  readonly locale: string;
  readonly scheme: string;
  /** `#rrggbb`, or empty. */
  readonly accent: string;
  readonly radius: string;
  readonly font: string;
}

const DEFAULTS: GallerySettings = {
  group: "summary",
  width: "phone",
  locale: "es-CL",
  scheme: "light",
  accent: "",
  radius: "",
  font: "",
};

function oneOf(value: string | null, known: readonly string[], otherwise: string): string {
  return value !== null && known.includes(value) ? value : otherwise;
}

/** Reads the address; what it does not say, or says wrongly, is as usual. */
export function readSettings(query: URLSearchParams): GallerySettings {
  const choice = (name: keyof typeof CHOICES) =>
    oneOf(query.get(name), [ALL, ...CHOICES[name].map(({ value }) => value)], DEFAULTS[name]);
  const accent = query.get("accent") ?? "";
  return {
    group: query.get("group") ?? DEFAULTS.group,
    width: choice("width"),
    locale: choice("locale"),
    scheme: choice("scheme"),
    accent: /^#[0-9a-f]{6}$/i.test(accent) ? accent : "",
    radius: oneOf(query.get("radius"), LOOKS.radius, ""),
    font: oneOf(query.get("font"), LOOKS.font, ""),
  };
}

/** The shortest address that says the same. */
export function writeSettings(settings: GallerySettings): URLSearchParams {
  const said = Object.entries(settings).filter(([name, value]) => value !== Reflect.get(DEFAULTS, name));
  return new URLSearchParams(said);
}

/** One state in one dress: a frame of the gallery. */
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

/** The frames for a state: one, or as many as there are choices to show side by side. */
export function picturesOf(state: string, settings: GallerySettings, widgetHostUrl: string): readonly Picture[] {
  const { accent, radius, font } = settings;
  const look = Object.entries({ accent, radius, font }).filter(([, value]) => value !== "");
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
