import type { ShownCharge } from "../contract/self-service-links.ts";
import type { CardPage } from "../gateways/card-processor.ts";
import { dropOpenVisit, keepGiven, lastVisit } from "../orders/card-page-reads.ts";
import { type CardRegistration, cardRegistrationId, isOpen } from "../orders/card-registration.ts";
import { requirePage } from "../orders/open-card-page.ts";
import { lockOrder } from "../orders/order-reads.ts";
import { expiresTooSoon } from "../orders/readiness.ts";
import {
  openRegistration,
  type Registering,
  runRegistration,
  settleOpenRegistration,
} from "../orders/run-registration.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Provider } from "../platform/provider.ts";
import type { ClaimedTimer } from "../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../platform/timers/timer-worker.ts";
import { requireProvider } from "../tenants/provider-reads.ts";
import { readAuthentications } from "./authentication/authentication-store.ts";
import type { CardAuthentication } from "./authentication/card-authentication.ts";
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
import { keyOf } from "./collection-timers.ts";
import type { CollectionDependencies } from "./dependencies.ts";

/** What becomes of a card that the patient gives on the processor's page; after it its issuer may ask them. */
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
 * Opens the processor's page for another card for what is still to be charged. One that this link has open is answered
 * again; one of another link counts no more. Throws as `changeCard` does, and 400 `card_page_not_offered`.
 */
export async function changeCardOnPage(
  dependencies: CollectionDependencies,
  { now: at, shown, ...link }: ByLink & { readonly shown: ShownCharge | null; readonly now: Date },
): Promise<CardPageChange> {
  const { db } = dependencies;
  const { provider, key, widgetTokenId } = link;
  const collection = await readCollection(db, key);
  if (collection === null || hasEnded(collection)) throw new ApiError("order_not_payable");
  const before = await lastVisit(db, key, { purpose: "card_change", widgetTokenId });
  if (before !== null && isOpen(before)) {
    await inTransaction(db, async (tx) => {
      await lockOrder(tx, key);
      await keepGiven(tx, before, givenWith(shown));
    });
    const requested = await askAboutPage(dependencies, { provider, registration: before, ...AGAIN });
    if (isOpen(requested) || requested.state === "registered") return changeState(dependencies, link, requested);
  }
  await requirePage(dependencies, provider);
  const opened = await inTransaction(db, async (tx) => {
    await requireCollecting(tx, key);
    const last = await lastVisit(tx, key, { purpose: "card_change" });
    // Another press of this link has opened it meanwhile.
    if (last !== null && isOpen(last) && last.widgetTokenId === widgetTokenId) return { registration: last, ...AGAIN };
    await dropOpenVisit(tx, key, { purpose: "card_change", at });
    const number = (last?.number ?? 0) + 1;
    const registration = await openRegistration(tx, dependencies, {
      ...key,
      id: cardRegistrationId(key.orderId, "card_change", number),
      purpose: "card_change",
      number,
      widgetTokenId,
      given: givenWith(shown),
      page: null,
      startedAt: at,
    });
    return { registration, mayHaveArrived: false, isInquiry: false };
  });
  return changeState(dependencies, link, await askAboutPage(dependencies, { provider, ...opened }));
}

const AGAIN = { mayHaveArrived: true, isInquiry: false } as const;

/** What became of the page that a link has opened last, and of the issuer's challenge after it. */
export async function inquireCardPageChange(
  dependencies: CollectionDependencies,
  link: ByLink,
): Promise<CardPageChange> {
  const { provider, key, widgetTokenId } = link;
  const last = await lastVisit(dependencies.db, key, { purpose: "card_change", widgetTokenId });
  if (last === null) return inquireCardChange(dependencies, link);
  const requested = isOpen(last) ? await askAboutPage(dependencies, { provider, registration: last, ...AGAIN }) : last;
  return changeState(dependencies, link, requested);
}

/** The timer of a page that a request has left open. */
export async function settleCardPageChange(
  dependencies: CollectionDependencies,
  timer: ClaimedTimer,
): Promise<TimerOutcome> {
  const key = keyOf(timer);
  const provider = await requireProvider(dependencies.db, key.providerId);
  return settleOpenRegistration(dependencies, { provider, key, id: timer.key }, (asking) =>
    askAboutPage(dependencies, asking),
  );
}

/** Asks about the page, and the issuer of a card that was registered there. */
async function askAboutPage(
  dependencies: CollectionDependencies,
  asking: Omit<Registering<CardAuthentication>, "use">,
): Promise<CardRegistration> {
  const use: Registering<CardAuthentication>["use"] = async (tx, { registration, card }, at) => {
    const { providerId, orderId, widgetTokenId, given } = registration;
    const key = { providerId, orderId };
    const order = await lockOrder(tx, key);
    const collection = await lockCollection(tx, key);
    if (collection === null || hasEnded(collection)) return { state: "dropped" };
    if (expiresTooSoon(card, collection.paidAt)) return { state: "expires_too_soon" };
    const shown = given?.shownCharge ?? null;
    const used = await authenticateCard(tx, dependencies, { key, order, card, widgetTokenId, shown, at });
    return { state: "registered", used };
  };
  const { registration, used } = await runRegistration(dependencies, { ...asking, use });
  if (used !== null) {
    const { provider } = asking;
    await askAboutCard(dependencies, { provider, authentication: used, mayHaveArrived: false, isInquiry: false });
  }
  return registration;
}

/** How it stands: a card that was registered stands as its issuer's question does. */
async function changeState(
  dependencies: CollectionDependencies,
  link: ByLink,
  registration: CardRegistration,
): Promise<CardPageChange> {
  const requested = await readAuthentications(dependencies.db, link.key, "card_change");
  const later = requested.findLast(({ widgetTokenId }) => widgetTokenId === link.widgetTokenId);
  // The same link may have sent a sealed card after it.
  if (later !== undefined && later.startedAt > (registration.endedAt ?? registration.startedAt))
    return inquireCardChange(dependencies, link);
  switch (registration.state) {
    case "registering":
      return { outcome: "processing" };
    case "at_page":
      return registration.page === null ? { outcome: "processing" } : { outcome: "open", page: registration.page };
    case "registered":
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
