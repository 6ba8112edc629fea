import type { PageContent } from "../contract/widget-page.ts";

/** The only origins that may frame a page. */
export function frameAncestorsFor(content: PageContent): readonly string[] {
  if ("session" in content) return content.session.parent_origins;
  return "problem" in content ? content.problem.parent_origins : content.returned.parent_origins;
}

/**
 * True if a page is requested by a frame; `destination` is the request's `Sec-Fetch-Dest`. Safari before 16.4 does not
 * send it, nor does any browser over plain HTTP. Without it, a page that others may frame is assumed to be framed, as
 * most checkouts are, and the page's script corrects a wrong assumption.
 */
export function isFramed(destination: string | undefined, frameAncestors: readonly string[]): boolean {
  return destination === undefined ? frameAncestors.length > 0 : destination !== "document";
}
