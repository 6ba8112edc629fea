import { spotEndpoints } from "../../contract/spot-endpoints.ts";
import { MINTINGS_OF_ORDER_PER_HOUR_MAX } from "../../contract/terms.ts";
import { type OrderId, readOrderId, readWidgetToken } from "../../contract/vocabulary/identifiers.ts";
import { callersOrder } from "../../orders/orders/order-reads.ts";
import type { OrderRecord } from "../../orders/orders/order-record.ts";
import { NO_COLUMN } from "../../platform/database/read-column.ts";
import {
  defineRoute,
  type Loading,
  loading,
  NOTHING_NAMED,
  type ReceivedRequest,
  type Route,
  type RouteLimit,
} from "../../platform/http/route.ts";
import { type MintWidgetTokenDependencies, mintWidgetToken } from "./mint-widget-token.ts";
import { loadingAnyToken, type OpenedWidgetToken, requireLive } from "./open-widget-token.ts";
import { type WidgetSessionDependencies, widgetSession } from "./widget-session.ts";

export interface WidgetTokenRoutesDependencies extends MintWidgetTokenDependencies, WidgetSessionDependencies {}

/** Minting and reading widget tokens. */
export function widgetTokenRoutes(dependencies: WidgetTokenRoutesDependencies): Route[] {
  return [
    defineRoute(spotEndpoints.mintWidgetToken, {
      load: namedOrder,
      limits: ({ body: { order_token } }) => (order_token === undefined ? [] : [mintingsOf(order_token)]),
      async handle({ principal: { provider }, resource: order, body, query, now }) {
        const minting = { provider, publicKey: query.public_key, order, body, now };
        return { status: 201, body: await mintWidgetToken(dependencies, minting) };
      },
    }),
    defineRoute(spotEndpoints.readWidgetToken, {
      load: namedToken,
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
function mintingsOf(order: OrderId): RouteLimit {
  const requestsMax = MINTINGS_OF_ORDER_PER_HOUR_MAX;
  return { name: "widget_tokens.order", key: order, isPerProvider: true, requestsMax, windowSeconds: 3_600 };
}

/** The order that the body names; 404 when it is not the provider's own. */
function namedOrder({ unparsedBody }: ReceivedRequest): Loading<OrderRecord | null> {
  const named = typeof unparsedBody === "object" && unparsedBody !== null && "order_token" in unparsedBody;
  const id = named && typeof unparsedBody.order_token === "string" ? readOrderId(unparsedBody.order_token) : null;
  // What is no hash is refused for its shape afterwards.
  return id === null ? NOTHING_NAMED : loading(callersOrder(id), "order_not_found");
}

/** The token that the path holds. */
function namedToken({ params }: ReceivedRequest): Loading<OpenedWidgetToken> {
  const token = readWidgetToken(params.token ?? "");
  return token === null ? loading(NO_COLUMN, "widget_token_not_found") : loadingAnyToken(token);
}
