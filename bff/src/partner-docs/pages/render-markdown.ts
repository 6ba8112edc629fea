import { Lexer, Marked, type MarkedToken, type Token, type Tokens } from "marked";
import { type Content, type Html, html } from "../../platform/http/html.ts";
import { codeBlock, isLanguage } from "../prose.ts";
import { UnfitGuidePage } from "./fill.ts";
import { callout, section, table } from "./layout.ts";
import { pageHref } from "./markdown-path.ts";

/** Only Markdown links become links, not bare addresses. */
const markdownReader = new Marked({ tokenizer: { url: () => undefined } });

/** The library's own tokens, without those of extensions. */
function known(tokens: readonly Token[]): readonly MarkedToken[] {
  return tokens as readonly MarkedToken[];
}

interface Rendering {
  readonly partOf: (name: string) => Html;
  readonly tabsName: string;
  /** Counts the tabs so far, so that each group and each tab has its own id. */
  groups: number;
}

export interface RenderedMarkdown {
  readonly title: string;
  /** The first paragraph: text and code. */
  readonly lead: string;
  readonly body: Html;
}

/**
 * A page of the guide as HTML. It begins with its title and a lead; `{{name}}` alone on a line is replaced by a part.
 * All other Markdown, especially raw HTML, is refused.
 */
export function renderMarkdown(
  markdown: string,
  partOf: (name: string) => Html,
  tabsName = "Language of the sample",
): RenderedMarkdown {
  const [title, lead, ...rest] = known(markdownReader.lexer(markdown)).filter(({ type }) => type !== "space");
  if (title?.type !== "heading" || title.depth !== 1 || lead?.type !== "paragraph")
    throw new UnfitGuidePage("A page begins with # and its title, then one paragraph.");
  if (lead.tokens.some(({ type }) => type !== "text" && type !== "codespan"))
    throw new UnfitGuidePage("The first paragraph has text and code only.");
  const rendering: Rendering = { partOf, tabsName, groups: 0 };
  return { title: title.text, lead: lead.text.replaceAll("\n", " "), body: html`${sections(rest, rendering)}` };
}

/** Second-level headings begin sections. */
function sections(tokens: readonly MarkedToken[], rendering: Rendering): Content[] {
  const contents: Content[] = [];
  for (let from = 0; from < tokens.length; ) {
    const next = tokens.findIndex((token, index) => index > from && token.type === "heading" && token.depth === 2);
    const to = next === -1 ? tokens.length : next;
    const [first, ...rest] = tokens.slice(from, to);
    contents.push(
      first?.type === "heading" && first.depth === 2
        ? sectionOf(first.text, blocksOf(rest, rendering))
        : blocksOf(tokens.slice(from, to), rendering),
    );
    from = to;
  }
  return contents;
}

function sectionOf(text: string, content: Content): Html {
  const [, title, id] = /^(.+) \{#([\w-]+)\}$/.exec(text) ?? [];
  if (title === undefined || id === undefined) throw new UnfitGuidePage(`The heading "${text}" needs an id: {#id}`);
  return section(id, inlines(Lexer.lexInline(title, markdownReader.defaults)), content);
}

const CAPTION = "Table: ";
const PART = /^\{\{([\w.-]+)\}\}$/;

function blocksOf(tokens: readonly MarkedToken[], rendering: Rendering): Content[] {
  return tokens.map((token, index) => {
    const before = tokens[index - 1];
    if (token.type === "table") return tableOf(token, before);
    if (isTab(token)) return isTab(before) ? null : tabsOf(tokens.slice(index), rendering);
    if (token.type !== "paragraph") return blockOf(token, rendering);
    if (token.text.startsWith(CAPTION) && tokens[index + 1]?.type === "table") return null;
    const [, part] = PART.exec(token.text) ?? [];
    return part === undefined ? html`<p>${inlines(token.tokens)}</p>` : rendering.partOf(part);
  });
}

function blockOf(token: MarkedToken, rendering: Rendering): Content {
  switch (token.type) {
    case "code":
      return codeOf(token.lang ?? "", token.text);
    case "list":
      return listOf(token, rendering);
    case "blockquote": {
      const [content, ...more] = known(token.tokens);
      if (content?.type !== "paragraph" || more.length > 0) throw refused(token);
      return callout(inlines(content.tokens));
    }
    default:
      throw refused(token);
  }
}

/** `js tab Node`: one of the samples that show the same in several languages, one after the other. */
const TAB = /^(\S+) tab (.+)$/;
export const TABS_MAX = 8;

function isTab(token: MarkedToken | undefined): token is Tokens.Code {
  return token?.type === "code" && TAB.test(token.lang ?? "");
}

/** Tabs of radio buttons, which need no script. */
function tabsOf(tokens: readonly MarkedToken[], rendering: Rendering): Html {
  const end = tokens.findIndex((token) => !isTab(token));
  const samples = tokens.slice(0, end === -1 ? tokens.length : end).filter(isTab);
  if (samples.length < 2 || samples.length > TABS_MAX)
    throw new UnfitGuidePage(`A group has 2 to ${TABS_MAX} tabs, not ${samples.length}.`);
  rendering.groups += 1;
  const group = `tabs-${rendering.groups}`;
  const tabs = samples.map(({ lang = "", text }, index) => {
    const [, language = "", label = ""] = TAB.exec(lang) ?? [];
    return { id: `${group}-${index + 1}`, label, code: codeOf(`${language} ${label}`, text) };
  });
  return html`<fieldset class="tabs"><legend>${rendering.tabsName}</legend>${tabs.map(
    ({ id, label }, index) =>
      html`<input type="radio" name="${group}" id="${id}" value="${label}"${index === 0 && html` checked`}><label for="${id}">${label}</label>`,
  )}${tabs.map(({ code }) => code)}</fieldset>`;
}

/** After the language comes the label, behind `fold` where the code is folded at first. */
function codeOf(info: string, text: string): Html {
  const [, language = "", fold, label] = /^(\S+) (fold )?(.+)$/.exec(info) ?? [];
  if (label === undefined || !isLanguage(language))
    throw new UnfitGuidePage(`Code needs a language and a label: \`\`\`${info}`);
  const code = codeBlock(text, language, label);
  return fold === undefined ? code : html`<details class="inside"><summary>${label}</summary>${code}</details>`;
}

function tableOf({ header, rows, raw }: Tokens.Table, before: MarkedToken | undefined): Html {
  if (before?.type !== "paragraph" || !before.text.startsWith(CAPTION))
    throw new UnfitGuidePage(`A table needs a caption before it: "${CAPTION}…" (${raw.slice(0, 60)})`);
  return table(
    before.text.slice(CAPTION.length),
    header.map(({ text }) => text),
    rows.map((cells) => cells.map(({ tokens }) => inlines(tokens))),
  );
}

function listOf({ ordered, items }: Tokens.List, rendering: Rendering): Html {
  const contents = items.map((item) => html`<li>${itemOf(item, rendering)}</li>`);
  if (ordered) return html`<ol>${contents}</ol>`;
  return items.every(({ task }) => task) ? html`<ul class="checks">${contents}</ul>` : html`<ul>${contents}</ul>`;
}

function itemOf({ tokens }: Tokens.ListItem, rendering: Rendering): Content[] {
  return known(tokens)
    .filter(({ type }) => type !== "checkbox" && type !== "space")
    .map((token) => (token.type === "text" ? inlines(token.tokens) : blocksOf([token], rendering)));
}

function inlines(tokens: readonly Token[] = []): Content[] {
  return known(tokens).map((token) => {
    switch (token.type) {
      case "text":
      case "escape":
        return token.text;
      case "codespan":
        return html`<code>${token.text}</code>`;
      case "strong":
        return html`<strong>${inlines(token.tokens)}</strong>`;
      case "em":
        return html`<em>${inlines(token.tokens)}</em>`;
      case "link":
        if (!/^(?:\/docs|#|https?:\/\/)/.test(token.href)) throw refused(token);
        return html`<a href="${pageHref(token.href)}">${inlines(token.tokens)}</a>`;
      default:
        throw refused(token);
    }
  });
}

function refused({ type, raw }: MarkedToken): UnfitGuidePage {
  return new UnfitGuidePage(`A page of the guide has no ${type}: ${raw.slice(0, 60)}`);
}
