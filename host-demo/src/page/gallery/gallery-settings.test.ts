import { describe, expect, it } from "vitest";
import { picturesOf, readSettings, writeSettings } from "./gallery-settings.ts";

const HOST = "https://widget.example";

describe("the gallery's address", () => {
  it("contains only non-default settings, and is parsed back to the same", () => {
    const settings = readSettings(
      new URLSearchParams("group=card&state=card-amex&scheme=all&text=200&accent=%23aa0000&radius=large&labels=inside"),
    );
    expect(Object.fromEntries(writeSettings(settings))).toEqual({
      group: "card",
      state: "card-amex",
      scheme: "all",
      text: "200",
      accent: "#aa0000",
      radius: "large",
      labels: "inside",
    });
    expect(readSettings(writeSettings(settings))).toEqual(settings);
    expect(writeSettings(readSettings(new URLSearchParams())).size).toBe(0);
  });

  it("falls back to the defaults for unknown values", () => {
    const settings = readSettings(
      new URLSearchParams("width=watch&locale=xx&scheme=&text=1&contrast=all&accent=red&font=comic"),
    );
    expect(settings).toEqual(readSettings(new URLSearchParams()));
  });
});

describe("the gallery's frames", () => {
  it("are one for each choice that is compared", () => {
    const all = readSettings(new URLSearchParams("width=all&locale=all&scheme=all"));
    expect(new Set(picturesOf("card", all, HOST).map(({ url, widthPx }) => `${url} ${widthPx}`)).size).toBe(16);
    expect(picturesOf("card", readSettings(new URLSearchParams()), HOST)).toHaveLength(1);
  });

  it("carry only the settings that are changed", () => {
    const query = new URLSearchParams("accent=%23aa0000&content=long&width=768");
    const [picture] = picturesOf("card", readSettings(query), HOST);
    expect(picture?.widthPx).toBe(768);
    const { origin, pathname, searchParams } = new URL(picture?.url ?? "");
    expect(origin + pathname).toBe(`${HOST}/gallery.html`);
    expect(Object.fromEntries(searchParams)).toEqual({
      state: "card",
      locale: "es-CL",
      scheme: "light",
      content: "long",
      accent: "#aa0000",
    });
  });
});
