import { TOKENS } from "../design/tokens.ts";

/* Settings of a patient's device that a designer's browser lacks, imitated by changing the page's styles. */

const TEXT_SIZES = ["100", "130", "200"];

/** Imitates the device that the URL requests: `text` in percent, `contrast=forced`, `motion=reduced`. */
export function imitateDevice(query: URLSearchParams): void {
  const text = query.get("text");
  if (text !== null && TEXT_SIZES.includes(text)) document.documentElement.style.fontSize = `${text}%`;
  if (query.get("motion") === "reduced") applyRulesFor("prefers-reduced-motion: reduce");
  if (query.get("contrast") !== "forced") return;
  applyRulesFor("forced-colors: active");
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(forcedColors());
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

/** Applies the page's rules for a media feature, whatever the browser's own setting. */
function applyRulesFor(feature: string): void {
  for (const { cssRules } of document.styleSheets) {
    for (const rule of cssRules) {
      if (rule instanceof CSSMediaRule && rule.conditionText.includes(feature)) rule.media.mediaText = "all";
    }
  }
}

/** An approximation: the system's colours for every token, and all borders visible. */
function forcedColors(): string {
  const colors = Object.entries(TOKENS.color_scheme.light).map(
    ([name, { type }]) => `--${name}: ${type === "color" ? systemColorOf(name) : "none"};`,
  );
  const all = [".aapd-frame *", ".aapd-frame *::before", ".aapd-frame *::after"].join(", ");
  return `
    .aapd-frame.aapd-frame.aapd-frame { ${colors.join(" ")} }
    ${all} { border-color: CanvasText !important; text-shadow: none !important; }
  `;
}

function systemColorOf(token: string): string {
  if (token === "focus") return "Highlight";
  if (token === "accent-text") return "LinkText";
  const isGround =
    token.startsWith("surface") || token === "accent" || (token.endsWith("-soft") && token !== "text-soft");
  return isGround ? "Canvas" : "CanvasText";
}
