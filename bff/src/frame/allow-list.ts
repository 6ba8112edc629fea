import type { Endpoint } from "../contract/endpoint.ts";
import { orderEndpoints } from "../contract/order-endpoints.ts";
import type { Route } from "../platform/http/route.ts";

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
