import type { ErrorCode } from "./errors.ts";
import type { PatientOrder } from "./orders.ts";
import type { Locale, WidgetSession } from "./widget-tokens.ts";

/** Where the widget's page keeps its state: the text of a `<script type="application/json">`, never executed. */
export const PAGE_STATE_ELEMENT_ID = "aapd-page-state";

/** Why a page has no session, and what may still be shown of it: the outcome of a used checkout, until it expires. */
export interface PageProblem {
  readonly code: ErrorCode;
  readonly locale: Locale;
  readonly provider_name: string | null;
  readonly support: { readonly email: string; readonly phone: string | null } | null;
  readonly parent_origins: readonly string[];
  /** What its token is, or was, for; null where there is no such token. */
  readonly purpose: WidgetSession["purpose"] | null;
  readonly order: PatientOrder | null;
}

/** What a page is about: the session of its token, or why there is none. */
export type PageContent = { readonly session: WidgetSession } | { readonly problem: PageProblem };

/** What the widget host writes into the page, so that no round trip follows the scripts. */
export type PageState = PageContent & {
  /** The page stands in another one, as the server takes it: the first paint has the look that it keeps. */
  readonly framed: boolean;
};

/** Markers in the built page that the widget host replaces. */
export const PAGE_MARKERS = {
  html: "<!--aapd:html-->",
  state: "<!--aapd:state-->",
  lang: "aapd-lang",
  /** Stands before the style element of what is on no first screen. */
  laterStyles: "<!--aapd:later-styles-->",
} as const;

/** What the widget's server build (`dist/server/render.js`) exports: the app's markup for a state, to be hydrated. */
export interface WidgetRenderer {
  renderApp(state: PageState): string;
  /**
   * The provider's own colour as a style sheet for this page, so that the first paint has it; empty where there is none.
   * Made of checked values only, since the page's policy takes it in by its hash.
   */
  renderStyle?(state: PageState): string;
  /** True where the markup is styled by the head's own style sheet alone: what has the later styles in it comes after. */
  needsFirstStylesOnly?(state: PageState): boolean;
}
