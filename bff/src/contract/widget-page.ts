import type { ErrorCode } from "./errors.ts";
import type { PatientOrder } from "./orders.ts";
import type { Locale, WidgetSession } from "./widget-tokens.ts";

/** The element with the page's state: the text of a `<script type="application/json">`, which is never executed. */
export const PAGE_STATE_ELEMENT_ID = "aapd-page-state";

/** Why a page has no session, and what may still be shown: the outcome of a used checkout, until its token expires. */
export interface PageProblem {
  readonly code: ErrorCode;
  readonly locale: Locale;
  /** The patient chose the language. */
  readonly locale_chosen?: boolean;
  readonly provider_name: string | null;
  readonly support: WidgetSession["provider"]["support"] | null;
  readonly parent_origins: readonly string[];
  readonly return_url: string | null;
  readonly native: boolean;
  /** The purpose of its token; null if there is no such token. */
  readonly purpose: WidgetSession["purpose"] | null;
  readonly order: PatientOrder | null;
  /** With `order`: the provider's `client_id`, by which the page downloads the order's files. */
  readonly client_id: string | null;
}

/** The page to which a patient returns from a page of the card's issuer or of the card processor. */
export interface PageReturn {
  /** Id for the page's inquiries; null if the service did not create the address. */
  readonly reference: string | null;
  readonly locale: Locale;
  readonly provider: WidgetSession["provider"] | null;
  /** The provider's registered address to which patients return. */
  readonly return_url: string | null;
  /** Origins that may frame the page: a bank inside the checkout returns in its frame. */
  readonly parent_origins: readonly string[];
}

/** The content of a page: the session of its token, why there is none, or a way back. */
export type PageContent =
  | { readonly session: WidgetSession }
  | { readonly problem: PageProblem }
  | { readonly returned: PageReturn };

export function localeOf(content: PageContent): Locale {
  if ("session" in content) return content.session.locale;
  return "problem" in content ? content.problem.locale : content.returned.locale;
}

/** The state that the widget host writes into the page, so that no request is needed after the scripts have loaded. */
export type PageState = PageContent & {
  /** Whether the server assumes that the page is framed, so that the first paint already looks right. */
  readonly framed: boolean;
  /** True if prefetched. A page that is old once it is visible requests its session again. */
  readonly unseen: boolean;
};

/** The page to which patients return from pages of card issuers and of the card processor: `/return/{reference}`. */
export const RETURN_PATH = "/return";

/** The query parameter of a page that a frame loads before it is shown (`/embed/preload.js`). */
export const PRELOAD_PARAMETER = "preload";

/** Markers in the built page that the widget host replaces. */
export const PAGE_MARKERS = {
  html: "<!--aapd:html-->",
  state: "<!--aapd:state-->",
  lang: "aapd-lang",
  /** Precedes the style element with styles that no first screen needs. */
  laterStyles: "<!--aapd:later-styles-->",
} as const;

/**
 * The exports of the widget's server build (`dist/server/render.js`): it renders the app's markup for a state, to be
 * hydrated.
 */
export interface WidgetRenderer {
  renderApp(state: PageState): string;
  /**
   * The provider's own colour as a style sheet for this page, so that the first paint has it; empty if there is none.
   * It contains only validated values, since the page's policy allows it by its hash.
   */
  renderStyle?(state: PageState): string;
  /**
   * Whether the head's own style sheet is enough for this markup; otherwise the later styles are needed for the first
   * paint.
   */
  needsFirstStylesOnly?(state: PageState): boolean;
}
