import { describe, expect, it } from "vitest";
import {
  ACCENT_PLACES,
  ACCENT_SURROUNDINGS,
  contrast,
  isReadableAccent,
  judgeAccent,
  liftAccent,
  mixColors,
  OWN_ACCENT,
} from "./accent.ts";

it("contrast is counted as WCAG counts it", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
  expect(contrast("#767676", "#ffffff")).toBeGreaterThanOrEqual(4.5);
  expect(contrast("#777777", "#ffffff")).toBeLessThan(4.5);
  // So dark that WCAG uses its linear formula: 8 / 255 / 12.92 of each channel.
  expect(contrast("#080808", "#ffffff")).toBeCloseTo(1.05 / (8 / 255 / 12.92 + 0.05), 6);
});

it("mixing two colours mixes each channel", () => {
  expect(mixColors("#102030", 0.25, "#50a0f0")).toBe("#4080c0");
});

it("an accent on a dark page is lightened only until white text on it is still readable", () => {
  const { surface } = ACCENT_SURROUNDINGS.dark;
  for (const accent of ["#000000", OWN_ACCENT, "#0000ff", "#c2185b"]) {
    const lifted = liftAccent(accent);
    expect(contrast(lifted, "#ffffff")).toBeGreaterThanOrEqual(4.5);
    expect(contrast(lifted, "#ffffff")).toBeLessThan(4.7);
    expect(contrast(lifted, surface)).toBeGreaterThan(contrast(accent, surface));
  }
  expect(liftAccent("#767676")).toBe("#767676");
});

it("an accent on which white text is unreadable is rejected", () => {
  expect(isReadableAccent("#6a1b9a")).toBe(true);
  expect(isReadableAccent("#ffd400")).toBe(false);
  expect(isReadableAccent("red; } body { display: none")).toBe(false);
  expect(isReadableAccent("#6a1b9a; } body { display: none")).toBe(false);
  expect(isReadableAccent(undefined)).toBe(false);
});

const channels = Array.from({ length: 18 }, (_, step) => (step * 15).toString(16).padStart(2, "0"));
const accents = channels.flatMap((red) =>
  channels.flatMap((green) => channels.map((blue) => `#${red}${green}${blue}`)),
);

describe.each(["light", "dark"] as const)("in the %s scheme", (scheme) => {
  it("every accepted accent is readable wherever it is used for text", () => {
    const taken = accents.filter(isReadableAccent);
    expect(taken.length).toBeGreaterThan(1_000);
    const { sunken, text } = ACCENT_SURROUNDINGS[scheme];
    for (const given of taken) {
      const accent = scheme === "dark" ? liftAccent(given) : given;
      const { contrasts } = judgeAccent(given);
      for (const place of ACCENT_PLACES) {
        const { ratio, min } = contrasts[place][scheme];
        expect(ratio, `${given}: ${place}`).toBeGreaterThanOrEqual(min);
      }
      // An accent that fills a segment or draws a border is not text (WCAG 2.2, 1.4.11).
      const words = mixColors(accent, text.share, text.towards);
      expect(contrast(words, sunken), `${accent} on ${sunken}`).toBeGreaterThanOrEqual(3);
    }
  });
});

describe("accent of a partner", () => {
  it("shows an accent with readable white words unchanged", () => {
    expect(judgeAccent("#6a1b9a")).toMatchObject({ isTaken: true, shown: "#6a1b9a" });
    const { ratio } = judgeAccent("#767676");
    expect(ratio).toBeGreaterThanOrEqual(4.5);
    expect(ratio).toBeLessThan(4.6);
  });

  it("replaces an accent too light for white text with the default, and reports the default's contrasts", () => {
    const verdict = judgeAccent("#ffd400");
    expect(verdict).toMatchObject({ isTaken: false, shown: OWN_ACCENT });
    expect(verdict.ratio).toBeLessThan(4.5);
    expect(verdict.contrasts).toEqual(judgeAccent(OWN_ACCENT).contrasts);
  });
});
