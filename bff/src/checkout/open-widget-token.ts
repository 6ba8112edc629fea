import { createHash } from "node:crypto";
import type { ErrorCode } from "../contract/errors.ts";
import { type OrderId, readWidgetToken, type WidgetToken } from "../contract/vocabulary/identifiers.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import { publishedStatus } from "../orders/order.ts";
import { namedOrder } from "../orders/order-reads.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import type { Clock } from "../platform/clock.ts";
import { NO_COLUMN } from "../platform/database/read-column.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { type Loading, NOTHING_NAMED, type ReceivedRequest, type RouteLimit } from "../platform/http/route.ts";
import { type Environment, type Provider, providerNow } from "../platform/provider.ts";
import { namedProvider } from "../tenants/providers.ts";
import { type SessionFacts, sessionFacts } from "./session-facts.ts";
import {
  callerTokenColumn,
  readExisting,
  readShown,
  readToken,
  spendAllOfOrder,
  spendOne,
  type TokenColumns,
  type TokenWithOrder,
  tokenColumn,
  type WidgetTokenRecord,
} from "./tokens/widget-token-store.ts";
import { isServiceMade, stateOf, type TokenState, type WidgetTokenPurpose } from "./widget-token.ts";

export interface OpenWidgetTokenDependencies {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
}

/** An existing token with its order and provider. */
export interface OpenedWidgetToken {
  readonly token: WidgetTokenRecord;
  readonly provider: Provider;
  readonly order: OrderRecord | null;
  readonly state: TokenState;
  /** The provider's time. */
  readonly now: Date;
}

const NAMED = { order: namedOrder, provider: namedProvider, more: () => NO_COLUMN };

/**
 * Reads a token; null if it does not exist, or if its provider is inactive and minted it. Tokens sent by the service
 * keep working, because patients still owe their debts.
 */
export async function openWidgetToken(
  { db, clock }: OpenWidgetTokenDependencies,
  widgetToken: WidgetToken,
): Promise<OpenedWidgetToken | null> {
  return opened(await readToken(db, hashToken(widgetToken), NAMED), clock.now());
}

/** A token with the other data that its session shows. */
export interface OpenedSession extends OpenedWidgetToken {
  readonly facts: SessionFacts;
}

export interface OpenSessionDependencies extends OpenWidgetTokenDependencies {
  readonly environment: Environment;
}

/** Reads a token with the data that its session shows; null as for `openWidgetToken`. */
export async function openSession(
  dependencies: OpenSessionDependencies,
  widgetToken: WidgetToken,
): Promise<OpenedSession | null> {
  const { db, clock } = dependencies;
  return openedSession(await readToken(db, hashToken(widgetToken), namedBySession(dependencies)), clock.now());
}

/**
 * Loads the token in a path with the data that its session shows. Possession of the token is the only authorization.
 */
export function loadingSession(
  dependencies: OpenSessionDependencies,
  widgetToken: WidgetToken,
): Loading<OpenedSession> {
  const { column, read } = tokenColumn(hashToken(widgetToken), namedBySession(dependencies));
  return {
    column,
    read: (found, { realNow }) => openedSession(read(found), realNow),
    missing: "widget_token_not_found",
  };
}

function namedBySession({ clock, environment }: OpenSessionDependencies) {
  const at = clock.now();
  return { ...NAMED, more: (token: TokenColumns) => sessionFacts(token, { environment, at }) };
}

function openedSession(
  found: TokenWithOrder<OrderRecord, Provider, SessionFacts> | null,
  realNow: Date,
): OpenedSession | null {
  const token = opened(found, realNow);
  return token === null || found?.more == null ? null : { ...token, facts: found.more };
}

/** The most recently opened token of an order; null if no page was opened. */
export function shownTokenOf(
  db: Database,
  order: { readonly providerId: string; readonly orderId: OrderId },
): Promise<WidgetTokenRecord | null> {
  return readShown(db, order);
}

/** Returns the tokens among these that exist, in any state. */
export async function existingTokens(db: Database, tokens: readonly WidgetToken[]): Promise<ReadonlySet<WidgetToken>> {
  const existing = new Set(await readExisting(db, tokens.map(hashToken)));
  return new Set(tokens.filter((token) => existing.has(hashToken(token))));
}

/** Loads one of the caller's own tokens, for certain purposes. */
export function loadingCallerToken(
  token: WidgetToken,
  purposes: readonly WidgetTokenPurpose[],
): Loading<OpenedWidgetToken> {
  const { column, read } = callerTokenColumn({ tokenHash: hashToken(token), purposes }, NAMED);
  return {
    column,
    read: (found, { realNow }) => opened(read(found), realNow),
    missing: "widget_token_not_found",
  };
}

function opened(found: TokenWithOrder<OrderRecord, Provider, unknown> | null, realNow: Date): OpenedWidgetToken | null {
  if (found === null || found.provider === null) return null;
  const { token, order, provider } = found;
  if (!(provider.active || isServiceMade(token.purpose))) return null;
  const now = providerNow(provider, realNow);
  return { token, provider, order, state: stateOfToken(token, order, now), now };
}

function stateOfToken(token: WidgetTokenRecord, order: OrderRecord | null, now: Date): TokenState {
  // Only checkout tokens are used up by the payment. The service sends later links for orders already paid.
  const isCheckout = order !== null && token.purpose === "checkout";
  return stateOf(token, isCheckout ? publishedStatus(order.state) : null, now);
}

const ENDED = {
  expired: "widget_token_expired",
  revoked: "widget_token_revoked",
  used: "widget_token_used",
} as const satisfies Record<Exclude<TokenState, "live">, ErrorCode>;

/** Throws the 410 of an ended token: `widget_token_expired`, `widget_token_revoked` or `widget_token_used`. */
export function requireLive({ state }: Pick<OpenedWidgetToken, "state">): void {
  if (state !== "live") throw new ApiError(ENDED[state]);
}

/** Throws the 410 of a token whose page must not be shown any more. A used one shows the end of its checkout. */
export function requireShowable({ state }: Pick<OpenedWidgetToken, "state">): void {
  if (state === "expired" || state === "revoked") throw new ApiError(ENDED[state]);
}

/**
 * Uses up a token without an order, in the transaction that fulfils its purpose. Throws 410 `widget_token_used` if
 * another request used or revoked it first.
 */
export async function spendToken(tx: Transaction, tokenId: string, at: Date): Promise<void> {
  requireUnused(await spendTokenIfUnused(tx, tokenId, at));
}

/** Throws 410 `widget_token_used` unless this request was the first to end the token. */
export function requireUnused(wasUnused: boolean): void {
  if (!wasUnused) throw new ApiError(ENDED.used);
}

/** Uses a token up. Returns false if it was used before. */
export function spendTokenIfUnused(tx: Transaction, tokenId: string, at: Date): Promise<boolean> {
  return spendOne(tx, tokenId, at);
}

/** Uses up every token of an order, inside the transaction that marks the order as paid. */
export function spendTokensOfOrder(
  tx: Transaction,
  order: { readonly providerId: string; readonly orderId: OrderId; readonly at: Date },
): Promise<void> {
  return spendAllOfOrder(tx, order);
}

/** The stored hash of a token. A plain hash is enough because a token has 122 random bits. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/**
 * Loads the widget token that the body names. 404 if there is none, it belongs to another provider, or it has another
 * purpose. Loads nothing if the body will be rejected for its shape.
 */
export function boundTokenFor(
  purposes: readonly WidgetTokenPurpose[],
): (received: ReceivedRequest) => Loading<OpenedWidgetToken | null> {
  return ({ unparsedBody }) => {
    const token = namedToken(unparsedBody);
    return token === null ? NOTHING_NAMED : loadingCallerToken(token, purposes);
  };
}

/** Limits the hourly requests with one token. */
export function perToken(
  name: string,
  { widget_token: key }: { readonly widget_token: string },
  requestsMax: number,
): RouteLimit {
  return { name, key, requestsMax, windowSeconds: 3_600 };
}

function namedToken(unparsedBody: unknown): WidgetToken | null {
  const named =
    typeof unparsedBody === "object" && unparsedBody !== null && "widget_token" in unparsedBody
      ? unparsedBody.widget_token
      : null;
  return typeof named === "string" ? readWidgetToken(named) : null;
}

/** The token of a request whose body has been parsed. */
export function boundToken(opened: OpenedWidgetToken | null): OpenedWidgetToken {
  if (opened === null) throw new ApiError("widget_token_not_found");
  return opened;
}

/** A token with an order registers or recovers only the order's own patient. */
export function requireOrdersPatient({ order }: OpenedWidgetToken, rut: Rut): void {
  if (order !== null && order.customer.rut !== rut) {
    throw new ApiError("validation_error", { errors: [{ path: "rut", message: "must be the RUT of the order" }] });
  }
}
