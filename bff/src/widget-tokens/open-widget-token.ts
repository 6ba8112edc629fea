import type { OrderHash, WidgetToken } from "../contract/vocabulary/identifiers.ts";
import { publishedStatus } from "../orders/order.ts";
import { orderNamedBeside } from "../orders/order-reads.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { LoadedAtOnce, LoadedBeside } from "../platform/http/route.ts";
import { type Provider, providerNow } from "../providers/provider.ts";
import { hashToken } from "./mint-widget-token.ts";
import { stateOf, type TokenState } from "./widget-token.ts";
import {
  readShownTokenOfOrder,
  readTokenWithOrder,
  readTokenWithOrderAtOnce,
  spendAllOfOrder,
  spendOne,
  type TokenWithOrder,
  type WidgetTokenRecord,
} from "./widget-token-store.ts";

export interface OpenWidgetTokenDependencies {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly findProvider: (db: Database, id: string) => Promise<Provider | null>;
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
 * Looks a token up; `null` for one that nobody minted, and for one of a provider that is not active any more. With the
 * provider that asks, also for another provider's.
 */
export async function openWidgetToken(
  dependencies: OpenWidgetTokenDependencies,
  widgetToken: WidgetToken,
  caller?: { readonly provider: Provider },
): Promise<OpenedWidgetToken | null> {
  const { db, clock } = dependencies;
  const found = await readTokenWithOrder(db, hashToken(widgetToken), orderNamedBeside());
  if (found === null || (caller !== undefined && caller.provider.id !== found.token.providerId)) return null;
  const provider = caller?.provider ?? (await dependencies.findProvider(db, found.token.providerId));
  return provider?.active === true ? opened(found, provider, clock.now()) : null;
}

/** The same for a provider that is confirmed, and a request that is let in, by the statement that looks its token up. */
export async function openWidgetTokenAtOnce(
  { db, clock }: Pick<OpenWidgetTokenDependencies, "db" | "clock">,
  widgetToken: WidgetToken,
  provider: Provider,
  beside: LoadedBeside,
): Promise<LoadedAtOnce<OpenedWidgetToken> | null> {
  const key = { tokenHash: hashToken(widgetToken), providerId: provider.id };
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

/** In which page, and since when, the patient sees the checkout of an order; `null` where no widget has been opened. */
export async function checkoutOf(
  db: Database,
  providerId: string,
  orderId: OrderHash,
): Promise<{ embeddingOrigin: string | null; shownAt: Date | null } | null> {
  const token = await readShownTokenOfOrder(db, { providerId, orderId });
  return token === null ? null : { embeddingOrigin: token.parentOrigin, shownAt: token.shownAt };
}
