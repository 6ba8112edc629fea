import { type Content, type Html, html, renderHtml } from "../../platform/http/html.ts";
import { prose } from "../prose.ts";
import { type GuideLanguage, guideWords } from "./guide-language.ts";
import { markdownPath } from "./markdown-path.ts";
import { pageScript } from "./page-script.ts";
import { type CalledOperation, operationsByTag, referencePath, type Site } from "./site.ts";

/** The title under which the contents list a page. Operations are listed under the title of their tag. */
export type Contents = "Guide" | "Reference" | "Operation";

export interface Page {
  readonly path: string;
  readonly language: GuideLanguage;
  /** The path of the same page in the other language; null if there is none. */
  readonly translation: string | null;
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

export const STYLESHEET_PATH = "/docs/docs.css";
export const SCRIPT_PATH = "/docs/docs.js";

export const START_PATHS: Readonly<Record<GuideLanguage, string>> = { en: "/docs/start", es: "/docs/es" };
export const QUERY_LENGTH_MAX = 100;
export const SEARCH_PATHS: Readonly<Record<GuideLanguage, string>> = { en: "/docs/search", es: "/docs/es/search" };

/** What a page is besides its Markdown. */
export type ShownPage = Omit<Page, "markdown">;

/** The whole page as text. It loads nothing from another host; without its script it lacks the buttons that copy. */
export function renderPage(page: ShownPage, pages: readonly Page[], site: Site, query = ""): string {
  const { environment } = site.deployment;
  const words = guideWords[page.language];
  const contents = navigation(page, pages, site);
  return renderHtml(html`<!doctype html>
<html lang="${words.tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${page.lead.replaceAll("`", "")}">
<title>${page.title} · AAPD ${words.forPartners}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLESHEET_PATH}">
${alternates(page, pages)}<script src="${SCRIPT_PATH}" integrity="${pageScript().integrity}" defer></script>
</head>
<body>
<a class="skip" href="#content">${words.skip}</a>
<header class="top">
<a class="brand" href="${START_PATHS[page.language]}"><span class="mark" aria-hidden="true"></span>AAPD <span class="quiet">${words.forPartners}</span></a>
<span class="environment" data-environment="${environment}">${environment}</span>
<form class="search" role="search" action="${SEARCH_PATHS[page.language]}"><input type="search" name="q" aria-label="${words.search}" placeholder="${words.search}" maxlength="${QUERY_LENGTH_MAX}" value="${query}"><button>${words.search}</button></form>
${languageSwitch(page)}
</header>
<div class="frame">
<details class="menu"><summary>${words.contents}</summary><nav aria-label="${words.contentsFolded}">${contents}</nav></details>
<nav class="side" aria-label="${words.contents}">${contents}</nav>
<main id="content" tabindex="-1">
<h1>${page.heading ?? page.title}</h1>
<p class="lead">${prose(page.lead)}</p>
${page.body}
</main>
</div>
<footer><p>${words.footer} <a href="/openapi.json">${words.openApi}</a> · <a href="/llms.txt">${words.machines}</a></p></footer>
</body>
</html>
`);
}

/** The same page as Markdown and in the other language. */
function alternates({ path, language, translation }: ShownPage, pages: readonly Page[]): Content {
  if (pages.every((page) => page.path !== path)) return null;
  const markdown = html`<link rel="alternate" type="text/markdown" href="${markdownPath(path)}">\n`;
  if (translation === null) return markdown;
  const [en, es] = language === "en" ? [path, translation] : [translation, path];
  return html`${markdown}<link rel="alternate" hreflang="en" href="${en}">
<link rel="alternate" hreflang="es" href="${es}">
<link rel="alternate" hreflang="x-default" href="${en === START_PATHS.en ? "/docs" : en}">
`;
}

/** Leads to the same page, or to the guide's beginning from a page that exists in English only. */
function languageSwitch({ language, translation }: ShownPage): Html {
  const { otherLanguage, otherGuide } = guideWords[language];
  const other = language === "en" ? "es" : "en";
  const path = translation ?? START_PATHS[other];
  return html`<a class="language" href="${path}" hreflang="${other}" lang="${guideWords[other].tag}">${translation === null ? otherGuide : otherLanguage}</a>`;
}

function navigation(page: ShownPage, pages: readonly Page[], site: Site): Html {
  return html`${linkList("Guide", pages, page)}${linkList("Reference", pages, page)}${operationsByTag(
    site.document,
  ).map(
    ({ tag, operations }) =>
      html`<h2 lang="en">${tag.name}</h2><ul>${operations.map((called) => operationLink(called, page))}</ul>`,
  )}`;
}

/** In the page's language; the pages that are only English are in both lists. */
function linkList(contents: "Guide" | "Reference", pages: readonly Page[], page: ShownPage): Html {
  const { groups, englishOnly } = guideWords[page.language];
  const listed = pages.filter(
    ({ contents: own, language, translation }) =>
      own === contents && (language === page.language || translation === null),
  );
  return html`<h2>${groups[contents]}</h2><ul>${listed.map(({ path, title, language }) =>
    language === page.language
      ? html`<li><a href="${path}"${current(path, page)}>${title}</a></li>`
      : html`<li><a href="${path}" hreflang="en"><span lang="en">${title}</span> <span class="quiet">(${englishOnly})</span></a></li>`,
  )}</ul>`;
}

function operationLink(called: CalledOperation, page: ShownPage): Html {
  const path = referencePath(called);
  return html`<li><a class="operation" href="${path}"${current(path, page)}>${methodBadge(called.method)}<span>${breakable(called.path)}</span></a></li>`;
}

function current(path: string, page: ShownPage): Content {
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
