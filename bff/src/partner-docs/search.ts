import { html } from "../platform/http/html.ts";
import type { GuideLanguage } from "./pages/guide-language.ts";
import { type Page, QUERY_LENGTH_MAX, SEARCH_PATHS, type ShownPage } from "./pages/layout.ts";
import { prose } from "./prose.ts";

/** A passage under its heading. `folded` is what the search compares: lower case, without accents. */
interface Passage {
  readonly href: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
  readonly folded: { readonly page: string; readonly heading: string; readonly text: string };
}

export type SearchIndex = readonly Passage[];

const WORDS_MAX = 8;
const RESULTS_MAX = 20;
const EXCERPT_LENGTH = 180;

/** The passages of one language; pages that exist in English only are in every language's. */
export function searchIndex(pages: readonly Page[], language: GuideLanguage): SearchIndex {
  return pages
    .filter((page) => page.language === language || page.translation === null)
    .flatMap((page) => passagesOf(page));
}

/** Sections, and the entries of lists of codes, which have anchors too. */
function passagesOf({ path, title, markdown }: Page): Passage[] {
  const hasCodes = path.endsWith("/errors");
  return markdown.split(hasCodes ? /^(?=## |- `\w+`: )/m : /^(?=## )/m).map((part) => {
    const [first = "", ...rest] = part.split("\n");
    const [, heading, id] = /^## (.+) \{#([\w-]+)\}$/.exec(first) ?? [];
    const [, code] = hasCodes ? (/^- `(\w+)`: /.exec(first) ?? []) : [];
    const name = plain(heading ?? code ?? title);
    const text = plain(code === undefined ? rest.join("\n") : part);
    const anchor = id ?? code;
    return {
      href: anchor === undefined ? path : `${path}#${anchor}`,
      page: title,
      heading: name,
      text,
      folded: { page: fold(title), heading: fold(name), text: fold(text) },
    };
  });
}

/** Markdown without its marks; code between backticks stays marked for `prose`. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/^```.*$|^\| -.*$|^#+ |^> |^Table: |^ *(?:- \[ \]|-|\d+\.) /gm, "")
    .replaceAll(/(?<!\\)\|/g, " ")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\*\*|\\(?=[*_<>[\]&~`|])| ?\{#[\w-]+\}/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function fold(text: string): string {
  return text
    .normalize("NFD")
    .replaceAll(/\p{Mn}/gu, "")
    .toLowerCase();
}

/**
 * The passages that contain every word of the query, best first. It costs one pass over the passages for each of at
 * most eight words.
 */
export function search(index: SearchIndex, query: string): Passage[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return index
    .map((passage) => ({ passage, score: scoreOf(passage, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, RESULTS_MAX)
    .map(({ passage }) => passage);
}

function wordsOf(query: string): string[] {
  return [...new Set(fold(query).match(/[\p{L}\p{N}_/]{2,}/gu) ?? [])].slice(0, WORDS_MAX);
}

const HEADING_POINTS = 5;
const EXACT_POINTS = 10;

/** 0 if a word is absent. */
function scoreOf({ folded: { page, heading, text } }: Passage, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    const isInHeading = heading.includes(word);
    if (!isInHeading && !page.includes(word) && !text.includes(word)) return 0;
    score += isInHeading ? HEADING_POINTS : 1;
    if (words.length === 1 && heading === word) score += EXACT_POINTS;
  }
  return score;
}

/** The passage's text around its first match. */
function excerptOf({ text, folded }: Passage, query: string): string {
  const [at = 0] = wordsOf(query)
    .map((word) => folded.text.indexOf(word))
    .filter((index) => index >= 0)
    .toSorted((one, other) => one - other);
  const from = text.lastIndexOf(" ", Math.max(0, at - EXCERPT_LENGTH / 3)) + 1;
  const cut = text.slice(from, from + EXCERPT_LENGTH).replaceAll("`", "");
  return `${from > 0 ? "… " : ""}${cut}${from + EXCERPT_LENGTH < text.length ? " …" : ""}`;
}

const pageWords = {
  en: {
    title: "Search",
    lead: "Searches this guide, the reference of endpoints and the changelog.",
    none: "Nothing found. Try fewer words, or the name of a field, an endpoint or an error code.",
    tooLong: `Search for at most ${QUERY_LENGTH_MAX} characters.`,
  },
  es: {
    title: "Buscar",
    lead: "Busca en esta guía, en la referencia de endpoints y en el changelog (estos dos, en inglés).",
    none: "No hay resultados. Prueba con menos palabras, o con el nombre de un campo, un endpoint o un código de error.",
    tooLong: `Busca un máximo de ${QUERY_LENGTH_MAX} caracteres.`,
  },
};

/** A text that may end in half an emoji, which `encodeURIComponent` refuses. */
const inAddress = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

/** The page of a search. `query` is empty before the first one. */
export function searchPage(index: SearchIndex, query: string, language: GuideLanguage): ShownPage {
  const words = pageWords[language];
  const isTooLong = query.length > QUERY_LENGTH_MAX;
  const found = isTooLong ? [] : search(index, query);
  const list = html`<ol class="results">${found.map(
    (passage) =>
      html`<li><a href="${passage.href}">${prose(passage.heading)}</a> <span class="quiet">${passage.page}</span><p>${excerptOf(passage, query)}</p></li>`,
  )}</ol>`;
  const instead = isTooLong ? words.tooLong : query.trim() === "" ? null : words.none;
  return {
    path: SEARCH_PATHS[language],
    language,
    translation: `${SEARCH_PATHS[language === "en" ? "es" : "en"]}?q=${inAddress(query.slice(0, QUERY_LENGTH_MAX))}`,
    title: words.title,
    lead: words.lead,
    body: found.length > 0 ? list : html`${instead !== null && html`<p role="status">${instead}</p>`}`,
    contents: "Guide",
  };
}
