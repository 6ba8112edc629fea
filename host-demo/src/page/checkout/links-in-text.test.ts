import { describe, expect, it } from "vitest";
import { linksInText } from "./links-in-text.ts";

const links = (text: string) =>
  linksInText(text)
    .filter(({ isLink }) => isLink)
    .map((part) => part.text);

describe("links in a patient's mail", () => {
  it("are found without the sentence's punctuation, and the text stays complete", () => {
    const text = "Entra en https://pago.example/?widget_token=wt_1&x=2. Si no (http://a.example/b), escribe.";
    expect(links(text)).toEqual(["https://pago.example/?widget_token=wt_1&x=2", "http://a.example/b"]);
    expect(
      linksInText(text)
        .map((part) => part.text)
        .join(""),
    ).toBe(text);
  });

  it("are web addresses only", () => {
    expect(links("javascript:alert(1) data:text/html,x ftp://a.example")).toEqual([]);
  });
});
