import { type Content, type Html, html } from "../../platform/http/html.ts";
import { codeBlock, type Language, prose } from "../prose.ts";
import { section as htmlSection, type Page } from "./layout.ts";
import { markdownHref } from "./markdown-path.ts";

/** A computed piece of a page, as HTML and as Markdown. */
export interface Part {
  readonly markdown: string;
  readonly html: Html;
}

/** Text between backticks becomes code. Empty values add nothing. */
export type Piece = Part | string | null | undefined | false;

/** Escapes characters that Markdown would not read as text. An underscore within a word is text. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*[\]<>&~]|(?<!\w)_|_(?!\w)/g, "\\$&");
}

function proseMarkdown(text: string): string {
  return text.replaceAll(/`[^`]*`|[^`]+/g, (run) => (run.startsWith("`") ? run : escapeMarkdown(run)));
}

/** The pieces of one line, without space between them. */
export function line(...pieces: readonly Piece[]): Part {
  const parts = pieces.map((piece) => {
    if (piece === null || piece === undefined || piece === false) return nothing;
    return typeof piece === "string" ? { markdown: proseMarkdown(piece), html: prose(piece) } : piece;
  });
  return { markdown: parts.map(({ markdown }) => markdown).join(""), html: html`${parts.map((part) => part.html)}` };
}

export const nothing: Part = { markdown: "", html: html`` };

/** A piece that has more markup in HTML than in Markdown. */
export function inHtml(open: Html, piece: Piece, close: Html): Part {
  const { markdown, html: inner } = line(piece);
  return { markdown, html: html`${open}${inner}${close}` };
}

export function span(className: string, text: string): Part {
  return inHtml(html`<span class="${className}">`, line(text), html`</span>`);
}

/** A computed piece that is English on a page in another language. */
export function inEnglish(part: Part): Part {
  return { ...part, html: html`<div lang="en">${part.html}</div>` };
}

export function strong(text: string): Part {
  const { markdown, html: inner } = line(text);
  return { markdown: `**${markdown}**`, html: html`<strong>${inner}</strong>` };
}

/** Code whose HTML may differ from its text, for example by wrap opportunities. */
export function code(text: string, shown: Content = text): Part {
  return { markdown: `\`${text}\``, html: html`<code>${shown}</code>` };
}

export function link(href: string, piece: Piece): Part {
  const { markdown, html: inner } = line(piece);
  return { markdown: `[${markdown}](${markdownHref(href)})`, html: html`<a href="${href}">${inner}</a>` };
}

export function separated(pieces: readonly Piece[], separator: string): Part {
  return line(...pieces.flatMap((piece, index) => (index === 0 ? [piece] : [separator, piece])));
}

/** Blocks beneath each other. */
export function blocks(...pieces: readonly (Part | null | undefined | false)[]): Part {
  const parts = pieces.filter((piece) => piece !== null && piece !== undefined && piece !== false);
  return {
    markdown: parts.flatMap(({ markdown }) => (markdown === "" ? [] : [markdown])).join("\n\n"),
    html: html`${parts.map((part) => part.html)}`,
  };
}

export function paragraph(piece: Piece, className?: string): Part {
  return inHtml(html`<p${className !== undefined && html` class="${className}"`}>`, piece, html`</p>`);
}

/** A section of a page under a heading that can be linked to. */
export function section(id: string, title: Part, content: Part): Part {
  return {
    markdown: `## ${title.markdown} {#${id}}\n\n${content.markdown}`,
    html: htmlSection(id, title.html, content.html),
  };
}

export function subheading(title: Piece, id?: string): Part {
  const { markdown, html: inner } = line(title);
  return { markdown: `### ${markdown}`, html: html`<h3${id !== undefined && html` id="${id}"`}>${inner}</h3>` };
}

export function bullets(items: readonly Part[], className?: string): Part {
  return {
    markdown: items.map(({ markdown }) => `- ${indent(markdown)}`).join("\n"),
    html: html`<ul${className !== undefined && html` class="${className}"`}>${items.map((item) => html`<li>${item.html}</li>`)}</ul>`,
  };
}

/** Terms with their meanings. A term with an id can be linked to. */
export function definitions(
  className: string,
  rows: readonly { readonly term: Part; readonly meaning: Part; readonly id?: string }[],
): Part {
  return {
    markdown: rows.map(({ term, meaning }) => `- ${term.markdown}: ${indent(meaning.markdown)}`).join("\n"),
    html: html`<dl class="${className}">${rows.map(
      ({ term, meaning, id }) =>
        html`<dt${id !== undefined && html` id="${id}"`}>${term.html}</dt><dd>${meaning.html}</dd>`,
    )}</dl>`,
  };
}

function indent(markdown: string): string {
  return markdown.replaceAll(/\n(?=[^\n])/g, "\n  ");
}

export function folded(summary: Piece, content: Part, isOpen = false): Part {
  const { markdown, html: inner } = line(summary);
  return {
    markdown: `${markdown}\n\n${content.markdown}`,
    html: html`<details class="inside"${isOpen && html` open`}><summary>${inner}</summary>${content.html}</details>`,
  };
}

export function listing(text: string, language: Language, label: string): Part {
  return {
    markdown: `\`\`\`${language} ${label}\n${text.trimEnd()}\n\`\`\``,
    html: codeBlock(text, language, label),
  };
}

/** A page that is computed as a whole; it is English. */
export function pageOf({
  body,
  heading,
  ...page
}: Omit<Page, "body" | "heading" | "markdown" | "language" | "translation"> & {
  readonly body: Part;
  readonly heading?: Part;
}): Page {
  const title = heading ?? line(page.title);
  const markdown = `# ${title.markdown}\n\n${proseMarkdown(page.lead)}\n\n${body.markdown}\n`;
  return { ...page, language: "en", translation: null, heading: title.html, body: body.html, markdown };
}

/** The rows of a table whose columns are in the guide page. */
export function tableRows(rows: readonly (readonly Piece[])[]): string {
  const cellOf = (piece: Piece) => line(piece).markdown.replaceAll("|", "\\|");
  return rows.map((cells) => `| ${cells.map(cellOf).join(" | ")} |`).join("\n");
}
