import type { RequestListener } from "node:http";
import express, { type ErrorRequestHandler, type Express, type Router } from "express";
import { mountOperatorConsole } from "../back-office/console.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { allowedRoutes, forwardEndpoints } from "../frame/forward.ts";
import { mountWidgetHost } from "../frame/widget-host.ts";
import { connectorCallbacks } from "../gateways/insurer-callbacks.ts";
import { publicKeysRouter } from "../orders/signed-receipts.ts";
import { docsRouter } from "../partner-docs/routes.ts";
import { asRequest } from "../platform/callers.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { mountRoutes, refuseOtherMethods } from "../platform/http/mount-routes.ts";
import { requestContext, setDeferredHeaders } from "../platform/http/request-context.ts";
import type { Route } from "../platform/http/route.ts";
import {
  apiHeaders,
  consoleHeaders,
  type HeaderList,
  setHeaders,
  widgetHostHeaders,
} from "../platform/http/security-headers.ts";
import { sendError } from "../platform/http/send-answer.ts";
import type { Context } from "./compose.ts";
import type { Config, Face } from "./config.ts";
import { mountMetrics, mountProbes } from "./probes.ts";

/** The format and language of a server's errors outside of its endpoints. */
type FaceWords = Pick<Endpoint, "family" | "caller">;

/** Creates the apps of the configured faces, each for its own port. */
export function createFaceApps(context: Context): ReadonlyMap<Face, RequestListener> {
  const makers: Record<Face, () => RequestListener> = {
    order: () => orderApi(context),
    spot: () => spotApi(context),
    widget: () => widgetHost(context),
    operations: () => operatorConsole(context),
    sandbox: () => sandboxHost(context),
  };
  return new Map(context.config.faces.map((face) => [face, makers[face]()]));
}

/** Creates the app of `PROBES_PORT`: only what supervisors and load balancers request. */
export function createProbesApp(context: Context): RequestListener {
  return host(context, apiHeaders, { family: "spot", caller: "partner" }, (app) => {
    mountProbes(app, context);
    app.use(setDeferredHeaders);
    mountMetrics(app, context);
  });
}

function orderApi(context: Context): Express {
  const words: FaceWords = { family: "order", caller: "partner" };
  return face(context, apiHeaders, words, (app) => {
    mountRoutes(app, context.mount, context.orderRoutes);
    refuseOtherMethods(app, context.orderRoutes.map(endpointOf));
    app.use(setDeferredHeaders);
    app.use(publicKeysRouter(context));
    app.use(documentation(context));
  });
}

const endpointOf = ({ endpoint }: Route) => endpoint;

function spotApi(context: Context): Express {
  const words: FaceWords = { family: "spot", caller: "partner" };
  return face(context, apiHeaders, words, (app) => {
    mountRoutes(app, context.mount, context.spotRoutes);
    refuseOtherMethods(app, context.spotRoutes.map(endpointOf));
    app.use(setDeferredHeaders);
    app.use(connectorCallbacks(context.callbacks));
    app.use(documentation(context));
  });
}

/** `/openapi.json` and `/docs`, which both APIs have. */
function documentation({ config: { environment, addresses, webhooks }, sandbox, widgetHost: host }: Context): Router {
  return docsRouter({
    environment,
    orderApiUrl: addresses.order.publicUrl,
    spotApiUrl: addresses.spot.publicUrl,
    widgetHostUrl: addresses.widget.publicUrl,
    signatureWord: webhooks.signatureWord,
    testValues: sandbox?.testValues ?? null,
    packagesFolder: host?.source.kind === "built" ? host.source.widget.packagesFolder : null,
  });
}

function widgetHost(context: Context): Express {
  const { widgetHost: dependencies, config } = context;
  if (dependencies === null) throw new Error("A process without the widget cannot be its host.");
  return face(context, widgetHostHeaders, { family: "spot", caller: "widget" }, (app) => {
    app.use(setDeferredHeaders);
    app.use(["/orders", "/api"], setHeaders(apiHeaders));
    mountAllowList(app, context, context.orderRoutes, config.forward.order);
    mountAllowList(app, context, context.spotRoutes, config.forward.spot);
    mountWidgetHost(app, dependencies);
  });
}

/** Serves the endpoints that the widget calls: by itself, or by forwarding them to `target`. */
function mountAllowList(app: Express, context: Context, routes: readonly Route[], target: string | null): void {
  const allowed = allowedRoutes(routes);
  if (target === null) {
    // The widget has the same origin, and no other page may call its API here.
    mountRoutes(app, { ...context.mount, allowsOrigin: null }, allowed);
    return;
  }
  const endpoints = allowed.map(({ endpoint }) => endpoint);
  forwardEndpoints(app, endpoints, { target, hasTrustedProxies: context.config.trustedProxies > 0 });
}

/** The operators' console, which answers with pages for people and JSON for scripts. */
function operatorConsole(context: Context): Express {
  return face(context, consoleHeaders, { family: "spot", caller: "partner" }, (app) => {
    app.use(setDeferredHeaders);
    mountOperatorConsole(app, context.console);
  });
}

function sandboxHost({ sandbox }: Context): RequestListener {
  if (sandbox === null) throw new Error("A process without a sandbox cannot be its host.");
  return sandbox.app;
}

/** Creates a face's app; if probes have a separate port, the face does not answer them. */
function face(context: Context, headers: HeaderList, words: FaceWords, mount: (app: Express) => void): Express {
  return host(context, headers, words, (app) => {
    if (context.config.probesPort === null) mountProbes(app, context);
    app.use((_request, _response, next) => asRequest(next));
    mount(app);
  });
}

/** Creates a server's app, with the handlers that every server has before and after its own routes. */
function host(context: Context, headers: HeaderList, words: FaceWords, mount: (app: Express) => void): Express {
  const app = express();
  configure(app, context.config);
  app.use(requestContext(context, headers));
  mount(app);
  app.use((request, response) => sendError(request, response, words, new ApiError("not_found")));
  const onError: ErrorRequestHandler = (error, request, response, _next) => {
    sendError(request, response, words, asRequestError(error));
  };
  app.use(onError);
  return app;
}

function configure(app: Express, { trustedProxies }: Config): void {
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("trust proxy", trustedProxies);
  // `rut=a&rut=b` is a list and `rut[x]=a` a plain name: query values never become objects.
  app.set("query parser", "simple");
}

/** Express's body parser reports errors in the request by `status`. */
function asRequestError(error: unknown): unknown {
  if (error instanceof URIError) return error;
  const status = typeof error === "object" && error !== null && "status" in error ? error.status : undefined;
  if (status === 413) return new ApiError("body_too_large", {}, { cause: error });
  return status === 400 || status === 415 ? new ApiError("unreadable_body", {}, { cause: error }) : error;
}
