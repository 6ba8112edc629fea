import { appearanceSchema } from "bff/contract/widget-tokens";
import { describe, expect, it } from "vitest";
import { OWN_ACCENT } from "widget/embed/accent";
import {
  type AppearanceSettings,
  readAppearanceSettings,
  snippetOf,
  wholeAppearanceOf,
  writeAppearanceSettings,
} from "./appearance-settings.ts";
import { LOOK_CHOICES } from "./look.ts";

const HOST = "https://widget.example";
const read = (query: string) => readAppearanceSettings(new URLSearchParams(query));
const everyKnob = read(
  "accent=%230A7D55&radius=large&font=serif&density=compact&labels=inside&color_scheme=dark&width=desktop",
);

/** Runs a snippet as a partner's module would, and returns the options with which it mounts the checkout. */
function mountedBy(snippet: string) {
  const [importLine = "", ...rest] = snippet.split("\n");
  expect(importLine).toBe('import { mountCheckout } from "https://widget.example/embed/v1.js";');
  const run = new Function("mountCheckout", "document", "url", rest.join("\n"));
  const mounted: { readonly url: unknown; readonly appearance?: unknown }[] = [];
  const document = { querySelector: (selector: string) => selector };
  run(
    (container: unknown, options: (typeof mounted)[number]) => {
      expect(container).toBe("#checkout");
      mounted.push(options);
    },
    document,
    "https://widget.example/?widget_token=t",
  );
  expect(mounted).toHaveLength(1);
  return mounted[0];
}

describe("the page's address", () => {
  it("keeps every knob, and contains only settings that differ from the widget's own", () => {
    expect(readAppearanceSettings(writeAppearanceSettings(everyKnob))).toEqual(everyKnob);
    expect(writeAppearanceSettings(read("")).size).toBe(0);
    expect(String(writeAppearanceSettings(read("density=compact&labels=above")))).toBe("density=compact");
  });

  it("falls back to the widget's own for unknown values", () => {
    expect(read("accent=red&radius=huge&font=comic&density=dense&labels=below&color_scheme=sepia&width=2")).toEqual(
      read(""),
    );
  });
});

describe("the snippet", () => {
  it("is code that mounts the checkout with exactly the look of the knobs", () => {
    const mounted = mountedBy(snippetOf(everyKnob, HOST));
    expect(mounted?.url).toBe("https://widget.example/?widget_token=t");
    expect(mounted?.appearance).toEqual({
      accent: "#0a7d55",
      radius: "large",
      font: "serif",
      density: "compact",
      labels: "inside",
      color_scheme: "dark",
    });
  });

  it("omits the look if everything is the widget's own", () => {
    expect(mountedBy(snippetOf(read(""), HOST))).toEqual({ url: "https://widget.example/?widget_token=t" });
  });

  const each: [string, string][] = Object.entries(LOOK_CHOICES).flatMap(([name, choices]) =>
    choices.map(({ value }): [string, string] => [name, value]),
  );
  it.each([...each, ["color_scheme", "light"], ["color_scheme", "dark"]])(
    "passes %s %s to the contract unchanged",
    (name, value) => {
      const settings: AppearanceSettings = read(`${name}=${value}`);
      const passed = mountedBy(snippetOf(settings, HOST))?.appearance ?? {};
      expect(appearanceSchema.parse(passed)).toEqual(passed);
      const whole = wholeAppearanceOf(settings);
      expect(appearanceSchema.parse(whole)).toEqual(whole);
      expect(whole[name]).toBe(value);
    },
  );
});

it("the preview gets the widget's own colour if no other is chosen", () => {
  expect(wholeAppearanceOf(read(""))).toEqual({
    accent: OWN_ACCENT,
    radius: "medium",
    font: "system",
    density: "comfortable",
    labels: "above",
    color_scheme: "auto",
  });
});
