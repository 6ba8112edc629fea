import type { IncomingMessage, ServerResponse } from "node:http";
import type { Request, RequestHandler, Response } from "express";
import { holdsCardNumber, withoutCardNumber } from "../../contract/vocabulary/card-number.ts";
import { stopwatch } from "../clock.ts";
import type { Ids } from "../ids.ts";
import type { LogFields, Logger } from "../logger.ts";
import type { BrowserEngine, Metrics } from "../metrics.ts";
import { parseTraceparent, type Traceparent } from "../tracing/traceparent.ts";
import { inSpan, type Span, type Tracer } from "../tracing/tracing.ts";
import type { RequestSubject } from "./route.ts";
import type { HeaderList } from "./security-headers.ts";

/**
 * Headers of every answer. Setting them one by one costs as much as parsing the request, so they are kept in a list and
 * written together with the answer's own headers (`sendAnswer`). Handlers that answer in another way are mounted behind
 * `setDeferredHeaders`.
 */
const deferred = Symbol("headers that are not set yet");

interface DeferringResponse extends ServerResponse {
  [deferred]?: readonly string[];
}

/** Defers headers until the answer is sent; `headers` alternates names and values. */
function deferHeaders(response: DeferringResponse, headers: readonly string[]): void {
  response[deferred] = headers;
}

/** Returns the deferred headers and forgets them, so the caller must send them. */
export function takeDeferredHeaders(response: DeferringResponse): readonly string[] {
  const headers = response[deferred] ?? NONE;
  response[deferred] = NONE;
  return headers;
}

const NONE: readonly string[] = [];

/** Sets the deferred headers, for handlers that do not send them by themselves. */
export const setDeferredHeaders: RequestHandler = (_request, response, next) => {
  const headers = takeDeferredHeaders(response);
  for (let index = 0; index < headers.length; index += 2)
    response.setHeader(headers[index] ?? "", headers[index + 1] ?? "");
  next();
};

/** A request's id and logger, available to all its handlers. */
interface RequestContext {
  /** Sent in `X-Request-Id` and written in every log line of the request. */
  readonly requestId: string;
  /** A logger whose lines carry the request's id. */
  readonly logger: Logger;
  /** Adds fields to the line that is written when the request has ended: `provider_id`, the answered `code`. */
  note(fields: LogFields): void;
  /** Records the subject of the request. The request joins the subject's trace, unless its caller has sent one. */
  about(what: RequestSubject): void;
}

/** Stored on the request itself, because a weak map with one entry per request slows down every garbage collection. */
const contextOf = Symbol("context of a request");

interface RequestWithContext extends IncomingMessage {
  [contextOf]?: RequestContext;
}

/** The context of a request that went through `requestContext`; throws for any other. */
export function requestContextOf(request: RequestWithContext): RequestContext {
  const context = request[contextOf];
  if (context === undefined) throw new Error("The request did not go through requestContext.");
  return context;
}

/** Requires a letter and 16 characters, so that a RUT sent as a request's id does not get into the log. */
const acceptedIdShape = /^(?=[^A-Za-z]*[A-Za-z])[\w.:-]{16,128}$/;

/**
 * The first handler of every server. Gives the request an id (the caller's `X-Request-Id` if it has an accepted shape)
 * and sends it with every answer. At the end it logs one line with method, route pattern, status and duration, but
 * never the URL, because it contains tokens. It also counts the request in the metrics. If `headers` are given, they
 * and the id are deferred (`deferHeaders`).
 */
export function requestContext(
  {
    ids,
    logger,
    metrics,
    tracer,
    requestEnded,
  }: {
    ids: Ids;
    logger: Logger;
    metrics: Pick<Metrics, "requestEnded">;
    tracer: Tracer;
    /** Receives the logged fields of each request as well. */
    requestEnded?: ((fields: LogFields) => void) | undefined;
  },
  headers: HeaderList | null = null,
): RequestHandler {
  const always = headers?.flat();
  return (request: Request & RequestWithContext, response, next) => {
    const requestId = requestIdOf(request, ids);
    const noted: LogFields[] = [];
    const named = callersTrace(request);
    const span = tracer.start({ name: "request", kind: "server", parent: named });
    let child: Logger | undefined;
    const context: RequestContext = {
      requestId,
      // Created on demand: few requests log anything before their end.
      get logger() {
        child ??= logger.child({ request_id: requestId });
        return child;
      },
      note: (fields) => void noted.push(fields),
      about({ subject, trace }) {
        span.about(subject);
        if (named === null && trace !== null) span.join(trace);
      },
    };
    request[contextOf] = context;
    if (always === undefined) response.setHeader("X-Request-Id", requestId);
    else deferHeaders(response, [...always, "X-Request-Id", requestId]);
    const took = stopwatch();
    response.once("close", () => {
      const seconds = took();
      const described = describe(request, response);
      metrics.requestEnded(described, seconds);
      const fields: LogFields = { request_id: requestId, ...described, duration_ms: Math.round(seconds * 10_000) / 10 };
      for (const more of noted) Object.assign(fields, more);
      inSpan(span, () => logger.info("http.request", fields));
      requestEnded?.({ ...span.subject, ...fields });
      endSpan(span, described);
    });
    inSpan(span, next);
  };
}

/** A request's id: the caller's own if it has an accepted shape and holds no card number, otherwise a new one. */
export function requestIdOf({ headers }: IncomingMessage, ids: Ids): string {
  const sent = headers["x-request-id"];
  const isAccepted = typeof sent === "string" && acceptedIdShape.test(sent) && !holdsCardNumber(sent);
  return isAccepted ? sent : ids.uuid();
}

/**
 * The trace that the caller names, unless its hexadecimal digits contain a card number, because it is written to logs
 * and spans.
 */
function callersTrace({ headers }: IncomingMessage): Traceparent | null {
  const trace = parseTraceparent(headers.traceparent);
  if (trace === null) return null;
  // Ids may contain such digits by chance and are exempt elsewhere. Here a new trace costs nothing.
  const digits = `${trace.traceId}x${trace.spanId}`.replaceAll(/[a-f]/g, "x");
  return holdsCardNumber(digits) ? null : trace;
}

function endSpan(span: Span, { method, route, status }: ReturnType<typeof describe>): void {
  const attributes = { "http.request.method": method, "http.route": route, "http.response.status_code": status };
  span.end({ name: `${method} ${route}`, attributes, hasFailed: status >= 500 });
}

function describe(request: Request, response: Response) {
  const outcome = response.writableFinished ? {} : { outcome: "aborted" };
  return { method: request.method, route: routePattern(request), status: response.statusCode, ...outcome };
}

/** The pattern of the route that handled the request, such as `/orders/:hash`; `unmatched` if there was none. */
function routePattern(request: Request): string {
  const route: unknown = request.route;
  const path = typeof route === "object" && route !== null && "path" in route ? route.path : undefined;
  return typeof path === "string" ? `${request.baseUrl}${path}` : "unmatched";
}

const LENGTH_MAX = 512;

/** The caller's `User-Agent`, cut to a maximum length, to record the browser in which something was accepted. */
export function userAgentOf(request: Pick<Request, "headers">): string | null {
  const userAgent = request.headers["user-agent"]?.slice(0, LENGTH_MAX) ?? null;
  return userAgent && withoutCardNumber(userAgent);
}

/** The engine of a browser by its `User-Agent`. Blink claims to be WebKit, and every browser on an iPhone is WebKit. */
export function browserEngineOf(userAgent: string | undefined): BrowserEngine {
  if (userAgent === undefined) return "other";
  if (/\b(?:iPhone|iPad|iPod)\b/.test(userAgent)) return "webkit";
  if (/\bChrom(?:e|ium)\//.test(userAgent)) return "blink";
  if (/\bAppleWebKit\//.test(userAgent)) return "webkit";
  return /\bGecko\/\d/.test(userAgent) ? "gecko" : "other";
}
