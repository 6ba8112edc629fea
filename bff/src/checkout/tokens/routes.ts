import { spotEndpoints } from "../../contract/spot-endpoints.ts";
import { MINTINGS_OF_ORDER_PER_HOUR_MAX } from "../../contract/terms.ts";
import { type OrderHash, readOrderHash, readWidgetToken } from "../../contract/vocabulary/identifiers.ts";
import { findOrder, findOrderAtOnce } from "../../orders/orders/order-reads.ts";
import type { OrderRecord } from "../../orders/orders/order-record.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import {
  defineRoute,
  type LoadedAtOnce,
  type LoadedBeside,
  type ReceivedRequest,
  type Route,
  type RouteLimit,
} from "../../platform/http/route.ts";
import type { Principal } from "../../platform/provider.ts";
import { type MintWidgetTokenDependencies, mintWidgetToken } from "./mint-widget-token.ts";
import {
  type OpenedWidgetToken,
  type OpenWidgetTokenDependencies,
  openWidgetToken,
  requireLive,
} from "./open-widget-token.ts";
import { type WidgetSessionDependencies, widgetSession } from "./widget-session.ts";

export interface WidgetTokenRoutesDependencies
  extends MintWidgetTokenDependencies,
    OpenWidgetTokenDependencies,
    WidgetSessionDependencies {}

/** Minting and reading widget tokens. */
export function widgetTokenRoutes(dependencies: WidgetTokenRoutesDependencies): Route[] {
  return [
    defineRoute(spotEndpoints.mintWidgetToken, {
      load: (received) => loadNamedOrder(dependencies, received),
      loadAtOnce: (received, beside) => findNamedOrderAtOnce(dependencies, received, beside),
      limits: ({ principal, body: { order_token } }) =>
        order_token === undefined ? [] : [mintingsOf(principal, order_token)],
      async handle({ principal: { provider }, resource: order, body, query, now }) {
        const minting = { provider, publicKey: query.public_key, order, body, now };
        return { status: 201, body: await mintWidgetToken(dependencies, minting) };
      },
    }),
    defineRoute(spotEndpoints.readWidgetToken, {
      load: ({ params }) => loadToken(dependencies, params.token ?? ""),
      async handle({ resource: opened }) {
        requireLive(opened);
        return { status: 200, body: await widgetSession(dependencies, opened) };
      },
    }),
  ];
}

/**
 * Without an order there is nothing to count by: `public_key` is everybody's, and a RUT that whoever mints may leave out would
 * only let strangers use up somebody's share.
 */
function mintingsOf({ provider }: Principal, order: OrderHash): RouteLimit {
  const requestsMax = MINTINGS_OF_ORDER_PER_HOUR_MAX;
  return { name: "widget_tokens.order", key: `${provider.id} ${order}`, requestsMax, windowSeconds: 3_600 };
}

/** The order that the body names; 404 when it is not the provider's own. */
async function loadNamedOrder(
  dependencies: WidgetTokenRoutesDependencies,
  received: ReceivedRequest<Principal>,
): Promise<OrderRecord | null> {
  // What is no hash is refused for its shape afterwards.
  if (readNamedOrder(received) === null) return null;
  const order = await findNamedOrder(dependencies, received);
  if (order === null) throw new ApiError("order_not_found");
  return order;
}

async function findNamedOrder(
  { db }: WidgetTokenRoutesDependencies,
  received: ReceivedRequest<Principal>,
): Promise<OrderRecord | null> {
  const id = readNamedOrder(received);
  return id === null ? null : findOrder(db, { providerId: received.principal.provider.id, id });
}

async function findNamedOrderAtOnce(
  { db }: WidgetTokenRoutesDependencies,
  received: ReceivedRequest<Principal>,
  beside: LoadedBeside,
): Promise<LoadedAtOnce<OrderRecord> | null> {
  const id = readNamedOrder(received);
  return id === null ? null : findOrderAtOnce(db, { providerId: received.principal.provider.id, id }, beside);
}

function readNamedOrder({ unparsedBody }: ReceivedRequest<Principal>): OrderHash | null {
  const named = namedOrder(unparsedBody);
  return named === null ? null : readOrderHash(named);
}

function namedOrder(body: unknown): string | null {
  const named = typeof body === "object" && body !== null && "order_token" in body ? body.order_token : null;
  return typeof named === "string" ? named : null;
}

async function loadToken(dependencies: OpenWidgetTokenDependencies, text: string): Promise<OpenedWidgetToken> {
  const token = readWidgetToken(text);
  const opened = token === null ? null : await openWidgetToken(dependencies, token);
  if (opened === null) throw new ApiError("widget_token_not_found");
  return opened;
}
