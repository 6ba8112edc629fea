import { type Content, type Html, html, renderHtml } from "../../platform/http/html.ts";
import { prose } from "../prose.ts";
import { markdownPath } from "./markdown-path.ts";
import { type CalledOperation, operationsByTag, referencePath, type Site } from "./site.ts";

/** The title under which the contents list a page. Operations are listed under the title of their tag. */
export type Contents = "Guide" | "Reference" | "Operation";

export interface Page {
  readonly path: string;
  readonly title: string;
  /** One sentence, for search results and under the title. Text between backticks is code. */
  readonly lead: string;
  readonly body: Html;
  /** The default is the title. */
  readonly heading?: Html;
  readonly contents: Contents;
  /** The whole page, for machines. */
  readonly markdown: string;
}

/** The path of the stylesheet. */
export const STYLESHEET_PATH = "/docs/docs.css";

/** The whole page as text. It needs no script and loads nothing from another host. */
export function renderPage(page: Page, pages: readonly Page[], site: Site): string {
  const { environment } = site.deployment;
  const contents = navigation(page, pages, site);
  return renderHtml(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${page.lead.replaceAll("`", "")}">
<title>${page.title} · AAPD for partners</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLESHEET_PATH}">
<link rel="alternate" type="text/markdown" href="${markdownPath(page.path)}">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="/docs"><span class="mark" aria-hidden="true"></span>AAPD <span class="quiet">for partners</span></a>
<span class="environment" data-environment="${environment}">${environment}</span>
</header>
<div class="frame">
<details class="menu"><summary>Contents</summary><nav aria-label="Contents, folded">${contents}</nav></details>
<nav class="side" aria-label="Contents">${contents}</nav>
<main id="content" tabindex="-1">
<h1>${page.heading ?? page.title}</h1>
<p class="lead">${prose(page.lead)}</p>
${page.body}
</main>
</div>
<footer><p>Generated from the service's own declarations. <a href="/openapi.json">OpenAPI 3.1 document</a> · <a href="/llms.txt">For machines</a></p></footer>
</body>
</html>
`);
}

function navigation(page: Page, pages: readonly Page[], site: Site): Html {
  return html`${linkList("Guide", pages, page)}${linkList("Reference", pages, page)}${operationsByTag(
    site.document,
  ).map(
    ({ tag, operations }) =>
      html`<h2>${tag.name}</h2><ul>${operations.map((called) => operationLink(called, page))}</ul>`,
  )}`;
}

function linkList(contents: Contents, pages: readonly Page[], page: Page): Html {
  return html`<h2>${contents}</h2><ul>${pages
    .filter((other) => other.contents === contents)
    .map(({ path, title }) => html`<li><a href="${path}"${current(path, page)}>${title}</a></li>`)}</ul>`;
}

function operationLink(called: CalledOperation, page: Page): Html {
  const path = referencePath(called);
  return html`<li><a class="operation" href="${path}"${current(path, page)}>${methodBadge(called.method)}<span>${breakable(called.path)}</span></a></li>`;
}

function current(path: string, page: Page): Content {
  return path === page.path && html` aria-current="page"`;
}

export function methodBadge(method: string): Html {
  return html`<span class="method" data-method="${method}">${method}</span> `;
}

/** A path that may wrap after each slash and underscore, so that it fits a phone's screen. */
export function breakable(path: string): Content {
  return path.split(/(?<=[/_])/).map((part, index) => (index === 0 ? part : html`<wbr>${part}`));
}

/** A section of a page under a heading that can be linked to. */
export function section(id: string, title: Content, content: Content): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}"><a class="anchor" href="#${id}">${title}</a></h2>${content}</section>`;
}

/** A table whose cells stack on a phone; each cell then shows the name of its column. */
export function table(caption: string, columns: readonly string[], rows: readonly (readonly Content[])[]): Html {
  return html`<table class="stacks"><caption>${caption}</caption><thead><tr>${columns.map(
    (column) => html`<th scope="col">${column}</th>`,
  )}</tr></thead><tbody>${rows.map(
    (cells) =>
      html`<tr>${cells.map((cell, index) => html`<td data-column="${columns[index] ?? ""}">${cell}</td>`)}</tr>`,
  )}</tbody></table>`;
}

/** A paragraph that must not be overlooked. */
export function callout(content: Content): Html {
  return html`<p class="callout">${content}</p>`;
}
