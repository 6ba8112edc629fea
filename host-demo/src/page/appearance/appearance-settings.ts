import { OWN_ACCENT } from "widget/embed/accent";
import { type Look, ownPartOf, readLook } from "./look.ts";

export const SCHEMES = [
  { value: "auto", words: "Automáticos" },
  { value: "light", words: "Claros" },
  { value: "dark", words: "Oscuros" },
] as const;
type SchemeChoice = (typeof SCHEMES)[number]["value"];

export const WIDTHS = [
  { value: "phone", words: "Teléfono" },
  { value: "desktop", words: "Escritorio" },
] as const;
type Width = (typeof WIDTHS)[number]["value"];

/** The state in the page's address: the look with its colour scheme, and the width of the previews. */
export interface AppearanceSettings {
  readonly look: Look;
  readonly scheme: SchemeChoice;
  readonly width: Width;
}

export function readAppearanceSettings(query: URLSearchParams): AppearanceSettings {
  return {
    look: readLook(query),
    scheme: SCHEMES.find(({ value }) => value === query.get("color_scheme"))?.value ?? "auto",
    width: WIDTHS.find(({ value }) => value === query.get("width"))?.value ?? "phone",
  };
}

/** The shortest query for these settings. */
export function writeAppearanceSettings(settings: AppearanceSettings): URLSearchParams {
  const { width } = settings;
  return new URLSearchParams({ ...appearanceOf(settings), ...(width === "phone" ? {} : { width }) });
}

/** The settings that a page has to pass for this look: only those that differ from the widget's own. */
export function appearanceOf({ look, scheme }: AppearanceSettings): Record<string, string> {
  return { ...ownPartOf(look), ...(scheme === "auto" ? {} : { color_scheme: scheme }) };
}

/**
 * The same look with every setting explicit. A mounted checkout keeps settings that a change omits, so a setting
 * returns to the widget's own only if that is passed.
 */
export function wholeAppearanceOf({ look, scheme }: AppearanceSettings): Record<string, string> {
  return { ...look, accent: look.accent || OWN_ACCENT, color_scheme: scheme };
}

/** The code of a partner's page for this look, ready to be copied. */
export function snippetOf(settings: AppearanceSettings, widgetHostUrl: string): string {
  const lines = Object.entries(appearanceOf(settings)).map(([name, value]) => `    ${name}: ${JSON.stringify(value)},`);
  const appearance = lines.length === 0 ? [] : ["  appearance: {", ...lines, "  },"];
  return [
    `import { mountCheckout } from ${JSON.stringify(`${widgetHostUrl}/embed/v1.js`)};`,
    "",
    'mountCheckout(document.querySelector("#checkout"), {',
    "  url,",
    ...appearance,
    "});",
  ].join("\n");
}
