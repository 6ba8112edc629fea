import type { PageContent } from "../../contract/widget-page.ts";

/** The origins that may frame a page, and no other. */
export function frameAncestorsFor(content: PageContent): readonly string[] {
  return "session" in content ? content.session.parent_origins : content.problem.parent_origins;
}

/**
 * Whether a page is asked for by a frame; `destination` is the request's `Sec-Fetch-Dest`. Safari before 16.4 does not send
 * it, nor does any browser over plain HTTP: there a page that others may frame is taken to be framed, as checkouts are, and
 * the script puts it right where it was not.
 */
export function isFramed(destination: string | undefined, frameAncestors: readonly string[]): boolean {
  return destination === undefined ? frameAncestors.length > 0 : destination !== "document";
}
