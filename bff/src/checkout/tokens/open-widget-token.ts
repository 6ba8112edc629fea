import type { OrderHash, WidgetToken } from "../../contract/vocabulary/identifiers.ts";
import { publishedStatus } from "../../orders/orders/order.ts";
import { orderNamedBeside } from "../../orders/orders/order-reads.ts";
import type { OrderRecord } from "../../orders/orders/order-record.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, StatementPart, Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { LoadedAtOnce, LoadedBeside } from "../../platform/http/route.ts";
import { type Provider, providerNow } from "../../platform/provider.ts";
import { providerNamedBeside } from "../../tenants/provider-reads.ts";
import { hashToken } from "./mint-widget-token.ts";
import { isServiceMade, stateOf, type TokenState, type WidgetTokenPurpose } from "./widget-token.ts";
import {
  readTokenWithOrder,
  readTokenWithOrderAtOnce,
  shownPageOfOrder,
  spendAllOfOrder,
  spendOne,
  type TokenWithOrder,
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

/**
 * Looks a token up; `null` for one that nobody minted, and for a partner's own once it is not active any more: what the
 * service has sent to patients goes on, since what they owe does. With the provider that asks, `null` also for another
 * provider's.
 */
export async function openWidgetToken(
  dependencies: OpenWidgetTokenDependencies,
  widgetToken: WidgetToken,
  caller?: { readonly provider: Provider },
): Promise<OpenedWidgetToken | null> {
  const { db, clock } = dependencies;
  const named = { order: orderNamedBeside(), provider: providerNamedBeside() };
  const found = await readTokenWithOrder(db, hashToken(widgetToken), named);
  if (found === null || (caller !== undefined && caller.provider.id !== found.token.providerId)) return null;
  const provider = caller?.provider ?? found.provider;
  if (provider === null || !(provider.active || isServiceMade(found.token.purpose))) return null;
  return opened(found, provider, clock.now());
}

/**
 * The same for a provider that is confirmed, and a request that is let in, by the statement that looks its token up; `null`
 * also for a token of another purpose.
 */
export async function openWidgetTokenAtOnce(
  { db, clock }: Pick<OpenWidgetTokenDependencies, "db" | "clock">,
  named: { readonly token: WidgetToken; readonly purposes: readonly WidgetTokenPurpose[] },
  provider: Provider,
  beside: LoadedBeside,
): Promise<LoadedAtOnce<OpenedWidgetToken> | null> {
  const key = { tokenHash: hashToken(named.token), providerId: provider.id, purposes: named.purposes };
  const found = await readTokenWithOrderAtOnce(db, key, orderNamedBeside(), beside);
  return found && { ...found, resource: opened(found.resource, provider, clock.now()) };
}

function opened({ token, order }: TokenWithOrder<OrderRecord>, provider: Provider, realNow: Date): OpenedWidgetToken {
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
  order: { readonly providerId: string; readonly orderId: OrderHash; readonly at: Date },
): Promise<void> {
  return spendAllOfOrder(tx, order);
}

/**
 * In which page (`embedding_origin`), and since when (`shown_at`), the patient sees the checkout of an order, as the body of a
 * CTE; no row where no widget has been opened.
 */
export function checkoutPage(order: { readonly providerId: string; readonly orderId: OrderHash }): StatementPart {
  return shownPageOfOrder(order);
}
