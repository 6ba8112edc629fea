import type { OpenedWidgetToken } from "../../checkout/open-widget-token.ts";
import {
  changeCard,
  changeCardOnPage,
  inquireCardChange,
  inquireCardPageChange,
} from "../../collection/change-card.ts";
import type { CollectionKey } from "../../collection/collection.ts";
import type { CollectionRequestDependencies } from "../../collection/dependencies.ts";
import { inquireEarly, payEarly } from "../../collection/pay-early.ts";
import { declinedBecause } from "../../contract/errors.ts";
import type {
  ChangeCardResponse,
  OpenLinkCardPageResponse,
  PayEarlyResponse,
  ShownCharge,
} from "../../contract/self-service-links.ts";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import { shownPage } from "../../orders/order-view.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { requireChargeOfCode, requireOpenLink } from "./answer-code.ts";
import { dueOfLink } from "./opened-link.ts";

/**
 * Changes the card for the remaining amount, after the patient has answered the code; without a card it only returns
 * the outcome of the one that this link has sent. A changed card uses the link up. Throws the same `ApiError`s as
 * adding a card before the payment, also `patient_code_required`, the 410s, and 409 `order_not_payable` if nothing is
 * left to charge.
 */
export async function changeCardByLink(
  dependencies: CollectionRequestDependencies,
  opened: OpenedWidgetToken,
  {
    access,
    sealedCard,
    shown,
  }: {
    readonly access: string;
    readonly sealedCard: string | undefined;
    /** The following charge as the page showed it. */
    readonly shown: ShownCharge | null;
  },
): Promise<ChangeCardResponse> {
  await requireOpenLink(dependencies, opened, access);
  const { provider, token, now } = opened;
  const of = { provider, key: orderOfLink(opened), widgetTokenId: token.id };
  const changed =
    sealedCard === undefined
      ? await inquireCardChange(dependencies, of)
      : await changeCard(dependencies, { ...of, sealedCard, shown, now });
  if (changed.outcome === "declined") throw new ApiError("card_declined", { decline_reason: changed.reason });
  return {
    status: changed.outcome,
    ...(changed.outcome === "requires_action" && { action: { type: "challenge", ...shownPage(changed.challenge) } }),
    due: await dueOfLink(dependencies.db, opened),
  };
}

/**
 * As `changeCardByLink`, for a card on the processor's own page: opens that page, or with `inquire` only returns its
 * outcome.
 */
export async function changeCardOnPageByLink(
  dependencies: CollectionRequestDependencies,
  opened: OpenedWidgetToken,
  {
    access,
    inquire,
    shown,
  }: { readonly access: string; readonly inquire: boolean; readonly shown: ShownCharge | null },
): Promise<OpenLinkCardPageResponse> {
  await requireOpenLink(dependencies, opened, access);
  const { provider, token, now } = opened;
  const of = { provider, key: orderOfLink(opened), widgetTokenId: token.id };
  const changed = inquire
    ? await inquireCardPageChange(dependencies, of)
    : await changeCardOnPage(dependencies, { ...of, shown, now });
  if (changed.outcome === "declined") throw new ApiError("card_declined", { decline_reason: changed.reason });
  if (changed.outcome === "abandoned") throw new ApiError("card_page_abandoned");
  if (changed.outcome === "expires_too_soon") throw new ApiError("card_expires_too_soon");
  return {
    status: changed.outcome,
    ...(changed.outcome === "open" && { page: shownPage(changed.page) }),
    ...(changed.outcome === "requires_action" && { action: { type: "challenge", ...shownPage(changed.challenge) } }),
    due: await dueOfLink(dependencies.db, opened),
  };
}

/**
 * Charges the remaining amount to the stored card now, after the patient has answered the code; with `inquire` it only
 * returns the result of an earlier request. It charges at most the amount of the code's mail and of the page
 * (`amount`), and only the card shown there. A successful charge uses up every link of the order; a declined one leaves
 * this link usable.
 *
 * Throws `ApiError`: `card_declined` with its reason (a card that will never work again is not charged), `rate_limited`
 * after too many declined charges, `order_not_payable`, `patient_code_required`, the 410s. The audit row only records
 * the request; the result is in the charge attempt.
 */
export async function payEarlyByLink(
  dependencies: CollectionRequestDependencies,
  opened: OpenedWidgetToken,
  {
    access,
    inquire,
    amount,
  }: { readonly access: string; readonly inquire: boolean; readonly amount?: Clp | undefined },
): Promise<PayEarlyResponse> {
  await requireOpenLink(dependencies, opened, access);
  const { provider, now } = opened;
  const key = orderOfLink(opened);
  const within = async (tx: Transaction) => {
    await requireChargeOfCode(tx, opened, access);
    await writeAudit(tx, dependencies, opened, "collection.early_charge_asked");
  };
  const paid = inquire
    ? await inquireEarly(dependencies, { provider, key })
    : await payEarly(dependencies, { provider, key, now, within, shownAmount: amount ?? null });
  switch (paid.outcome) {
    case "declined":
      throw new ApiError("card_declined", declinedBecause(paid));
    case "too_many":
      throw new ApiError("rate_limited", { retry_after_seconds: secondsUntil(paid.until, now) });
    case "nothing_due":
      throw new ApiError("order_not_payable");
    case "requires_action":
      return { status: paid.outcome, action: { type: "challenge", ...shownPage(paid.challenge) } };
    default:
      return { status: paid.outcome };
  }
}

function secondsUntil(moment: Date, now: Date): number {
  return Math.max(1, Math.ceil((moment.getTime() - now.getTime()) / 1_000));
}

/** The order of a payment link. Throws 404 if the link names no order. */
function orderOfLink({ order }: OpenedWidgetToken): CollectionKey {
  if (order === null) throw new ApiError("widget_token_not_found");
  return { providerId: order.providerId, orderId: order.orderId };
}

function writeAudit(
  tx: Transaction,
  { ids }: Pick<CollectionRequestDependencies, "ids">,
  { provider, token, now }: OpenedWidgetToken,
  act: string,
): Promise<void> {
  return recordAudit(tx, {
    id: ids.uuid(),
    providerId: provider.id,
    actor: "patient",
    credentialId: null,
    act,
    subject: { kind: "order", id: token.orderId ?? "" },
    details: { widget_token: token.id },
    at: now,
  });
}
