import type { OrderId, WidgetToken } from "../../contract/vocabulary/identifiers.ts";
import { publishedStatus } from "../../orders/orders/order.ts";
import { namedOrder } from "../../orders/orders/order-reads.ts";
import type { OrderRecord } from "../../orders/orders/order-record.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, StatementPart, Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Loading } from "../../platform/http/route.ts";
import { type Provider, providerNow } from "../../platform/provider.ts";
import { namedProvider } from "../../tenants/provider-reads.ts";
import { hashToken } from "./mint-widget-token.ts";
import { isServiceMade, stateOf, type TokenState, type WidgetTokenPurpose } from "./widget-token.ts";
import {
  readToken,
  shownPageOfOrder,
  spendAllOfOrder,
  spendOne,
  type TokenWithOrder,
  tokenColumn,
  tokenOfCaller,
  type WidgetTokenRecord,
} from "./widget-token-store.ts";

export interface OpenWidgetTokenDependencies {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
}

/** A token that exists, with what it is for. */
export interface OpenedWidgetToken {
  readonly token: WidgetTokenRecord;
  readonly provider: Provider;
  readonly order: OrderRecord | null;
  readonly state: TokenState;
  /** The provider's time. */
  readonly now: Date;
}

const NAMED = { order: namedOrder, provider: namedProvider };

/**
 * Looks a token up; `null` for one that nobody minted, and for a partner's own once it is not active any more: what the
 * service has sent to patients goes on, since what they owe does.
 */
export async function openWidgetToken(
  { db, clock }: OpenWidgetTokenDependencies,
  widgetToken: WidgetToken,
): Promise<OpenedWidgetToken | null> {
  const found = await readToken(db, hashToken(widgetToken), NAMED);
  return found && opened(found, clock.now());
}

/** What a path is about that holds a token: whoever has it needs nothing else. */
export function loadingAnyToken(widgetToken: WidgetToken): Loading<OpenedWidgetToken> {
  const { column, read } = tokenColumn(hashToken(widgetToken), NAMED);
  return {
    column,
    read: (found, { realNow }) => opened(read(found), realNow),
    missing: "widget_token_not_found",
  };
}

/** What a request is about that names one of the caller's own tokens for certain purposes. */
export function loadingTokenOfCaller(
  token: WidgetToken,
  purposes: readonly WidgetTokenPurpose[],
): Loading<OpenedWidgetToken> {
  const { column, read } = tokenOfCaller({ tokenHash: hashToken(token), purposes }, NAMED);
  return {
    column,
    read: (found, { realNow }) => opened(read(found), realNow),
    missing: "widget_token_not_found",
  };
}

function opened(found: TokenWithOrder<OrderRecord, Provider> | null, realNow: Date): OpenedWidgetToken | null {
  if (found === null || found.provider === null) return null;
  const { token, order, provider } = found;
  if (!(provider.active || isServiceMade(token.purpose))) return null;
  const now = providerNow(provider, realNow);
  return { token, provider, order, state: stateOfToken(token, order, now), now };
}

function stateOfToken(token: WidgetTokenRecord, order: OrderRecord | null, now: Date): TokenState {
  // Only what an order's payment uses up; what the service sends later is for an order that has been paid.
  const isCheckout = order !== null && token.purpose === "checkout";
  return stateOf(token, isCheckout ? publishedStatus(order.state) : null, now);
}

/** Throws the 410 of a token that has ended: `widget_token_expired` or `widget_token_used`. */
export function requireLive({ state }: Pick<OpenedWidgetToken, "state">): void {
  if (state !== "live") throw new ApiError(state === "expired" ? "widget_token_expired" : "widget_token_used");
}

/**
 * Uses a token up that has no order, at the end of what it is for, in the same transaction. Throws 410
 * `widget_token_used` when another request was first.
 */
export async function spendToken(tx: Transaction, tokenId: string, at: Date): Promise<void> {
  if (!(await spendOne(tx, tokenId, at))) throw new ApiError("widget_token_used");
}

/** Uses up every token of an order; called inside the transaction in which the order becomes paid. */
export function spendTokensOfOrder(
  tx: Transaction,
  order: { readonly providerId: string; readonly orderId: OrderId; readonly at: Date },
): Promise<void> {
  return spendAllOfOrder(tx, order);
}

/**
 * In which page (`embedding_origin`), and since when (`shown_at`), the patient sees the checkout of an order, as the body of a
 * CTE; no row where no widget has been opened.
 */
export function checkoutPage(order: { readonly providerId: string; readonly orderId: OrderId }): StatementPart {
  return shownPageOfOrder(order);
}
