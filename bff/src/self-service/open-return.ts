import { type OpenWidgetTokenDependencies, openWidgetToken, shownTokenOf } from "../checkout/open-widget-token.ts";
import { appPart, providerPart } from "../checkout/widget-session.ts";
import type { CollectionRequestDependencies } from "../collection/dependencies.ts";
import { RETURN_HOURS, type ReadReturnResponse } from "../contract/redirects.ts";
import { HOUR_MS } from "../contract/vocabulary/durations.ts";
import type { WidgetToken } from "../contract/vocabulary/identifiers.ts";
import type { PageReturn } from "../contract/widget-page.ts";
import {
  type InquiredOrder,
  type InquiredRedirect,
  inquireOrderRedirect,
  type RedirectState,
  unlessSwitchedOff,
} from "../orders/inquire-redirect.ts";
import { findOrder } from "../orders/order-reads.ts";
import { openReference, type Redirect } from "../orders/redirect.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Keyring } from "../platform/keyring.ts";
import { providerNow } from "../platform/provider.ts";
import { findProvider } from "../tenants/providers.ts";
import { inquireCollectionRedirect } from "./collection-redirect.ts";

export interface OpenReturnDependencies {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly keyring: Pick<Keyring, "open">;
}

/** A redirect whose patient may be back, with its order. */
interface Returned extends InquiredOrder {
  readonly redirect: Redirect;
  /** The provider's time. */
  readonly now: Date;
}

/** The subject of a return URL's reference; null if this service did not create it, or no longer has its subject. */
async function openReturn({ db, clock, keyring }: OpenReturnDependencies, reference: string): Promise<Returned | null> {
  const redirect = openReference(keyring, reference);
  if (redirect === null) return null;
  const [provider, order] = await Promise.all([findProvider(db, redirect.providerId), findOrder(db, redirect)]);
  if (provider === null || order === null) return null;
  return { redirect, provider, order, now: providerNow(provider, clock.now()) };
}

interface ReturnPageDependencies extends OpenReturnDependencies {
  /**
   * The origins of the checkout and of the card processor's pages. A page framed by them returns in its frame, and the
   * provider's page may enclose the checkout.
   */
  readonly framingOrigins: readonly string[];
}

/**
 * The initial content of the return page: the clinic and the language. The page requests the state itself. It shows
 * nothing that the issuer and the processor, who know its URL, have not learned from the payment.
 */
export async function returnPageFor(dependencies: ReturnPageDependencies, reference: string): Promise<PageReturn> {
  const { db, framingOrigins } = dependencies;
  const returned = await openReturn(dependencies, reference);
  if (returned === null)
    return { reference: null, locale: "es-CL", provider: null, return_url: null, parent_origins: framingOrigins };
  const { provider, redirect } = returned;
  const token = await shownTokenOf(db, redirect);
  return {
    reference,
    locale: token?.locale ?? "es-CL",
    provider: providerPart(provider, token?.providerData ?? null),
    return_url: token === null ? null : appPart(token, provider).return_url,
    parent_origins: [...framingOrigins, ...provider.origins],
  };
}

export type ReadReturnDependencies = OpenWidgetTokenDependencies &
  Parameters<typeof inquireOrderRedirect>[0] &
  CollectionRequestDependencies;

const PURPOSES = {
  payment: "payment",
  card: "card",
  card_change_page: "card_change",
  card_change: "card_change",
  pay_early: "pay_early",
} as const satisfies Record<Redirect["kind"], ReadReturnResponse["purpose"]>;

/**
 * The state of the process for which a patient was redirected. Throws 404 `not_found` once the return URL has expired,
 * and for an unknown one.
 */
export async function readReturn(
  dependencies: ReadReturnDependencies & OpenReturnDependencies,
  reference: string,
  widgetToken: WidgetToken | undefined,
): Promise<ReadReturnResponse> {
  const returned = await openReturn(dependencies, reference);
  if (returned === null) throw new ApiError("not_found");
  const { redirect, now } = returned;
  const inquired = await unlessSwitchedOff(inquire(dependencies, returned));
  if (inquired !== null && inquired.startedAt.getTime() + RETURN_HOURS * HOUR_MS <= now.getTime())
    throw new ApiError("not_found");
  const { status, waits_for = null, amount = null, first_instalment = null } = inquired?.state ?? SWITCHED_OFF;
  const can_continue = widgetToken !== undefined && (await canContinue(dependencies, redirect, widgetToken));
  return { purpose: PURPOSES[redirect.kind], status, waits_for, amount, first_instalment, can_continue };
}

/** While charges are switched off no inquiry is made: the patient's confirmation stays with the issuer. */
const SWITCHED_OFF: RedirectState = { status: "processing", waits_for: "bank" };

async function inquire(dependencies: ReadReturnDependencies, { redirect, ...of }: Returned): Promise<InquiredRedirect> {
  const { kind } = redirect;
  const inquired =
    kind === "payment" || kind === "card"
      ? await inquireOrderRedirect(dependencies, of, { ...redirect, kind })
      : await inquireCollectionRedirect(dependencies, of, { ...redirect, kind });
  if (inquired === null) throw new ApiError("not_found");
  return inquired;
}

async function canContinue(
  dependencies: OpenWidgetTokenDependencies,
  { providerId, orderId }: Redirect,
  widgetToken: WidgetToken,
): Promise<boolean> {
  const opened = await openWidgetToken(dependencies, widgetToken);
  if (opened === null || opened.state === "expired" || opened.state === "revoked") return false;
  return opened.provider.id === providerId && opened.token.orderId === orderId;
}
