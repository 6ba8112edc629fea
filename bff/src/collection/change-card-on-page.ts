import type { ShownCharge } from "../contract/self-service-links.ts";
import type { CardPage } from "../gateways/card-processor.ts";
import { type CardAuthentication, type CardRegistration, cardRegistrationId, isOpen } from "../orders/card-attempt.ts";
import { requirePage } from "../orders/open-card-page.ts";
import { lockOrder } from "../orders/order-reads.ts";
import { expiresTooSoon } from "../orders/readiness.ts";
import {
  type CardAttemptRun,
  keepGiven,
  lastCardAttempt,
  replaceCardAttempt,
  runCardAttempt,
} from "../orders/run-card-attempt.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Provider } from "../platform/provider.ts";
import {
  askAboutCard,
  authenticateCard,
  type CardChange,
  givenWith,
  inquireCardChange,
  requireCollecting,
} from "./change-card.ts";
import { hasEnded } from "./collection.ts";
import type { CollectionKey } from "./collection-record.ts";
import { lockCollection, readCollection } from "./collection-store.ts";
import type { CollectionDependencies } from "./dependencies.ts";

/** The result of a card given on the processor's page. The issuer may challenge the patient afterwards. */
export type CardPageChange =
  | CardChange
  | { readonly outcome: "open"; readonly page: CardPage }
  | { readonly outcome: "abandoned" | "expires_too_soon" };

interface ByLink {
  readonly provider: Provider;
  readonly key: CollectionKey;
  /** The link that the change uses up. */
  readonly widgetTokenId: string;
}

/**
 * Opens the processor's page for a new card for upcoming charges. Returns the page that this link has already opened; a
 * page of another link becomes invalid. Throws as `changeCard` does, and 400 `card_page_not_offered`.
 */
export async function changeCardOnPage(
  dependencies: CollectionDependencies,
  { now: at, shown, ...link }: ByLink & { readonly shown: ShownCharge | null; readonly now: Date },
): Promise<CardPageChange> {
  const { db } = dependencies;
  const { provider, key, widgetTokenId } = link;
  const collection = await readCollection(db, key);
  if (collection === null || hasEnded(collection)) throw new ApiError("order_not_payable");
  const before = await lastCardAttempt(db, key, { purpose: "card_change", widgetTokenId });
  if (before !== null && isOpen(before)) {
    await keepGiven(db, before, givenWith(shown));
    const page = await runPageOfChange(dependencies, { provider, attempt: before, ...AGAIN });
    if (isOpen(page) || page.state === "succeeded") return changeState(dependencies, link, page);
  }
  await requirePage(dependencies, provider);
  const opened = await inTransaction(db, async (tx) => {
    await requireCollecting(tx, key);
    const last = await lastCardAttempt(tx, key, { purpose: "card_change", widgetTokenId });
    // A concurrent press of this link has opened it.
    if (last !== null && isOpen(last)) return { attempt: last, ...AGAIN };
    const given = givenWith(shown);
    const attempt = await replaceCardAttempt(
      tx,
      dependencies,
      { ...key, purpose: "card_change", widgetTokenId, given, page: null, startedAt: at } as const,
      (number) => cardRegistrationId(key.orderId, "card_change", number),
    );
    return { attempt, mayHaveArrived: false, isInquiry: false };
  });
  return changeState(dependencies, link, await runPageOfChange(dependencies, { provider, ...opened }));
}

const AGAIN = { mayHaveArrived: true, isInquiry: false } as const;

/** The result of the page that a link last opened, and of the issuer's challenge after it. */
export async function inquireCardPageChange(
  dependencies: CollectionDependencies,
  link: ByLink,
): Promise<CardPageChange> {
  const { provider, key, widgetTokenId } = link;
  const last = await lastCardAttempt(dependencies.db, key, { purpose: "card_change", widgetTokenId });
  if (last === null) return inquireCardChange(dependencies, link);
  const page = isOpen(last) ? await runPageOfChange(dependencies, { provider, attempt: last, ...AGAIN }) : last;
  return changeState(dependencies, link, page);
}

/** Inquires about the page, and authenticates a card registered there with its issuer. */
export async function runPageOfChange(
  dependencies: CollectionDependencies,
  run: CardAttemptRun<CardRegistration>,
): Promise<CardRegistration> {
  const { provider } = run;
  const { attempt: page, used } = await runCardAttempt<CardRegistration, CardAuthentication>(dependencies, run, {
    use: async (tx, { attempt: { providerId, orderId, widgetTokenId, given }, card }, at) => {
      const key = { providerId, orderId };
      const order = await lockOrder(tx, key);
      const collection = await lockCollection(tx, key);
      if (collection === null || hasEnded(collection)) return { state: "dropped" };
      if (expiresTooSoon(card, collection.paidAt)) return { state: "expires_too_soon" };
      const shown = given?.shownCharge ?? null;
      return { used: await authenticateCard(tx, dependencies, { key, order, card, widgetTokenId, shown, at }) };
    },
  });
  if (used !== null)
    await askAboutCard(dependencies, { provider, attempt: used, mayHaveArrived: false, isInquiry: false });
  return page;
}

/** The state of a change: once a card is registered, the state of its authentication. */
async function changeState(
  dependencies: CollectionDependencies,
  link: ByLink,
  registration: CardRegistration,
): Promise<CardPageChange> {
  const { key, widgetTokenId } = link;
  const later = await lastCardAttempt(dependencies.db, key, { purpose: "new_card", widgetTokenId });
  // The same link may have sent a sealed card afterwards.
  if (later !== null && later.startedAt > (registration.endedAt ?? registration.startedAt))
    return inquireCardChange(dependencies, link);
  switch (registration.state) {
    case "calling":
      return { outcome: "processing" };
    case "at_page":
      return registration.page === null ? { outcome: "processing" } : { outcome: "open", page: registration.page };
    case "succeeded":
      return inquireCardChange(dependencies, link);
    case "declined":
      return { outcome: "declined", reason: registration.declineReason ?? "declined" };
    case "abandoned":
    case "expires_too_soon":
      return { outcome: registration.state };
    case "dropped":
      return { outcome: "none" };
  }
}
