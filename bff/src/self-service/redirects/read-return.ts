import { type OpenWidgetTokenDependencies, openWidgetToken } from "../../checkout/tokens/open-widget-token.ts";
import type { CollectionDependencies } from "../../collection/dependencies.ts";
import { inquireCollectionRedirect } from "../../collection/redirects/inquire-redirect.ts";
import { RETURN_HOURS, type ReadReturnResponse } from "../../contract/redirects.ts";
import { HOUR_MS } from "../../contract/vocabulary/durations.ts";
import type { WidgetToken } from "../../contract/vocabulary/identifiers.ts";
import type { CardPageDependencies } from "../../orders/card-pages/open-card-page.ts";
import type { PayOrderDependencies } from "../../orders/payments/pay-order.ts";
import {
  type InquiredRedirect,
  inquireOrderRedirect,
  type RedirectStanding,
  unlessSwitchedOff,
} from "../../orders/redirects/inquire-redirect.ts";
import type { Redirect } from "../../orders/redirects/redirect.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { type OpenReturnDependencies, openReturn, type Returned } from "./open-return.ts";

export type ReadReturnDependencies = OpenWidgetTokenDependencies &
  PayOrderDependencies &
  CardPageDependencies &
  CollectionDependencies;

const PURPOSES = {
  payment: "payment",
  card: "card",
  card_change_page: "card_change",
  card_change: "card_change",
  pay_early: "pay_early",
} as const satisfies Record<Redirect["kind"], ReadReturnResponse["purpose"]>;

/**
 * How it stands what a patient was redirected for. Throws 404 `not_found` once the return URL's time is over, and for what
 * is not known.
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
  const { status, waits_for = null, amount = null, first_instalment = null } = inquired?.standing ?? SWITCHED_OFF;
  const can_continue = widgetToken !== undefined && (await canContinue(dependencies, redirect, widgetToken));
  return { purpose: PURPOSES[redirect.kind], status, waits_for, amount, first_instalment, can_continue };
}

/** While charges are switched off nobody is asked: what the patient confirmed stays with the issuer. */
const SWITCHED_OFF: RedirectStanding = { status: "processing", waits_for: "bank" };

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
  if (opened === null || opened.state === "expired") return false;
  return opened.provider.id === providerId && opened.token.orderId === orderId;
}
