import { readWidgetToken, type WidgetToken } from "../contract/vocabulary/identifiers.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { type Loading, NOTHING_NAMED, type ReceivedRequest, type RouteLimit } from "../platform/http/route.ts";
import { loadingCallerToken, type OpenedWidgetToken } from "./open-widget-token.ts";
import type { WidgetTokenPurpose } from "./widget-token.ts";

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
