import { spotEndpoints } from "../../contract/spot-endpoints.ts";
import { CHECKOUT_MAILS_OF_ORDER_PER_HOUR_MAX, MINTINGS_OF_ORDER_PER_HOUR_MAX } from "../../contract/terms.ts";
import { type OrderId, readOrderId, readWidgetToken } from "../../contract/vocabulary/identifiers.ts";
import { aboutOrder, callersOrder } from "../../orders/order-reads.ts";
import type { OrderRecord } from "../../orders/order-record.ts";
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
import { boundToken, boundTokenFor, perToken } from "../onboarding/bound-token.ts";
import { type MintWidgetTokenDependencies, mintWidgetToken } from "./mint-widget-token.ts";
import { loadingAnyToken, type OpenedWidgetToken, requireLive } from "./open-widget-token.ts";
import { reportShown } from "./shown-page.ts";
import { type WidgetSessionDependencies, widgetSession } from "./widget-session.ts";
import { WIDGET_TOKEN_PURPOSES } from "./widget-token.ts";

export interface WidgetTokenRoutesDependencies extends MintWidgetTokenDependencies, WidgetSessionDependencies {}

/** The routes for minting and reading widget tokens, and for reporting that their pages are shown. */
export function widgetTokenRoutes(dependencies: WidgetTokenRoutesDependencies): Route[] {
  return [
    defineRoute(spotEndpoints.mintWidgetToken, {
      load: namedOrder,
      limits: ({ body: { order_token, deliver } }) => {
        if (order_token === undefined) return [];
        return deliver === undefined ? [mintingsOf(order_token)] : [mintingsOf(order_token), mailsOf(order_token)];
      },
      async handle({ principal: { provider }, resource: order, body, query, now }) {
        const minting = { provider, publicKey: query.public_key, order, body, query, now };
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
    defineRoute(spotEndpoints.reportShown, {
      load: boundTokenFor(WIDGET_TOKEN_PURPOSES),
      limits: ({ body }) => [perToken("widget_tokens.shown", body, 120)],
      async handle({ resource, body: { texts } }) {
        return { status: 200, body: await reportShown(dependencies, boundToken(resource), texts) };
      },
    }),
  ];
}

/**
 * Mintings are limited per order only. `public_key` is public, and a limit per RUT, which the minter may leave out,
 * would only let strangers use up a patient's share.
 */
function mintingsOf(order: OrderId): RouteLimit {
  const requestsMax = MINTINGS_OF_ORDER_PER_HOUR_MAX;
  return { name: "widget_tokens.order", key: order, requestsMax, windowSeconds: 3_600 };
}

function mailsOf(order: OrderId): RouteLimit {
  const requestsMax = CHECKOUT_MAILS_OF_ORDER_PER_HOUR_MAX;
  return { name: "widget_tokens.mails", key: order, requestsMax, windowSeconds: 3_600 };
}

/** Loads the order named in the body; 404 if it is not the provider's own. */
function namedOrder({ unparsedBody }: ReceivedRequest): Loading<OrderRecord | null> {
  const named = typeof unparsedBody === "object" && unparsedBody !== null && "order_token" in unparsedBody;
  const id = named && typeof unparsedBody.order_token === "string" ? readOrderId(unparsedBody.order_token) : null;
  // A malformed hash is rejected later by the check of the body's shape.
  return id === null ? NOTHING_NAMED : loading(callersOrder(id), "order_not_found", aboutOrder);
}

/** Loads the token in the path. */
function namedToken({ params }: ReceivedRequest): Loading<OpenedWidgetToken> {
  const token = readWidgetToken(params.token ?? "");
  return token === null ? loading(NO_COLUMN, "widget_token_not_found") : loadingAnyToken(token);
}
