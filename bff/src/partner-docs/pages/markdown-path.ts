/** The path of a page's Markdown. */
export function markdownPath(path: string): string {
  return `${path}.md`;
}

/** A link of a page as its Markdown has it: pages link to each other's Markdown, and to files as they are. */
export function markdownHref(href: string): string {
  return href.replace(/^\/docs[^#.]*(?=#|$)/, markdownPath);
}

/** The other way round. */
export function pageHref(href: string): string {
  return href.replace(/^(\/docs[^#]*)\.md(?=#|$)/, "$1");
}
