import type { IRouter, Request, RequestHandler, Response } from "express";
import { createProxyMiddleware } from "http-proxy-middleware";
import type { Endpoint } from "../../contract/endpoint.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { expressMethod, expressPath } from "../../platform/http/express-endpoint.ts";
import { requestContextOf } from "../../platform/http/request-context.ts";
import { sendError } from "../../platform/http/send-answer.ts";
import { claimedKind } from "../../tenants/credential.ts";

/** How long the API behind may take for one call. */
const FORWARD_TIMEOUT_MS = 30_000;

export interface ForwardOptions {
  /** Where the API lives, without a slash at the end. */
  readonly target: string;
  /** Are proxies in front of this process, whose `X-Forwarded-*` are to be believed and carried on? */
  readonly hasTrustedProxies: boolean;
  readonly timeoutMs?: number;
}

/**
 * Forwards endpoints to the API where it lives on another host: the request's id goes along, `X-Forwarded-For` names who
 * called, and when nothing answers the caller gets 502 in the endpoint's own shape.
 *
 * The address is the caller's alone, without the proxies in front of this process: to the API this process is then the one
 * proxy in front of a caller, as its own proxy is for partners, and one number of trusted proxies is right for both.
 */
export function forwardEndpoints(router: IRouter, endpoints: readonly Endpoint[], options: ForwardOptions): void {
  const asked = new WeakMap<object, Endpoint>();
  // One for all of them: each proxy listens for the end of the server.
  const proxy = proxyTo(asked, options);
  for (const endpoint of endpoints) {
    router[expressMethod(endpoint)](expressPath(endpoint.path), guard(endpoint, asked, options), proxy);
  }
}

/** Lets no secret through, and no word on who called that comes from the caller. */
function guard(
  endpoint: Endpoint,
  asked: WeakMap<object, Endpoint>,
  { hasTrustedProxies }: ForwardOptions,
): RequestHandler {
  return (request, response, next) => {
    asked.set(request, endpoint);
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
  asked: WeakMap<object, Endpoint>,
  { target, timeoutMs = FORWARD_TIMEOUT_MS }: ForwardOptions,
): RequestHandler {
  return createProxyMiddleware<Request, Response>({
    target,
    changeOrigin: true,
    timeout: timeoutMs,
    proxyTimeout: timeoutMs,
    on: {
      proxyReq: (outgoing, request) => outgoing.setHeader("X-Request-Id", requestContextOf(request).requestId),
      error: (cause, request, response) => {
        // Only an upgraded connection would have a bare socket here, and none of these is.
        const endpoint = asked.get(request);
        if (!("setHeader" in response) || endpoint === undefined) return;
        sendError(request, response, endpoint, new ApiError("upstream_unavailable", {}, { cause }));
      },
    },
  });
}
