import { type OpenedWidgetToken, spendToken } from "../../checkout/tokens/open-widget-token.ts";
import { changeCard } from "../../collection/charge/change-card.ts";
import { payEarly } from "../../collection/charge/pay-early.ts";
import { inquireEarly } from "../../collection/charge/read-early-payment.ts";
import type { CollectionKey } from "../../collection/collection-record.ts";
import type { CollectionDependencies } from "../../collection/dependencies.ts";
import type { ChangeCardResponse, PayEarlyResponse } from "../../contract/self-service-links.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { dueOfLink, requireOpenLink } from "./answer-code.ts";

/**
 * The patient, who has answered the code, gives another card for what is still to be charged. Uses the link up. Throws
 * `ApiError` as adding a card before the payment does, and: `patient_code_required`, the 410s, 409 `order_not_payable`
 * where nothing is to be charged any more.
 */
export async function changeCardByLink(
  dependencies: CollectionDependencies,
  opened: OpenedWidgetToken,
  { access, sealedCard }: { readonly access: string; readonly sealedCard: string },
): Promise<ChangeCardResponse> {
  await requireOpenLink(dependencies, opened, access);
  const { provider, token, now } = opened;
  const key = orderOfLink(opened);
  const within = async (tx: Transaction) => {
    await spendToken(tx, token.id, now);
    await writeAudit(tx, dependencies, opened, "collection.card_changed");
  };
  await changeCard(dependencies, { provider, key, sealedCard, within });
  return { status: "changed", due: await dueOfLink(dependencies.db, opened) };
}

/**
 * The patient, who has answered the code, pays what is left now, with the card that is kept; or only asks (`inquire`) what
 * became of it. What is collected uses up every link of the order; a declined charge leaves this one as it was. Throws
 * `ApiError`: `card_declined` with its reason (also where the card will never work again, and is not asked), `rate_limited`
 * where too many were declined, `order_not_payable`, `patient_code_required`, the 410s. The audit row says that a charge was
 * asked for; what became of it, its attempt says.
 */
export async function payEarlyByLink(
  dependencies: CollectionDependencies,
  opened: OpenedWidgetToken,
  { access, inquire }: { readonly access: string; readonly inquire: boolean },
): Promise<PayEarlyResponse> {
  await requireOpenLink(dependencies, opened, access);
  const { provider } = opened;
  const key = orderOfLink(opened);
  const within = (tx: Transaction) => writeAudit(tx, dependencies, opened, "collection.early_charge_asked");
  const paid = inquire
    ? await inquireEarly(dependencies.db, key)
    : await payEarly(dependencies, { provider, key, within });
  switch (paid.outcome) {
    case "declined":
      throw new ApiError("card_declined", { decline_reason: paid.reason });
    case "too_many":
      throw new ApiError("rate_limited", { retry_after_seconds: secondsUntil(paid.until, opened.now) });
    case "nothing_due":
      throw new ApiError("order_not_payable");
    default:
      return { status: paid.outcome };
  }
}

function secondsUntil(moment: Date, now: Date): number {
  return Math.max(1, Math.ceil((moment.getTime() - now.getTime()) / 1_000));
}

/** What such a link is about; a link that names no order pays nothing. */
function orderOfLink({ order }: OpenedWidgetToken): CollectionKey {
  if (order === null) throw new ApiError("widget_token_not_found");
  return { providerId: order.providerId, orderId: order.orderId };
}

function writeAudit(
  tx: Transaction,
  { ids }: Pick<CollectionDependencies, "ids">,
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
