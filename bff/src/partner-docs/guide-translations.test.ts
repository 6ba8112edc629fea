import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Lexer, type MarkedToken, type Token } from "marked";
import { describe, expect, it } from "vitest";
import {
  CATALOGUE_ACCOUNTS,
  CATALOGUE_ADDRESSES,
  CATALOGUE_CARDS,
  CATALOGUE_NUMBERS,
  CATALOGUE_PATIENTS,
  CATALOGUE_SERIALS,
} from "../../sandbox/catalogue.ts";
import { openApiDocument } from "./openapi.ts";
import { GUIDE_FOLDER } from "./pages/pages.ts";
import { causesInSpanish, eventsInSpanish } from "./pages/spanish-values.ts";

const filesIn = (language: string) => readdirSync(join(GUIDE_FOLDER, language)).toSorted();
const read = (language: string, file: string) => readFileSync(join(GUIDE_FOLDER, language, file), "utf8");

/**
 * What a page has besides its words: headings with their ids, paragraphs, lists, rows and samples, in their order, each
 * with its code, links and placeholders.
 */
function structureOf(template: string): string[] {
  const apart = template.replaceAll(/^\{\{(?:#if \w+|\/if)\}\}$/gm, "\n$&\n");
  return new Lexer().lex(apart).flatMap((token) => structureOfBlock(token as MarkedToken));
}

function structureOfBlock(token: MarkedToken): string[] {
  switch (token.type) {
    case "space":
      return [];
    case "heading":
      return [`heading ${token.depth} ${/\{#[\w-]+\}$/.exec(token.text)?.[0] ?? ""}`];
    case "code":
      return [`code ${token.lang?.replace(/^(\S+ (?:tab .*|fold)?).*/s, "$1")}\n${token.text}`];
    case "list":
      return [`list ${token.items.length}`, ...token.items.map(({ tokens }) => `item ${marksOf(tokens)}`)];
    case "table":
      return [
        `table ${token.header.length} ${token.rows.length}`,
        ...token.rows.map((cells) => `row ${cells.map(({ tokens }) => marksOf(tokens)).join(" | ")}`),
      ];
    default:
      return [`${token.type} ${"tokens" in token ? marksOf(token.tokens ?? []) : ""}`];
  }
}

/** Code, links and placeholders, sorted, because another language may name them in another order. */
function marksOf(tokens: readonly Token[]): string {
  const marks = tokens.flatMap(function marks(token): string[] {
    const inner = "tokens" in token ? (token.tokens ?? []).flatMap(marks) : [];
    if (token.type === "codespan") return [`\`${String(token.text).replaceAll(/\s+/g, " ")}\``];
    if (token.type === "link") return [...inner, englishHref(String(token.href))];
    if (token.type === "text" && inner.length === 0)
      return [...token.raw.matchAll(/\{\{[^{}]*\}\}/g)].map(([mark]) => mark);
    return inner;
  });
  return marks.toSorted().join(" ");
}

const englishHref = (href: string) => href.replace("/docs/es/", "/docs/").replace("/docs/es.md", "/docs/start.md");

describe("the guide in Spanish", () => {
  it("has the same pages as the guide in English", () => {
    expect(filesIn("es")).toEqual(filesIn("en"));
  });

  it.each(filesIn("en"))("%s has the headings, blocks, rows, code and links of the page in English", (file) => {
    expect(structureOf(read("es", file)).map(englishHref)).toEqual(structureOf(read("en", file)));
  });

  it("leads to pages in Spanish where there are any", () => {
    for (const file of filesIn("es"))
      for (const [, name = ""] of read("es", file).matchAll(/\]\(\/docs\/([\w-]+)\.md/g))
        expect(filesIn("es"), `${file} → ${name}`).not.toContain(`${name}.md`);
  });

  it("has words for each test value of the sandbox, with the same numbers and code as in English", () => {
    const english = Object.fromEntries([
      ...CATALOGUE_CARDS.map(({ number, causes }) => [number, causes]),
      ...CATALOGUE_PATIENTS.map(({ rut, causes }) => [rut, causes]),
      ...CATALOGUE_SERIALS.map(({ serial, causes }) => [serial, causes]),
      ...CATALOGUE_ADDRESSES.map(({ email, causes }) => [email, causes]),
      ...CATALOGUE_NUMBERS.map(({ number, causes }) => [number, causes]),
      ...CATALOGUE_ACCOUNTS.map(({ number, causes }) => [number, causes]),
    ]);
    expect(factsOf(causesInSpanish)).toEqual(factsOf(english));
  });

  it("names the same fields of each event as the reference in English", () => {
    const { webhooks } = openApiDocument({
      environment: "staging",
      orderApiUrl: "https://order.example",
      spotApiUrl: "https://spot.example",
      widgetHostUrl: "https://widget.example",
      signatureWord: "Brand",
    });
    const english = Object.fromEntries(Object.entries(webhooks).map(([kind, { post }]) => [kind, post?.summary ?? ""]));
    expect(factsOf(eventsInSpanish)).toEqual(factsOf(english));
  });
});

/** The code and the numbers in each text. */
function factsOf(texts: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, (text.match(/`[^`]*`|\d[\d.]*\d|\d/g) ?? []).toSorted()]),
  );
}

describe("the structure of a page", () => {
  const page =
    "# A\n\nLead\n\n## B {#b}\n\nText `x` [l](/docs/webhooks.md)\n\n- one\n- two\n\n```js a.js\n{{f}}\n```\n";

  it.each([
    ["a heading", "## C {#c}\n"],
    ["a paragraph", "More.\n"],
    ["a callout", "> More.\n"],
    ["a row", "| a |\n| - |\n| b |\n"],
    ["a sample", "```js b.js\nb\n```\n"],
    ["a passage for one environment", "{{#if staging}}\nA\n{{/if}}\n"],
  ])("differs by %s that only one language has", (_what, more) => {
    expect(structureOf(`${page}\n${more}`)).not.toEqual(structureOf(page));
  });

  it.each([
    ["an item of a list", "- two", "- two\n- three"],
    ["a name in code", "`x`", "`y`"],
    ["a link", "/docs/webhooks.md", "/docs/apps.md"],
    ["a line of a sample", "{{f}}", "{{f}}\n{{g}}"],
    ["an id", "{#b}", "{#d}"],
  ])("differs by %s", (_what, before, after) => {
    expect(structureOf(page.replace(before, after))).not.toEqual(structureOf(page));
  });

  it("does not depend on the words", () => {
    expect(structureOf(page.replace("Text", "Texto").replace("one", "uno"))).toEqual(structureOf(page));
  });
});
