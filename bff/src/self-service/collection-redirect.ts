import { type CardPageChange, inquireCardPageChange } from "../collection/change-card.ts";
import type { CollectionRequestDependencies } from "../collection/dependencies.ts";
import { inquireEarly } from "../collection/pay-early.ts";
import type { InquiredOrder, InquiredRedirect, RedirectState } from "../orders/inquire-redirect.ts";
import type { Redirect } from "../orders/redirect.ts";
import { findCardAttempt } from "../orders/run-card-attempt.ts";

/**
 * The state of the card change or early payment that a returning patient was redirected for. Inquires at the processor,
 * as the link's page does, but never starts anything. Null if there is no such attempt.
 */
export async function inquireCollectionRedirect(
  dependencies: CollectionRequestDependencies,
  { provider, order: { providerId, orderId } }: InquiredOrder,
  { kind, attemptId }: Redirect & { readonly kind: "card_change_page" | "card_change" | "pay_early" },
): Promise<InquiredRedirect | null> {
  const { db } = dependencies;
  const key = { providerId, orderId };
  const begun = await findCardAttempt(db, key, attemptId);
  if (begun === null) return null;
  const { startedAt, widgetTokenId } = begun;
  if (kind === "pay_early")
    return { startedAt, state: earlyState(await inquireEarly(dependencies, { provider, key })) };
  // A change is always started by a link, and the link's last card counts.
  if (widgetTokenId === null) return null;
  const change = await inquireCardPageChange(dependencies, { provider, key, widgetTokenId });
  return { startedAt, state: changeState(change, kind) };
}

const AT_PAGE: RedirectState = { status: "processing", waits_for: "patient" };
const AT_BANK: RedirectState = { status: "processing", waits_for: "bank" };

function changeState({ outcome }: CardPageChange, kind: "card_change_page" | "card_change"): RedirectState {
  switch (outcome) {
    case "changed":
      return { status: "card_changed" };
    case "requires_action":
      // The card's page has ended. The issuer's challenge follows on the link's page.
      return kind === "card_change_page" ? { status: "to_continue" } : AT_PAGE;
    case "open":
      return AT_PAGE;
    case "processing":
      return AT_BANK;
    case "declined":
    case "abandoned":
    case "expires_too_soon":
      return { status: "declined" };
    case "none":
      return { status: "closed" };
  }
}

function earlyState({ outcome }: Awaited<ReturnType<typeof inquireEarly>>): RedirectState {
  switch (outcome) {
    case "collected":
      return { status: "paid" };
    case "requires_action":
      return AT_PAGE;
    case "processing":
      return AT_BANK;
    case "declined":
    case "too_many":
    case "none":
      return { status: "declined" };
    case "nothing_due":
      return { status: "closed" };
  }
}
