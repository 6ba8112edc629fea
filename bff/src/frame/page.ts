import type { Request, RequestHandler, Response } from "express";
import helmet from "helmet";
import {
  localeOf,
  PAGE_MARKERS,
  PAGE_STATE_ELEMENT_ID,
  type PageContent,
  type PageReturn,
  type PageState,
  PRELOAD_PARAMETER,
  RETURN_PATH,
} from "../contract/widget-page.ts";
import type { AddressLimits } from "../platform/http/address-limits.ts";
import type { Metrics } from "../platform/metrics.ts";
import { sendPage } from "./compression.ts";
import type { WidgetSource } from "./open-widget.ts";
import {
  frameAncestorsFor,
  type InlineHashes,
  inlineHashes,
  isFramed,
  pagePolicy,
  REPORT_GROUP,
  sourceOf,
} from "./page-policy.ts";

/**
 * Fills the built HTML with the markup and style rendered for this state, and with the state as JSON that is never
 * executed.
 */
export function fillPage(
  template: string,
  parts: { readonly html: string; readonly style?: string; readonly state: PageState },
): string {
  const filling: Record<string, string> = {
    [HEAD_END]: parts.style ? `<style>${parts.style}</style>${HEAD_END}` : HEAD_END,
    [PAGE_MARKERS.lang]: localeOf(parts.state),
    [PAGE_MARKERS.html]: parts.html,
    [PAGE_MARKERS.state]: `<script type="application/json" id="${PAGE_STATE_ELEMENT_ID}">${jsonForHtml(parts.state)}</script>`,
  };
  // The template is replaced in one pass, so that markers inside a filled-in value are not replaced.
  return template.replace(MARKERS, (marker) => filling[marker] ?? marker);
}

const HEAD_END = "</head>";

const MARKERS = new RegExp(
  [HEAD_END, ...Object.values(PAGE_MARKERS)].map((marker) => marker.replace(/[^\w-]/g, "\\$&")).join("|"),
  "g",
);

/** JSON that can neither close its element nor open a comment, because every `<` is escaped. */
export function jsonForHtml(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}

/* The widget host's pages: the built widget, filled for a token and protected by a content security policy. */

/**
 * Finds the content of the page at a widget token's `url`. Unknown and ended tokens also get a page, which says why.
 */
type FindPage = (requested: {
  readonly widgetToken: string | null;
  readonly publicKey: string | null;
}) => Promise<PageContent>;

export interface PageDependencies {
  readonly source: WidgetSource;
  readonly findPage: FindPage;
  /** Finds the content of the page of a return URL, for any text in place of its reference. */
  readonly findReturn: (reference: string) => Promise<PageReturn>;
  /** The origin of the card processor's challenge, which the page frames. */
  readonly challengeOrigin: string;
  /** The widget host's URL without a trailing slash. */
  readonly publicUrl: string;
  readonly addressLimits: Pick<AddressLimits, "countPublicCall">;
  readonly metrics: Pick<Metrics, "pageServed">;
}

/**
 * Serves the widget's page, rendered for the token's purpose with its state included. Only the token's origins may
 * frame it.
 */
export function servePage(dependencies: PageDependencies): RequestHandler {
  return async (request, response) => {
    await dependencies.addressLimits.countPublicCall(request.ip ?? "");
    const content = await dependencies.findPage({
      widgetToken: onlyText(request.query.widget_token),
      publicKey: onlyText(request.query.public_key),
    });
    // Lets pages of the same site prerender it, since reading a page changes nothing.
    response.setHeader("Supports-Loading-Mode", "credentialed-prerender");
    await respond(dependencies, request, response, { content, unseen: isUnseen(request) });
  };
}

/**
 * Serves the page to which a patient returns from a page of the card's issuer or of the card processor. Added
 * parameters and posted forms are ignored: the service queries the true state itself.
 */
export function serveReturn(dependencies: PageDependencies): RequestHandler {
  return async (request, response) => {
    await dependencies.addressLimits.countPublicCall(request.ip ?? "");
    const reference = typeof request.params.reference === "string" ? request.params.reference : "";
    if (request.method === "POST") {
      response.redirect(303, `${RETURN_PATH}/${encodeURIComponent(reference)}`);
      return;
    }
    // The page appears in the bank's window and must still reach the checkout that opened it.
    response.setHeader("Cross-Origin-Opener-Policy", "unsafe-none");
    const content = { returned: await dependencies.findReturn(reference) };
    await respond(dependencies, request, response, { content, unseen: false });
  };
}

async function respond(
  dependencies: PageDependencies,
  request: Request,
  response: Response,
  { content, unseen }: { readonly content: PageContent; readonly unseen: boolean },
): Promise<void> {
  const ancestors = frameAncestorsFor(content);
  const state = { ...content, framed: isFramed(request.get("Sec-Fetch-Dest"), ancestors), unseen };
  const page = await renderPage(dependencies.source, state);
  response.setHeader("Cache-Control", "no-store");
  await setPolicy(dependencies, request, response, state, page.inline);
  dependencies.metrics.pageServed(kindOf(content));
  await sendPage(request, response, page.html);
}

function kindOf(content: PageContent): string {
  if ("session" in content) return "session";
  return "problem" in content ? content.problem.code : "return";
}

/** The browser's header marks a page that may never be shown; a preloaded frame is marked by its URL. */
function isUnseen(request: Request): boolean {
  return /^prefetch\b/i.test(request.get("Sec-Purpose") ?? "") || PRELOAD_PARAMETER in request.query;
}

function onlyText(value: unknown): string | null {
  return typeof value === "string" && value.length <= 200 ? value : null;
}

async function renderPage(source: WidgetSource, state: PageState): Promise<{ html: string; inline: InlineHashes }> {
  if (source.kind === "built") {
    const { renderer, inline } = source.widget;
    const style = renderer.renderStyle?.(state) ?? "";
    const isFirstScreen = renderer.needsFirstStylesOnly?.(state) ?? false;
    const template = isFirstScreen ? source.widget.template : source.widget.styledTemplate;
    const html = fillPage(template, { html: renderer.renderApp(state), style, state });
    return { html, inline: style === "" ? inline : { ...inline, styles: [...inline.styles, sourceOf(style)] } };
  }
  const template = await source.readPage("/");
  return { html: fillPage(template, { html: "", state }), inline: inlineHashes(template) };
}

function logoOf(state: PageState): string | null {
  if ("session" in state) return state.session.provider.logo_url;
  return "returned" in state ? (state.returned.provider?.logo_url ?? null) : null;
}

function setPolicy(
  { source, challengeOrigin, publicUrl }: PageDependencies,
  request: Request,
  response: Response,
  state: PageState,
  inline: InlineHashes,
): Promise<void> {
  const reportUrl = `${publicUrl}/csp-reports`;
  const directives = pagePolicy({
    frameAncestors: frameAncestorsFor(state),
    logoUrl: logoOf(state),
    frames: [challengeOrigin, `${publicUrl}${RETURN_PATH}/`],
    inline,
    reportUrl,
    devServerUrl: source.kind === "development" ? source.url : null,
  });
  response.setHeader("Reporting-Endpoints", `${REPORT_GROUP}="${reportUrl}"`);
  const apply = helmet.contentSecurityPolicy({ useDefaults: false, directives });
  return new Promise((resolve, reject) => {
    apply(request, response, (error?: unknown) => (error instanceof Error ? reject(error) : resolve()));
  });
}
