import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CATALOGUE_CARDS, CATALOGUE_PATIENTS } from "../../sandbox/catalogue.ts";
import { html, renderHtml } from "../platform/http/html.ts";
import { openApiDocument } from "./openapi.ts";
import { RELEASED_PACKAGES } from "./packages.ts";
import { fillAroundParts, fillMarkdown, UnfitGuidePage, type Values } from "./pages/fill.ts";
import { guideValues } from "./pages/guide-values.ts";
import { GUIDE_FOLDER, guidePages } from "./pages/pages.ts";
import { paragraph } from "./pages/part.ts";
import { renderMarkdown, TABS_MAX } from "./pages/render-markdown.ts";
import type { Site } from "./pages/site.ts";
import { readSamples } from "./samples.ts";

const deployment = {
  environment: "staging",
  orderApiUrl: "https://order.example",
  spotApiUrl: "https://spot.example",
  widgetHostUrl: "https://widget.example",
  signatureWord: "Brand",
} as const;
const site: Site = {
  deployment,
  document: openApiDocument(deployment),
  testValues: {
    cards: CATALOGUE_CARDS,
    people: CATALOGUE_PATIENTS,
    serials: [],
    addresses: [],
    phoneNumbers: [],
    bankAccounts: [],
  },
  samples: readSamples(),
  packages: RELEASED_PACKAGES,
  releases: [],
};
const files = readdirSync(join(GUIDE_FOLDER, "en"));
const read = (file: string) => readFileSync(join(GUIDE_FOLDER, "en", file), "utf8");
const namesIn = (template: string) =>
  Array.from(template.matchAll(/\{\{(?:#if )?([\w.-]+)\}\}/g), ([, name]) => String(name));
const render = (text: string) => renderHtml(renderMarkdown(`# Title\n\nLead\n\n${text}`, () => html`<p>part</p>`).body);

describe("the guide's files", () => {
  it("are all pages of the guide", () => {
    const names = files.map((file) => file.replace(/\.md$/, ""));
    const paths = names.flatMap((name) => [`/docs/${name}`, name === "start" ? "/docs/es" : `/docs/es/${name}`]);
    expect(
      guidePages(site)
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(paths.toSorted());
  });

  it("render in production too, without test values", () => {
    const production = { ...deployment, environment: "production" } as const;
    const pages = guidePages({
      ...site,
      deployment: production,
      document: openApiDocument(production),
      testValues: null,
    });
    expect(pages.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["/docs/start", "/docs/es", "/docs/webhooks", "/docs/limits"]),
    );
    for (const { markdown, body } of pages) expect(`${markdown}${renderHtml(body)}`).not.toMatch(/\{\{[#/\w]/);
  });

  it("use every computed value at least once", () => {
    const used = new Set(files.flatMap((file) => namesIn(read(file))));
    expect(Object.keys(guideValues(site, "en")).filter((name) => !used.has(name))).toEqual([]);
  });

  it("leave no placeholder in the filled pages", () => {
    for (const { markdown, body } of guidePages(site)) {
      expect(markdown).not.toMatch(/\{\{[#/\w]/);
      expect(renderHtml(body)).not.toMatch(/\{\{[#/\w]/);
    }
  });
});

describe("filling a guide page", () => {
  const values: Values = {
    days: 4_800,
    hostile: "<b>*_x_*</b> [a](b) | `c`",
    plain: "https://a_b.example",
    fence: "a\n```\nb",
    shown: true,
    hidden: false,
    rows: { markdown: "| a |\n| b |" },
    list: paragraph("listed"),
  };

  it("separates thousands as the language does", () => {
    expect(fillMarkdown("{{days}} days", values)).toBe("4,800 days");
    expect(fillMarkdown("{{days}} días", values, "es-CL")).toBe("4.800 días");
  });

  it("escapes text, so that it renders literally", () => {
    expect(render(fillAroundParts("Is {{hostile}}", values))).toBe("<p>Is &lt;b&gt;*_x_*&lt;/b&gt; [a](b) | `c`</p>");
  });

  it("inserts text literally into code", () => {
    expect(fillMarkdown("`{{plain}}`\n\n```js a\n{{plain}}\n```", values)).toBe(
      "`https://a_b.example`\n\n```js a\nhttps://a_b.example\n```",
    );
  });

  it("keeps or drops a section by its flag", () => {
    expect(fillMarkdown("{{#if shown}}\na\n{{/if}}\n{{#if hidden}}\nb\n{{/if}}\n", values)).toBe("a\n");
  });

  it("inserts Markdown in both formats, and leaves components to the renderer", () => {
    expect(fillAroundParts("{{rows}}\n\n{{list}}", values)).toBe("| a |\n| b |\n\n{{list}}");
    expect(fillMarkdown("{{rows}}\n\n{{list}}", values)).toBe("| a |\n| b |\n\nlisted");
  });

  it.each([
    ["an unknown name", "{{nothing}}"],
    ["a name of every object", "{{constructor}}"],
    ["a malformed name", "{{ days }}"],
    ["an unknown flag", "{{#if nothing}}\na\n{{/if}}\n"],
    ["a number as a flag", "{{#if days}}\na\n{{/if}}\n"],
    ["a flag that is not closed", "{{#if shown}}\na\n"],
    ["a part within a line", "Here: {{list}}"],
    ["a flag as text", "{{shown}}"],
    ["a value that ends its fence", "```js a\n{{fence}}\n```"],
    ["a value that ends its code", "`{{hostile}}`"],
  ])("rejects %s", (_name, template) => {
    expect(() => fillMarkdown(template, values)).toThrow(UnfitGuidePage);
  });
});

describe("rendering a guide page", () => {
  it("takes the title and the lead from its first two blocks", () => {
    expect(renderMarkdown("# A title\n\nA lead over\ntwo `lines`\n", () => html``)).toMatchObject({
      title: "A title",
      lead: "A lead over two `lines`",
    });
  });

  it("links pages of the guide without .md, but leaves addresses in code alone", () => {
    expect(render("[a](/docs/webhooks.md#vector) https://b.example")).toBe(
      '<p><a href="/docs/webhooks#vector">a</a> https://b.example</p>',
    );
  });

  it("turns samples in several languages into tabs, one selected, each with its own label", () => {
    const text = render("```js tab Node\na\n```\n\n```text tab Go\nb\n```\n\n```js tab Node\nc\n```");
    expect(text.match(/<fieldset/g)).toHaveLength(1);
    expect(text.match(/<input type="radio" name="tabs-1"/g)).toHaveLength(3);
    expect(text.match(/ checked>/g)).toHaveLength(1);
    expect(text).toContain('<label for="tabs-1-2">Go</label>');
    expect(text.match(/<pre /g)).toHaveLength(3);
  });

  it("replaces a placeholder that stands alone on its line with its component", () => {
    expect(render("{{list}}")).toBe("<p>part</p>");
  });

  it.each([
    ["a block of HTML", "<div>a</div>"],
    ["HTML in a line", "a <b>b</b>"],
    ["a comment", "<!-- a -->"],
    ["an image", "![a](https://a.example/b.png)"],
    ["a script as a link", "[a](javascript:alert)"],
    ["a relative link", "[a](webhooks.md)"],
    ["a section without an id", "## A section"],
    ["a table without a caption", "| a |\n| --- |\n| b |"],
    ["a tab alone", "```js tab Node\na\n```"],
    ["more tabs than the stylesheet shows", "```js tab Node\na\n```\n\n".repeat(TABS_MAX + 1)],
    ["code without a label", "```js\na\n```"],
    ["code in an unknown language", "```cobol a\na\n```"],
    ["a quotation of two paragraphs", "> a\n>\n> b"],
  ])("rejects %s", (_name, text) => {
    expect(() => render(text)).toThrow(UnfitGuidePage);
  });

  it.each(["A title", "# A title\n\n- a lead", "# A title\n\n[a](/docs.md)"])(
    "rejects a page that begins with %j",
    (text) => {
      expect(() => renderMarkdown(text, () => html``)).toThrow(UnfitGuidePage);
    },
  );
});
