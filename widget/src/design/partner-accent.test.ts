import { expect, it } from "vitest";
import { contrast, isReadableAccent } from "./partner-accent.ts";

it("contrast is counted as WCAG counts it", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
  expect(contrast("#767676", "#ffffff")).toBeGreaterThanOrEqual(4.5);
  expect(contrast("#777777", "#ffffff")).toBeLessThan(4.5);
});

it("an accent on which white words cannot be read is not taken", () => {
  expect(isReadableAccent("#6a1b9a")).toBe(true);
  expect(isReadableAccent("#ffd400")).toBe(false);
  expect(isReadableAccent("red; } body { display: none")).toBe(false);
  expect(isReadableAccent(undefined)).toBe(false);
});

/** `color-mix(in srgb, one share, other)`. */
function mix(one: string, share: number, other: string): string {
  const channels = [1, 3, 5].map((at) => {
    const [a, b] = [one, other].map((color) => Number.parseInt(color.slice(at, at + 2), 16));
    return Math.round((a ?? 0) * share + (b ?? 0) * (1 - share));
  });
  return `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

const channels = Array.from({ length: 18 }, (_, step) => (step * 15).toString(16).padStart(2, "0"));
const accents = channels.flatMap((red) =>
  channels.flatMap((green) => channels.map((blue) => `#${red}${green}${blue}`)),
);

// The shares are those of tokens.css.
it.each([
  { scheme: "light", surface: "#ffffff", sunken: "#eef0ef", text: [0.88, "#000000"], soft: 0.08 },
  { scheme: "dark", surface: "#121917", sunken: "#222d2a", text: [0.45, "#ffffff"], soft: 0.22 },
] as const)("every accent that is taken can be read wherever it stands as text: $scheme", (look) => {
  const taken = accents.filter(isReadableAccent);
  expect(taken.length).toBeGreaterThan(1_000);
  for (const accent of taken) {
    const [share, towards] = look.text;
    const text = mix(accent, share, towards);
    const tint = mix(accent, look.soft, look.surface);
    for (const ground of [look.surface, tint])
      expect(contrast(text, ground), `${accent} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    // Where it fills a segment or draws a border, it is no text (WCAG 2.2, 1.4.11).
    expect(contrast(text, look.sunken), `${accent} on ${look.sunken}`).toBeGreaterThanOrEqual(3);
  }
});
