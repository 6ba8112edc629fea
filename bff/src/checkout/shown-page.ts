/*
 * Evidence that a patient was shown a page. Mail scanners and link previews load pages too, and some run scripts. So
 * the page's script reports only that the page is visible and that the patient has acted on it.
 */

import type * as z from "zod/mini";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { ReportShownResponse, reportShownRequestSchema } from "../contract/widget-tokens.ts";
import { findShownText } from "../patients/consent-texts.ts";
import type { Database, StatementPart } from "../platform/database/transaction.ts";
import { type OpenedWidgetToken, requireShowable } from "./open-widget-token.ts";
import {
  readIsShown,
  type ShownPages,
  selectShownTexts,
  writeLocale,
  writeShown,
} from "./tokens/widget-token-store.ts";

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
