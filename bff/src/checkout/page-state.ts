import type * as z from "zod/mini";
import type { ErrorCode } from "../contract/errors.ts";
import { type OrderId, readWidgetToken } from "../contract/vocabulary/identifiers.ts";
import type { PageContent, PageProblem } from "../contract/widget-page.ts";
import type { ReportShownResponse, reportShownRequestSchema } from "../contract/widget-tokens.ts";
import type { OrderViews } from "../orders/dependencies.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import { findShownText } from "../patients/consent-texts.ts";
import type { Database, StatementPart } from "../platform/database/transaction.ts";
import type { Logger } from "../platform/logger.ts";
import type { Provider } from "../platform/provider.ts";
import { providerOfPublicKey } from "../tenants/providers.ts";
import {
  type OpenedWidgetToken,
  type OpenSessionDependencies,
  openSession,
  requireShowable,
} from "./open-widget-token.ts";
import {
  readIsShown,
  type ShownPages,
  selectShownTexts,
  writeLocale,
  writeShown,
} from "./tokens/widget-token-store.ts";
import { appPart, parentOrigins, type WidgetSessionDependencies, widgetSession } from "./widget-session.ts";
import { isServiceMade } from "./widget-token.ts";

export interface PageStateDependencies extends OpenSessionDependencies, WidgetSessionDependencies {
  readonly logger: Logger;
  readonly views: Pick<OrderViews, "forPatient">;
  /** Whether the payment page has ended; `now` is in the provider's time. */
  readonly isPaymentPageOver: (db: Database, order: OrderRecord, now: Date) => Promise<boolean>;
}

/** The parameters of the page's URL. Each may be missing or invalid. */
export interface PageParameters {
  readonly token: string | null;
  readonly publicKey: string | null;
}

/**
 * The initial state of the widget's page: the session, or why there is none. A page always loads, so that the patient
 * sees the reason. For a used checkout it shows the outcome, read-only, until the token expires. Never throws for
 * invalid parameters, and reports an unavailable gateway as a temporary problem.
 */
export async function pageStateFor(dependencies: PageStateDependencies, page: PageParameters): Promise<PageContent> {
  const token = page.token === null ? null : readWidgetToken(page.token);
  const opened = token === null ? null : await openSession(dependencies, token);
  if (opened === null) return { problem: await problemOfUnknown(dependencies, page.publicKey) };
  if (opened.state === "expired" || (await isOver(dependencies, opened)))
    return { problem: problemOf(opened, "widget_token_expired") };
  if (opened.state === "revoked") return { problem: problemOf(opened, "widget_token_revoked") };
  if (opened.state === "used") {
    const order = await outcomeOf(dependencies, opened);
    const clientId = order === null ? null : (opened.facts.credentials?.clientId ?? null);
    return { problem: { ...problemOf(opened, "widget_token_used"), order, client_id: clientId } };
  }
  try {
    return { session: await widgetSession(dependencies, opened) };
  } catch (error) {
    dependencies.logger.error("widget_tokens.no_session", { provider_id: opened.provider.id, error });
    return { problem: problemOf(opened, "service_unavailable") };
  }
}

async function isOver(
  { db, isPaymentPageOver }: Pick<PageStateDependencies, "db" | "isPaymentPageOver">,
  { token, order, state, now }: OpenedWidgetToken,
): Promise<boolean> {
  if (token.purpose !== "payment" || state !== "live" || order === null) return false;
  return isPaymentPageOver(db, order, now);
}

/**
 * The outcome of a checkout. Null for links sent by the service, which need a code first and have no outcome once used.
 */
async function outcomeOf(
  { views }: Pick<PageStateDependencies, "views">,
  { token, order, now }: OpenedWidgetToken,
): Promise<PageProblem["order"]> {
  return order === null || isServiceMade(token.purpose) ? null : views.forPatient(order, now);
}

function problemOf({ token, provider }: OpenedWidgetToken, code: ErrorCode): PageProblem {
  return {
    code,
    locale: token.locale,
    locale_chosen: token.isLocaleChosen,
    ...contactOf(provider),
    parent_origins: parentOrigins(token, provider),
    ...appPart(token, provider),
    purpose: token.purpose,
    order: null,
    client_id: null,
  };
}

async function problemOfUnknown(
  dependencies: Pick<PageStateDependencies, "db" | "clock" | "environment">,
  publicKey: string | null,
): Promise<PageProblem> {
  const provider = publicKey === null ? null : await providerOfPublicKey(dependencies, publicKey);
  return {
    code: "widget_token_not_found",
    locale: "es-CL",
    ...(provider === null ? { provider_name: null, support: null } : contactOf(provider)),
    parent_origins: provider?.origins ?? [],
    return_url: null,
    native: false,
    purpose: null,
    order: null,
    client_id: null,
  };
}

function contactOf(provider: Provider): Pick<PageProblem, "provider_name" | "support"> {
  const { name, supportEmail: email, supportPhone: phone, supportWhatsapp: whatsapp } = provider;
  return { provider_name: name, support: { email, phone, whatsapp } };
}

/*
 * Evidence that a patient was shown a page. Mail scanners and link previews load pages too, and some run scripts. So
 * the page's script reports only that the page is visible and that the patient has acted on it.
 */

/**
 * Records that a token's page is shown, which texts it shows, and the language that the patient chose. The first report
 * counts for the page and for each text, the last one for the language. Texts that are not current are skipped, because
 * no consent to them is accepted. A used token may still show a page, for example the end of a checkout. Throws 410
 * `widget_token_expired` or `widget_token_revoked`.
 */
export async function reportShown(
  { db }: { readonly db: Database },
  opened: OpenedWidgetToken,
  { texts, locale }: Pick<z.output<typeof reportShownRequestSchema>, "texts" | "locale">,
): Promise<ReportShownResponse> {
  requireShowable(opened);
  const { token, now } = opened;
  const current = texts.flatMap((text) => findShownText(text)?.text.text_sha256 ?? []);
  if (locale !== undefined) await writeLocale(db, token, locale);
  const shownAt = await writeShown(db, token.id, current, now);
  return { shown_at: shownAt.toISOString() };
}

/** Whether the patient was shown a checkout page of the order that is still usable. */
export function isPageShown(
  db: Database,
  order: { readonly providerId: string; readonly orderId: OrderId },
  now: Date,
): Promise<boolean> {
  return readIsShown(db, order, now);
}

/** The texts shown to the patient on these pages, as the body of the CTE that consents are stored with. */
export function shownTexts(of: ShownPages): StatementPart {
  return selectShownTexts(of);
}
