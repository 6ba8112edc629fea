/* The widget host's pages: the built widget, filled for a token and protected by a content security policy. */

import type { Request, RequestHandler, Response } from "express";
import helmet from "helmet";
import { type PageContent, type PageState, PRELOAD_PARAMETER } from "../../contract/widget-page.ts";
import type { AddressLimits } from "../../platform/http/address-limits.ts";
import type { Metrics } from "../../platform/metrics.ts";
import type { BuiltWidget } from "./built-widget.ts";
import { sendPage } from "./compression.ts";
import { fillPage } from "./fill-page.ts";
import { frameAncestorsFor, isFramed } from "./framing.ts";
import { type InlineHashes, inlineHashes, pagePolicy, REPORT_GROUP, sourceOf } from "./page-policy.ts";

/**
 * Finds the content of the page at a widget token's `url`. Unknown and ended tokens also get a page, which says why.
 */
export type FindPage = (asked: {
  readonly widgetToken: string | null;
  readonly publicKey: string | null;
}) => Promise<PageContent>;

/** The source of pages: the built widget, or Vite's development server. */
export type WidgetSource =
  | { readonly kind: "built"; readonly widget: BuiltWidget }
  | { readonly kind: "development"; readonly url: string; readonly readPage: (path: string) => Promise<string> };

export interface PageDependencies {
  readonly source: WidgetSource;
  readonly findPage: FindPage;
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
    const framed = isFramed(request.get("Sec-Fetch-Dest"), frameAncestorsFor(content));
    const state = { ...content, framed, unseen: isUnseen(request) };
    const page = await renderPage(dependencies.source, state);
    response.setHeader("Cache-Control", "no-store");
    // Lets pages of the same site prerender it, since reading a page changes nothing.
    response.setHeader("Supports-Loading-Mode", "credentialed-prerender");
    await setPolicy(dependencies, request, response, state, page.inline);
    dependencies.metrics.pageServed("session" in content ? "session" : content.problem.code);
    await sendPage(request, response, page.html);
  };
}

/** The browser says so itself when it fetches a page that may never be shown; a preloaded frame says it in its address. */
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
    logoUrl: "session" in state ? state.session.provider.logo_url : null,
    challengeOrigin,
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
