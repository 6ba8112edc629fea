import { createHash } from "node:crypto";
import type { PageContent } from "../contract/widget-page.ts";

/** The inputs of a page's content security policy. */
export interface PagePolicyInput {
  /** Pages that may frame this one; if empty, none may. */
  readonly frameAncestors: readonly string[];
  readonly logoUrl: string | null;
  /** The pages that this page may frame: the card processor's, and our own return pages. */
  readonly frames: readonly string[];
  readonly inline: InlineHashes;
  readonly reportUrl: string;
  /** Vite's development server needs style elements and a socket; null for the built widget. */
  readonly devServerUrl: string | null;
}

export interface InlineHashes {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

export type Directives = Readonly<Record<string, readonly string[]>>;

/** The name of the report endpoint in `Reporting-Endpoints`. */
export const REPORT_GROUP = "csp";

/** The widget page's policy: only listed sources are allowed. */
export function pagePolicy(input: PagePolicyInput): Directives {
  const development = input.devServerUrl !== null;
  const logoOrigin = originOf(input.logoUrl);
  return {
    "default-src": ["'none'"],
    "script-src": ["'self'", ...input.inline.scripts],
    "style-src": development ? ["'self'", "'unsafe-inline'"] : ["'self'", ...input.inline.styles],
    "connect-src": ["'self'", ...(development ? ["ws:"] : [])],
    "img-src": ["'self'", "data:", ...(logoOrigin === null ? [] : [logoOrigin])],
    "frame-src": input.frames,
    "form-action": ["'none'"],
    "base-uri": ["'none'"],
    "object-src": ["'none'"],
    // No script may create code or markup from text; Vite's server injects its own client into the page.
    ...(development ? {} : { "require-trusted-types-for": ["'script'"], "trusted-types": ["'none'"] }),
    "frame-ancestors": input.frameAncestors.length === 0 ? ["'none'"] : input.frameAncestors,
    "report-uri": [input.reportUrl],
    "report-to": [REPORT_GROUP],
  };
}

function originOf(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const { protocol, origin } = new URL(url);
  return protocol === "https:" || protocol === "http:" ? origin : null;
}

/**
 * Hashes of the inline scripts and style elements of an HTML text, as policy sources. Data blocks such as JSON need
 * none, because they are never executed.
 */
export function inlineHashes(html: string): InlineHashes {
  const scripts: string[] = [];
  for (const [, attributes = "", content = ""] of html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script\s*>/gi)) {
    if (/\bsrc\s*=/i.test(attributes) || /\btype\s*=\s*["']?application\/(?:ld\+)?json/i.test(attributes)) continue;
    if (content !== "") scripts.push(sourceOf(content));
  }
  const styles = [...html.matchAll(/<style\b[^>]*>([\s\S]*?)<\/style\s*>/gi)].map(([, content = ""]) =>
    sourceOf(content),
  );
  return { scripts, styles };
}

/** The source that allows exactly this inline content. */
export function sourceOf(content: string): string {
  return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
}

/** The only origins that may frame a page. */
export function frameAncestorsFor(content: PageContent): readonly string[] {
  if ("session" in content) return content.session.parent_origins;
  return "problem" in content ? content.problem.parent_origins : content.returned.parent_origins;
}

/**
 * Whether a page is requested by a frame; `destination` is the request's `Sec-Fetch-Dest`. Safari before 16.4 does not
 * send it, nor does any browser over plain HTTP. Without it, a page that may be framed is assumed to be, as most
 * checkouts are, and the page's script corrects a wrong assumption.
 */
export function isFramed(destination: string | undefined, frameAncestors: readonly string[]): boolean {
  return destination === undefined ? frameAncestors.length > 0 : destination !== "document";
}
