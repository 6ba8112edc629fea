import { ACCENT_SURROUNDINGS, liftAccent, mixColors, OWN_ACCENT } from "../../embed/accent.ts";

/*
 * The checkout's look. `pnpm --filter widget tokens` writes `tokens.css`, and the build writes `/embed/tokens.json` for
 * design tools. Every name is the name of a custom property.
 */

/** A value, and the CSS of a value that depends on the partner's accent or the screen. */
export interface Token {
  readonly type: "color" | "dimension" | "fontFamily" | "shadow";
  readonly value: unknown;
  readonly css: string;
}
export type Tokens = Readonly<Record<string, Token>>;

function color(hex: string, css = hex): Token {
  const components = [1, 3, 5].map((at) => Number((Number.parseInt(hex.slice(at, at + 2), 16) / 255).toFixed(4)));
  return { type: "color", value: { colorSpace: "srgb", components, hex }, css };
}

function size(value: number, unit: "px" | "rem", css = `${value}${unit}`): Token {
  return { type: "dimension", value: { value, unit }, css };
}

/** A list of families, or a reference to another token. */
function font(css: string): Token {
  const value = css.startsWith("var(")
    ? "{font.system.font}"
    : css.split(",").map((family) => family.trim().replaceAll('"', ""));
  return { type: "fontFamily", value, css };
}

interface ShadowLayer {
  readonly y: number;
  readonly blur: number;
  /** Percentage of the colour's opacity. */
  readonly alpha: number;
}

function shadow(rgb: readonly [number, number, number], ...layers: readonly ShadowLayer[]): Token {
  const px = (value: number) => ({ value, unit: "px" });
  return {
    type: "shadow",
    value: layers.map(({ y, blur, alpha }) => ({
      color: {
        colorSpace: "srgb",
        components: rgb.map((part) => Number((part / 255).toFixed(4))),
        alpha: alpha / 100,
      },
      offsetX: px(0),
      offsetY: px(y),
      blur: px(blur),
      spread: px(0),
    })),
    css: layers.map(({ y, blur, alpha }) => `0 ${y}px ${blur}px rgb(${rgb.join(" ")} / ${alpha}%)`).join(", "),
  };
}

/** The accent and its mixes. On a dark page it is as light as white text on it permits. */
function accents(scheme: "light" | "dark"): Tokens {
  const { surface, text, tintShare } = ACCENT_SURROUNDINGS[scheme];
  const accent = scheme === "light" ? OWN_ACCENT : liftAccent(OWN_ACCENT);
  const property = scheme === "light" ? "--partner-accent" : "--partner-accent-dark";
  return {
    accent: color(accent, `var(${property}, ${accent})`),
    "on-accent": color("#ffffff"),
    "accent-text": color(
      mixColors(accent, text.share, text.towards),
      `color-mix(in srgb, var(--accent) ${text.share * 100}%, ${text.towards})`,
    ),
    "accent-soft": color(
      mixColors(accent, tintShare, surface),
      `color-mix(in srgb, var(--accent) ${tintShare * 100}%, var(--surface))`,
    ),
  };
}

const LIGHT: Tokens = {
  ...accents("light"),
  surface: color(ACCENT_SURROUNDINGS.light.surface),
  "surface-raised": color("#f6f7f6"),
  "surface-sunken": color(ACCENT_SURROUNDINGS.light.sunken),
  text: color("#16211f"),
  "text-soft": color("#50605c"),
  line: color("#dde3e1"),
  "line-strong": color("#7d8c88"),
  danger: color("#b3261e"),
  "danger-soft": color("#fdf1ef"),
  warning: color("#7a4d00"),
  "warning-soft": color("#fdf5e3"),
  success: color("#14683f"),
  "success-soft": color("#ebf6f0"),
  focus: color("#1353c4"),
  shadow: shadow([16, 33, 31], { y: 1, blur: 2, alpha: 6 }, { y: 8, blur: 24, alpha: 6 }),
};

const DARK: Tokens = {
  ...accents("dark"),
  surface: color(ACCENT_SURROUNDINGS.dark.surface),
  "surface-raised": color("#1a2321"),
  "surface-sunken": color(ACCENT_SURROUNDINGS.dark.sunken),
  text: color("#eef3f1"),
  "text-soft": color("#a9b8b3"),
  line: color("#2f3c38"),
  "line-strong": color("#7f908b"),
  danger: color("#ff9d92"),
  "danger-soft": color("#33191a"),
  warning: color("#f3c66b"),
  "warning-soft": color("#2e2513"),
  success: color("#7fd6a6"),
  "success-soft": color("#13291f"),
  focus: color("#8fb8ff"),
  shadow: shadow([0, 0, 0], { y: 1, blur: 2, alpha: 40 }),
};

/** By field of `appearance` and its value. The tokens of each value override those of the first. */
export const TOKENS = {
  color_scheme: { light: LIGHT, dark: DARK },
  radius: {
    medium: { radius: size(10, "px"), "radius-large": size(16, "px") },
    none: { radius: size(0, "px"), "radius-large": size(0, "px") },
    small: { radius: size(5, "px"), "radius-large": size(8, "px") },
    large: { radius: size(16, "px"), "radius-large": size(24, "px") },
  },
  font: {
    system: {
      font: font('system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif'),
      "font-title": font("var(--font)"),
    },
    humanist: {
      font: font('Seravek, "Gill Sans Nova", Ubuntu, Calibri, "DejaVu Sans", source-sans-pro, sans-serif'),
    },
    geometric: { font: font('Avenir, Montserrat, Corbel, "URW Gothic", source-sans-pro, sans-serif') },
    serif: { "font-title": font('"Iowan Old Style", "Palatino Linotype", "URW Palladio L", Georgia, serif') },
  },
  density: {
    comfortable: {
      "space-1": size(4, "px"),
      "space-2": size(8, "px"),
      "space-3": size(12, "px"),
      "space-4": size(16, "px"),
      "space-5": size(24, "px"),
      "space-6": size(32, "px"),
      "size-small": size(0.875, "rem"),
      "size-body": size(1, "rem"),
      "size-title": size(1.375, "rem"),
      "size-amount": size(2.25, "rem", "min(2.25rem, 13vw)"),
      "control-height": size(3, "rem"),
      // Height of controls other than the main button.
      "target-height": size(44, "px"),
    },
    // The main button keeps 44 px, and input its font size: phones zoom into fields with text under 16 px.
    compact: {
      "space-2": size(6, "px"),
      "space-3": size(8, "px"),
      "space-4": size(12, "px"),
      "space-5": size(16, "px"),
      "space-6": size(24, "px"),
      "size-title": size(1.25, "rem"),
      "size-amount": size(1.75, "rem", "min(1.75rem, 13vw)"),
      "control-height": size(2.75, "rem"),
      "target-height": size(36, "px"),
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Tokens>>>>;
