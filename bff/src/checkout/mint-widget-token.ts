import { encodeQR } from "qr";
import type * as z from "zod/mini";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { MintWidgetTokenResponse, mintWidgetTokenRequestSchema, ProviderData } from "../contract/widget-tokens.ts";
import type { NotifyPatientDependencies } from "../notifications/notify-patient.ts";
import { isPayable } from "../orders/order.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Ids } from "../platform/ids.ts";
import { isMetaProvider, type Provider } from "../platform/provider.ts";
import { centerName } from "../tenants/centers.ts";
import { normalReturnUrl } from "../tenants/provider-terms.ts";
import { hashToken } from "./open-widget-token.ts";
import { deliveredTo, mailCheckout } from "./tokens/mail-checkout.ts";
import { insertWidgetToken, type NewWidgetToken } from "./tokens/widget-token-store.ts";
import { expiryOf } from "./widget-token.ts";

/** The margin that the QR standard requires, in modules. Scanners use it to find the code. */
const QUIET_ZONE_MODULES = 4;

/**
 * A QR code as SVG, for a screen or print of any size. Always black on white, because few scanners read light on dark.
 * Contains no script, style or text.
 */
export function qrSvg(address: string): string {
  const rows = encodeQR(address, "raw", { ecc: "medium", border: QUIET_ZONE_MODULES });
  const size = rows.length;
  const dark = rows.map((row, y) => runsOf(row).map(({ x, width }) => `M${x} ${y}h${width}v1h-${width}z`));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">`,
    `<path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/>`,
    `<path fill="#000" d="${dark.flat().join("")}"/></svg>`,
  ].join("");
}

interface Run {
  readonly x: number;
  readonly width: number;
}

/** The runs of adjacent dark modules in a row, each drawn as one rectangle. The light quiet zone ends every row. */
function runsOf(row: readonly boolean[]): readonly Run[] {
  const begins = row.flatMap((isDark, x) => (isDark && row[x - 1] !== true ? [x] : []));
  return begins.map((x) => ({ x, width: row.indexOf(false, x) - x }));
}

export interface MintWidgetTokenDependencies extends NotifyPatientDependencies {
  readonly db: Database;
  readonly ids: Ids;
  /** The widget host's URL without a trailing slash. */
  readonly widgetHostUrl: string;
}

interface Minting {
  readonly provider: Provider;
  /** The public key as the caller presented it. It is passed on to the page. */
  readonly publicKey: string;
  /** The order named in the body, already verified to be the provider's own. */
  readonly order: OrderRecord | null;
  readonly body: z.output<typeof mintWidgetTokenRequestSchema>;
  readonly query: Readonly<{ long_term_token?: "true" | "false" | undefined; expires_in_minutes?: number | undefined }>;
  /** The provider's time. */
  readonly now: Date;
}

/**
 * Mints a token, and mails its address if requested. Only this call returns the token; only its hash is stored. Throws
 * `provider_data_not_allowed`, `origin_not_registered`, `return_url_not_registered`, `order_of_another_patient`,
 * `order_not_payable`. Throws a 422 for a frame around an app's checkout, and for a mail to an address other than that
 * of the order's customer.
 */
export async function mintWidgetToken(
  dependencies: MintWidgetTokenDependencies,
  { provider, publicKey, order, body, query, now }: Minting,
): Promise<MintWidgetTokenResponse> {
  const { db, ids, widgetHostUrl } = dependencies;
  const lifetime = lifetimeAsked(query, body);
  const delivered = body.deliver === undefined ? null : deliveredTo(order, body.deliver.email);
  if (body.provider_data !== undefined && !isMetaProvider(provider)) throw new ApiError("provider_data_not_allowed");
  const isNative = body.native === true;
  if (isNative && body.parent_origin !== undefined)
    throw new ApiError("validation_error", {
      errors: [{ path: "parent_origin", message: "must be left out for an app" }],
    });
  if (!isNative && provider.isFramed && provider.origins.length === 0)
    throw new ApiError("origin_not_registered", {}, { detail: NO_ORIGIN_DETAIL });
  const parentOrigin = body.parent_origin === undefined ? null : registeredOrigin(provider, body.parent_origin);
  const returnUrl = body.return_url === undefined ? null : registeredReturnUrl(provider, body.return_url);
  if (order !== null) requirePayableBy(order, body);
  const token = ids.uuid();
  const expiresAt = expiryOf(lifetime, now);
  const url = widgetUrl(widgetHostUrl, { token, publicKey, orderToken: order?.orderId ?? null });
  const minted: NewWidgetToken = {
    id: ids.uuid(),
    tokenHash: hashToken(token),
    providerId: provider.id,
    purpose: order === null ? "onboarding" : "checkout",
    orderId: order?.orderId ?? null,
    beneficiaryId: null,
    rut: order?.customer.rut ?? body.rut ?? body.user_data?.rut ?? null,
    userData: body.user_data ?? {},
    providerData: await shownClinic(db, order, body.provider_data),
    parentOrigin,
    returnUrl,
    isNative,
    locale: body.locale ?? "es-CL",
    createdAt: now,
    expiresAt,
  };
  if (delivered === null) await insertWidgetToken(db, minted);
  else
    await inTransaction(db, async (tx) => {
      await insertWidgetToken(tx, minted);
      const mail = { provider, order: delivered, tokenId: minted.id, url, locale: body.locale, now, expiresAt };
      await mailCheckout(dependencies, tx, mail);
    });
  return {
    widget_token: token as MintWidgetTokenResponse["widget_token"],
    url,
    expires_at: expiresAt.toISOString(),
    ...(body.qr === true ? { qr_svg: qrSvg(url) } : {}),
  };
}

/** Throws unless the order can be paid, by the patient that the caller names. */
function requirePayableBy(order: OrderRecord, { rut, user_data: userData }: Minting["body"]): void {
  const isAnothers = [rut, userData?.rut].some((named) => named !== undefined && named !== order.customer.rut);
  if (isAnothers) throw new ApiError("order_of_another_patient");
  if (!isPayable(order.state)) throw new ApiError("order_not_payable");
}

/** The sub-clinic that the patient sees: what the caller sends, completed from the order's centre if it is the same. */
async function shownClinic(
  db: Database,
  order: OrderRecord | null,
  sent: ProviderData | undefined,
): Promise<ProviderData | null> {
  if (order?.center == null || (sent?.rut !== undefined && sent.rut !== order.center.rut)) return sent ?? null;
  const name = sent?.name ?? (await centerName(db, { providerId: order.providerId, id: order.center.id }));
  return { rut: order.center.rut, ...sent, ...(name === null ? {} : { name }) };
}

/** Browsers would only show the patient that the page refused to connect. */
const NO_ORIGIN_DETAIL =
  "The provider has no registered origin, so no page could show this widget. Ask the operator to register the origins of your pages (`aapd provider set-origins`), or to allow you to open the widget without a frame (`--no-frame`).";

/** The lifetime that the query or the body requests. Throws a 422 if they differ. */
function lifetimeAsked(query: Minting["query"], body: Minting["body"]) {
  const inQuery = query.long_term_token === undefined ? undefined : query.long_term_token === "true";
  return {
    longTerm: oneOf("long_term_token", inQuery, body.long_term_token) === true,
    expiresInMinutes: oneOf("expires_in_minutes", query.expires_in_minutes, body.expires_in_minutes),
  };
}

function oneOf<T>(path: string, inQuery: T | undefined, inBody: T | undefined): T | undefined {
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody)
    throw new ApiError("validation_error", { errors: [{ path, message: "differs between query and body" }] });
  return inQuery ?? inBody;
}

/** The page origin that the caller names. Throws unless the provider has registered it. */
function registeredOrigin(provider: Provider, parentOrigin: string): string {
  const origin = URL.canParse(parentOrigin) ? new URL(parentOrigin).origin : null;
  if (origin === null || !provider.origins.includes(origin)) throw new ApiError("origin_not_registered");
  return origin;
}

/** The return URL that the caller names. Throws unless the provider has registered exactly this URL. */
function registeredReturnUrl(provider: Provider, named: string): string {
  const returnUrl = URL.canParse(named) ? normalReturnUrl(named) : null;
  if (returnUrl === null || !provider.returnUrls.includes(returnUrl)) throw new ApiError("return_url_not_registered");
  return returnUrl;
}

/** The URL that opens the widget with a token. */
export function widgetUrl(
  widgetHostUrl: string,
  parts: { readonly token: string; readonly publicKey: string; readonly orderToken: OrderId | null },
): string {
  const url = new URL("/", widgetHostUrl);
  url.searchParams.set("widget_token", parts.token);
  url.searchParams.set("public_key", parts.publicKey);
  if (parts.orderToken !== null) url.searchParams.set("order_token", parts.orderToken);
  return url.href;
}
