import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  ACCENT_PLACES,
  ACCENT_SURROUNDINGS,
  contrast,
  isReadableAccent,
  judgeAccent,
  mixColors,
  OWN_ACCENT,
} from "./accent.ts";

it("contrast is counted as WCAG counts it", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
  expect(contrast("#767676", "#ffffff")).toBeGreaterThanOrEqual(4.5);
  expect(contrast("#777777", "#ffffff")).toBeLessThan(4.5);
  // So dark that WCAG counts it in another way: 8 / 255 / 12.92 of each part.
  expect(contrast("#080808", "#ffffff")).toBeCloseTo(1.05 / (8 / 255 / 12.92 + 0.05), 6);
});

it("colours are mixed part by part", () => {
  expect(mixColors("#102030", 0.25, "#50a0f0")).toBe("#4080c0");
});

it("an accent on which white words cannot be read is not taken", () => {
  expect(isReadableAccent("#6a1b9a")).toBe(true);
  expect(isReadableAccent("#ffd400")).toBe(false);
  expect(isReadableAccent("red; } body { display: none")).toBe(false);
  expect(isReadableAccent("#6a1b9a; } body { display: none")).toBe(false);
  expect(isReadableAccent(undefined)).toBe(false);
});

const tokens = readFileSync(join(import.meta.dirname, "../src/design/tokens.css"), "utf8");

const channels = Array.from({ length: 18 }, (_, step) => (step * 15).toString(16).padStart(2, "0"));
const accents = channels.flatMap((red) =>
  channels.flatMap((green) => channels.map((blue) => `#${red}${green}${blue}`)),
);

describe.each(["light", "dark"] as const)("in the %s scheme", (scheme) => {
  it("every accent that is taken can be read wherever it stands as text", () => {
    const taken = accents.filter(isReadableAccent);
    expect(taken.length).toBeGreaterThan(1_000);
    const { sunken, text } = ACCENT_SURROUNDINGS[scheme];
    for (const accent of taken) {
      const { contrasts } = judgeAccent(accent);
      for (const place of ACCENT_PLACES) {
        const { ratio, min } = contrasts[place][scheme];
        expect(ratio, `${accent}: ${place}`).toBeGreaterThanOrEqual(min ?? 1);
      }
      // Where it fills a segment or draws a border, it is no text (WCAG 2.2, 1.4.11).
      const words = mixColors(accent, text.share, text.towards);
      expect(contrast(words, sunken), `${accent} on ${sunken}`).toBeGreaterThanOrEqual(3);
    }
  });

  it("what stands around the accent is what the style sheet has", () => {
    const { surface, sunken, text, tintShare } = ACCENT_SURROUNDINGS[scheme];
    const rules = tokens.slice(
      tokens.indexOf(scheme === "light" ? ".aapd-frame {" : '.aapd-frame[data-scheme="dark"] {'),
    );
    const named = (name: string) => rules.slice(rules.indexOf(`--${name}: `) + name.length + 4).split(";")[0];
    expect(named("surface")).toBe(surface);
    expect(named("surface-sunken")).toBe(sunken);
    expect(named("accent-text")).toBe(`color-mix(in srgb, var(--accent) ${text.share * 100}%, ${text.towards})`);
    expect(named("accent-soft")).toBe(`color-mix(in srgb, var(--accent) ${tintShare * 100}%, var(--surface))`);
  });
});

describe("what becomes of an accent", () => {
  it("on which white words can be read: it is shown as it is", () => {
    expect(judgeAccent("#6a1b9a")).toMatchObject({ isTaken: true, shown: "#6a1b9a" });
    const { ratio } = judgeAccent("#767676");
    expect(ratio).toBeGreaterThanOrEqual(4.5);
    expect(ratio).toBeLessThan(4.6);
  });

  it("on which they cannot: the widget's own is shown, and what is told is told of that", () => {
    const verdict = judgeAccent("#ffd400");
    expect(verdict).toMatchObject({ isTaken: false, shown: OWN_ACCENT });
    expect(verdict.ratio).toBeLessThan(4.5);
    expect(verdict.contrasts).toEqual(judgeAccent(OWN_ACCENT).contrasts);
    expect(tokens).toContain(`--accent: var(--partner-accent, ${OWN_ACCENT});`);
  });
});
