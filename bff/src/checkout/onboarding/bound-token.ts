import { readWidgetToken, type WidgetToken } from "../../contract/vocabulary/identifiers.ts";
import type { Rut } from "../../contract/vocabulary/rut.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { LoadedAtOnce, LoadedBeside, ReceivedRequest } from "../../platform/http/route.ts";
import type { Principal } from "../../platform/provider.ts";
import {
  type OpenedWidgetToken,
  type OpenWidgetTokenDependencies,
  openWidgetToken,
  openWidgetTokenAtOnce,
} from "../tokens/open-widget-token.ts";
import type { WidgetTokenPurpose } from "../tokens/widget-token.ts";

/**
 * The widget token that the body names: 404 when there is none, it is another provider's, or it is for something else than
 * the call. `null` where the body will be refused for its shape.
 */
export async function loadBoundToken(
  dependencies: OpenWidgetTokenDependencies,
  { principal, unparsedBody }: ReceivedRequest<Principal>,
  purposes: readonly WidgetTokenPurpose[],
): Promise<OpenedWidgetToken | null> {
  const token = namedToken(unparsedBody);
  if (token === null) return null;
  const opened = await openWidgetToken(dependencies, token, principal);
  if (opened === null || !purposes.includes(opened.token.purpose)) throw new ApiError("widget_token_not_found");
  return opened;
}

/** The same, confirming the caller and letting the request in by the same statement; `null` where there is anything to refuse. */
export async function loadBoundTokenAtOnce(
  dependencies: OpenWidgetTokenDependencies,
  { principal: { provider }, unparsedBody }: ReceivedRequest<Principal>,
  purposes: readonly WidgetTokenPurpose[],
  beside: LoadedBeside,
): Promise<LoadedAtOnce<OpenedWidgetToken> | null> {
  const token = namedToken(unparsedBody);
  return token === null ? null : openWidgetTokenAtOnce(dependencies, { token, purposes }, provider, beside);
}

function namedToken(unparsedBody: unknown): WidgetToken | null {
  const named =
    typeof unparsedBody === "object" && unparsedBody !== null && "widget_token" in unparsedBody
      ? unparsedBody.widget_token
      : null;
  return typeof named === "string" ? readWidgetToken(named) : null;
}

/** The token of a request whose body has been read. */
export function boundToken(opened: OpenedWidgetToken | null): OpenedWidgetToken {
  if (opened === null) throw new ApiError("widget_token_not_found");
  return opened;
}

/** With an order, the patient is the order's: nobody else is registered or recovered under its token. */
export function requireOrdersPatient({ order }: OpenedWidgetToken, rut: Rut): void {
  if (order !== null && order.customer.rut !== rut) {
    throw new ApiError("validation_error", { errors: [{ path: "rut", message: "must be the RUT of the order" }] });
  }
}
