/** The path of a page's Markdown. */
export function markdownPath(path: string): string {
  return `${path}.md`;
}

/** A link as it appears in a page's Markdown: pages link to each other's Markdown, and to files directly. */
export function markdownHref(href: string): string {
  return href.replace(/^\/docs[^#.]*(?=#|$)/, markdownPath);
}

/** The reverse of `markdownHref`. */
export function pageHref(href: string): string {
  return href.replace(/^(\/docs[^#]*)\.md(?=#|$)/, "$1");
}
