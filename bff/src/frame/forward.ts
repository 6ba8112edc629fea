import type { IRouter, Request, RequestHandler, Response } from "express";
import { createProxyMiddleware } from "http-proxy-middleware";
import type { Endpoint } from "../contract/endpoint.ts";
import { orderEndpoints } from "../contract/order-endpoints.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { expressMethod, expressPath } from "../platform/http/express-endpoint.ts";
import { requestContextOf } from "../platform/http/request-context.ts";
import type { Route } from "../platform/http/route.ts";
import { sendError } from "../platform/http/send-answer.ts";
import { claimedKind } from "../tenants/credential.ts";

/** How long one call to the API may take. The proxy in front (`deploy/nginx.conf`) waits a little longer. */
export const FORWARD_TIMEOUT_MS = 17_000;

interface ForwardOptions {
  /** The API's URL without a trailing slash. */
  readonly target: string;
  /** True if proxies in front of this process set `X-Forwarded-*`, which is then trusted and forwarded. */
  readonly hasTrustedProxies: boolean;
  readonly timeoutMs?: number;
}

/**
 * Forwards endpoints to an API on another host, with the request's id and the caller's address in `X-Forwarded-For`. If
 * the API does not answer, the caller gets 502 in the endpoint's own format.
 *
 * Only the caller's own address is forwarded, not the proxies in front of this process. The API then sees exactly one
 * proxy, as it does in front of partners, so one setting for the number of trusted proxies fits both.
 */
export function forwardEndpoints(router: IRouter, endpoints: readonly Endpoint[], options: ForwardOptions): void {
  const requested = new WeakMap<object, Endpoint>();
  // One proxy for all endpoints, because each proxy listens for the server's end.
  const proxy = proxyTo(requested, options);
  for (const endpoint of endpoints) {
    router[expressMethod(endpoint)](expressPath(endpoint.path), guard(endpoint, requested, options), proxy);
  }
}

/** Rejects secret credentials and replaces the address headers that the caller sent. */
function guard(
  endpoint: Endpoint,
  requested: WeakMap<object, Endpoint>,
  { hasTrustedProxies, timeoutMs = FORWARD_TIMEOUT_MS }: ForwardOptions,
): RequestHandler {
  return (request, response, next) => {
    requested.set(request, endpoint);
    // The proxy's own option adds a listener to the connection with each request.
    request.socket.setTimeout(timeoutMs);
    const bearer = /^Bearer +(\S+)/i.exec(request.headers.authorization ?? "")?.[1];
    if (bearer !== undefined && claimedKind(bearer) !== "client_id") {
      sendError(request, response, endpoint, new ApiError("invalid_credential"));
      return;
    }
    delete request.headers["x-secret-key"];
    delete request.headers.cookie;
    if (!hasTrustedProxies) for (const name of FORWARDED_HEADERS) delete request.headers[name];
    request.headers["x-forwarded-for"] = request.ip;
    request.headers["x-forwarded-proto"] = request.protocol;
    next();
  };
}

const FORWARDED_HEADERS = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-port", "x-forwarded-proto"];

function proxyTo(
  requested: WeakMap<object, Endpoint>,
  { target, timeoutMs = FORWARD_TIMEOUT_MS }: ForwardOptions,
): RequestHandler {
  return createProxyMiddleware<Request, Response>({
    target,
    changeOrigin: true,
    // One connection per request: slow bodies cannot block others that wait for a pooled one.
    agent: false,
    proxyTimeout: timeoutMs,
    on: {
      proxyReq: (outgoing, request) => outgoing.setHeader("X-Request-Id", requestContextOf(request).requestId),
      error: (cause, request, response) => {
        // A bare socket appears here only for upgraded connections, which are not forwarded.
        const endpoint = requested.get(request);
        if (!("setHeader" in response) || endpoint === undefined) return;
        sendError(request, response, endpoint, new ApiError("upstream_unavailable", {}, { cause }));
      },
    },
  });
}

/** Credentials that may be used in a browser. */
const PUBLIC_CREDENTIALS: ReadonlySet<string> = new Set(["client_id", "public_key"]);

/**
 * The endpoint as the widget host offers it; null if it is not offered. Only endpoints that the widget itself calls are
 * offered, only for credentials that may be used in a browser, and in the patient's language.
 */
export function onWidgetHost(endpoint: Endpoint): Endpoint | null {
  const isRead = endpoint.method === "GET" && endpoint.path === orderEndpoints.getOrder.path;
  if (!isRead && endpoint.caller !== "widget") return null;
  const credentials = endpoint.credentials.filter((credential) => PUBLIC_CREDENTIALS.has(credential));
  const isOpenByPath = endpoint.credentials.length === 0;
  if ((credentials.length === 0 && !isOpenByPath) || endpoint.also !== undefined) return null;
  return { ...endpoint, credentials, caller: "widget" };
}

/** The routes that the widget host serves in its own process. */
export function allowedRoutes(routes: readonly Route[]): Route[] {
  return routes.flatMap((route) => {
    const endpoint = onWidgetHost(route.endpoint);
    return endpoint === null ? [] : [{ ...route, endpoint }];
  });
}
