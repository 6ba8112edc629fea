import { spendTokenIfUnused } from "../checkout/open-widget-token.ts";
import type { DeclineReason } from "../contract/errors.ts";
import type { ShownCharge } from "../contract/self-service-links.ts";
import type { CardPage, RegisterCardOutcome } from "../gateways/card-processor.ts";
import type { Challenge } from "../gateways/strong-authentication.ts";
import {
  type CardAuthentication,
  type CardRegistration,
  cardAuthenticationId,
  cardRegistrationId,
  type GivenWithCard,
  isOpen,
  registeredCard,
  registrationKey,
} from "../orders/card-attempt.ts";
import { removeUnlessUsed } from "../orders/card-removals.ts";
import { resumeDeferred } from "../orders/deferred-charge.ts";
import { requirePage } from "../orders/open-card-page.ts";
import { lockOrder } from "../orders/order-reads.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import { expiresTooSoon } from "../orders/readiness.ts";
import {
  attemptInTime,
  type CardAttemptRun,
  type CardUse,
  keepGiven,
  lastCardAttempt,
  replaceCardAttempt,
  runCardAttempt,
} from "../orders/run-card-attempt.ts";
import { recordAudit } from "../platform/audit-store.ts";
import { countdown } from "../platform/background-work.ts";
import { inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Provider } from "../platform/provider.ts";
import { scheduleTimer } from "../platform/timers/timer-store.ts";
import { STOPPED, statusWithGivenCard } from "./charge/collection-status.ts";
import { hasOpenChargeback } from "./chargeback-store.ts";
import { type CollectionCard, type CollectionKey, chargeMoment, dueOf, hasEnded } from "./collection.ts";
import { lockCollection, readCollection, updateCollection } from "./collection-store.ts";
import { chargeTimer } from "./collection-timers.ts";
import type { CollectionDependencies, CollectionRequestDependencies } from "./dependencies.ts";
import { fallInArrears } from "./loan-reports/report-loan.ts";
import { removeUnneededCards } from "./remove-cards.ts";

/** The result of a card that the patient gives. */
export type CardChange =
  | { readonly outcome: "changed" }
  /** The issuer challenges the patient first. The previous card stays until they have answered. */
  | { readonly outcome: "requires_action"; readonly challenge: Challenge }
  /** Not known yet; an inquiry will return it. */
  | { readonly outcome: "processing" }
  /** The issuer refused it, or the patient did not answer. The previous card stays. */
  | { readonly outcome: "declined"; readonly reason: DeclineReason }
  /** Nothing is being changed. */
  | { readonly outcome: "none" };

/**
 * Changes the card for upcoming charges. The patient's identity has been proved before. The card is used once its
 * issuer has confirmed the patient or needs no challenge. Tries then start again with the new card and the same delays,
 * even if the collection had failed. A newer card replaces one still being authenticated. `processing`, if the request
 * has no time left: the change continues. Throws the same errors as adding a card before the payment, and 409
 * `order_not_payable` if nothing is left to charge.
 */
export async function changeCard(
  dependencies: CollectionRequestDependencies,
  {
    provider,
    key,
    sealedCard,
    widgetTokenId,
    shown,
    now: at,
  }: {
    readonly provider: Provider;
    readonly key: CollectionKey;
    readonly sealedCard: string;
    /** The link that the change uses up; null if it was not started by a link. */
    readonly widgetTokenId: string | null;
    /** The next charge that the page showed; null if it showed none. */
    readonly shown: ShownCharge | null;
    readonly now: Date;
  },
): Promise<CardChange> {
  const { db, clock, ids, cardProcessor, answerWithinMs } = dependencies;
  const timeLeft = countdown(clock, answerWithinMs);
  const collection = await readCollection(db, key);
  if (collection === null || hasEnded(collection)) throw new ApiError("order_not_payable");
  // Each request has its own idempotency key, because registering a card twice is harmless.
  const id = ids.uuid();
  const returnUrl = dependencies.returnUrl({ kind: "card_change_page", ...key, attemptId: id });
  const registered = await cardProcessor.registerCard(
    { providerId: provider.id, idempotencyKey: registrationKey(id), at },
    { sealedCard, orderHash: key.orderId, returnUrl },
  );
  if (registered.outcome === "page")
    await inTransaction(db, async (tx) => {
      await requireCollecting(tx, key);
      const begun = { ...key, purpose: "card_change", widgetTokenId, given: givenWith(shown), startedAt: at } as const;
      await replaceCardAttempt(tx, dependencies, { ...begun, page: registered }, () => id);
    });
  const authentication = await removeUnlessUsed(dependencies, { key, registered, at }, async () => {
    const card = cardOf(registered);
    if (expiresTooSoon(card, collection.paidAt)) throw new ApiError("card_expires_too_soon");
    return inTransaction(db, async (tx) => {
      const order = await requireCollecting(tx, key);
      return authenticateCard(tx, dependencies, { key, order, card, widgetTokenId, shown, at });
    });
  });
  const run = { provider, attempt: authentication, mayHaveArrived: false, isInquiry: false };
  return cardChangeOf(await askInTime(dependencies, run, timeLeft()));
}

/** The data stored with a visit to the processor's page. */
export function givenWith(shown: ShownCharge | null): GivenWithCard | null {
  return shown === null ? null : { consents: [], ip: "", userAgent: null, shownCharge: shown };
}

/** The order, locked with its collection. Throws 409 `order_not_payable` if nothing is left to charge. */
export async function requireCollecting(tx: Transaction, key: CollectionKey): Promise<OrderRecord> {
  const order = await lockOrder(tx, key);
  const held = await lockCollection(tx, key);
  if (held === null || hasEnded(held)) throw new ApiError("order_not_payable");
  return order;
}

/** Records the authentication of a card before its call, replacing any open one. */
export async function authenticateCard(
  tx: Transaction,
  dependencies: Pick<CollectionDependencies, "clock">,
  {
    key: { providerId, orderId },
    order,
    card,
    widgetTokenId,
    shown,
    at,
  }: {
    readonly key: CollectionKey;
    readonly order: OrderRecord;
    readonly card: CollectionCard;
    readonly widgetTokenId: string | null;
    readonly shown: ShownCharge | null;
    readonly at: Date;
  },
): Promise<CardAuthentication> {
  const begun = {
    providerId,
    orderId,
    purpose: "new_card",
    cardId: card.id,
    card,
    amount: dueOf(order).amount,
    shownCharge: shown,
    widgetTokenId,
    startedAt: at,
  } as const;
  return replaceCardAttempt(tx, dependencies, begun, (number) => cardAuthenticationId(orderId, card.id, number));
}

/** The result of the card that a link gave last. Asks the issuer if its patient may be back from the challenge. */
export async function inquireCardChange(
  dependencies: CollectionRequestDependencies,
  {
    provider,
    key,
    widgetTokenId,
  }: { readonly provider: Provider; readonly key: CollectionKey; readonly widgetTokenId: string },
  timeLeft = countdown(dependencies.clock, dependencies.answerWithinMs),
): Promise<CardChange> {
  const attempt = await lastCardAttempt(dependencies.db, key, { purpose: "new_card", widgetTokenId });
  if (attempt === null) return { outcome: "none" };
  if (attempt.state !== "at_page") return cardChangeOf(attempt);
  return cardChangeOf(await askInTime(dependencies, { provider, attempt, ...AGAIN }, timeLeft()));
}

function askInTime(
  dependencies: CollectionRequestDependencies,
  run: CardAttemptRun<CardAuthentication>,
  milliseconds: number,
): Promise<CardAuthentication> {
  const running = askAboutCard(dependencies, run);
  return attemptInTime(dependencies, { attempt: run.attempt, running, milliseconds });
}

/**
 * Authenticates the new card with its issuer, or inquires about the result, and uses the card once the patient is
 * confirmed.
 */
export async function askAboutCard(
  dependencies: CollectionDependencies,
  run: CardAttemptRun<CardAuthentication>,
): Promise<CardAuthentication> {
  const { attempt } = await runCardAttempt<CardAuthentication, CollectionCard>(dependencies, run, {
    use: (tx, { attempt: authentication }, at) => useCard(tx, dependencies, { ...run, authentication, at }),
    // Removes the replaced card, or the new one if it is not used.
    afterEnd: (tx, authentication, at) => removeUnneededCards(tx, dependencies, authentication, at),
  });
  return attempt;
}

export function cardChangeOf({ state, page, declineReason: reason }: CardAuthentication): CardChange {
  switch (state) {
    case "calling":
      return { outcome: "processing" };
    case "at_page":
      return page === null ? { outcome: "processing" } : { outcome: "requires_action", challenge: page };
    case "succeeded":
      return { outcome: "changed" };
    case "declined":
      return { outcome: "declined", reason: reason ?? "declined" };
    case "abandoned":
    case "expires_too_soon":
    case "dropped":
      return { outcome: "none" };
  }
}

function cardOf(registered: RegisterCardOutcome): CollectionCard {
  switch (registered.outcome) {
    case "declined":
      throw new ApiError("card_declined", { decline_reason: registered.reason });
    case "sealed_card_refused":
      throw new ApiError("sealed_card_refused");
    case "page":
      throw new ApiError("card_page_needed");
    case "unknown":
    case "page_abandoned":
      throw new ApiError("card_processor_unavailable");
    case "registered":
      return registeredCard(registered.card);
  }
}

/** Uses a card whose patient is confirmed. Drops it if nothing is left to charge or its link is used. */
async function useCard(
  tx: Transaction,
  dependencies: Pick<CollectionDependencies, "ids" | "clock">,
  {
    provider,
    authentication: { providerId, orderId, card, widgetTokenId, shownCharge: shown, startedAt: shownAt },
    at,
  }: { readonly provider: Provider; readonly authentication: CardAuthentication; readonly at: Date },
): Promise<CardUse<CollectionCard>> {
  const key: CollectionKey = { providerId, orderId };
  const order = await lockOrder(tx, key);
  const collection = await lockCollection(tx, key);
  if (collection === null || hasEnded(collection) || card === null) return { state: "dropped" };
  if (widgetTokenId !== null && !(await spendTokenIfUnused(tx, widgetTokenId, at))) return { state: "dropped" };
  const { state, dueAt, failure, trigger } = collection;
  const renewed = { ...collection, card, cardGivenAt: at, seriesFrom: at };
  const isTried = trigger !== null && (state === "scheduled" || state === "failed");
  const status = isTried
    ? (await hasOpenChargeback(tx, key))
      ? STOPPED
      : await statusWithGivenCard(tx, dependencies, { collection: renewed, order, at, shown, shownAt })
    : { state, dueAt, failure };
  await updateCollection(tx, key, { ...status, card, seriesFrom: at }, at);
  if (state === "failed" && status.state === "scheduled") await resumeDeferred(tx, order, at);
  // The patient may give a card again that had a hard decline.
  if (state !== "failed" && status.state === "failed") await fallInArrears(tx, dependencies, order, at);
  // While a charge is in progress, this timer waits for its outcome and then continues.
  if (trigger !== null) await scheduleTimer(tx, chargeTimer(provider, renewed, status.dueAt ?? chargeMoment(at)));
  if (widgetTokenId !== null) await auditChange(tx, dependencies, { key, widgetTokenId, at });
  return { used: card };
}

function auditChange(
  tx: Transaction,
  { ids }: Pick<CollectionDependencies, "ids">,
  { key, widgetTokenId, at }: { readonly key: CollectionKey; readonly widgetTokenId: string; readonly at: Date },
): Promise<void> {
  return recordAudit(tx, {
    id: ids.uuid(),
    providerId: key.providerId,
    actor: "patient",
    credentialId: null,
    act: "collection.card_changed",
    subject: { kind: "order", id: key.orderId },
    details: { widget_token: widgetTokenId },
    at,
  });
}

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
  dependencies: CollectionRequestDependencies,
  { now: at, shown, ...link }: ByLink & { readonly shown: ShownCharge | null; readonly now: Date },
): Promise<CardPageChange> {
  const { db, clock, answerWithinMs } = dependencies;
  const timeLeft = countdown(clock, answerWithinMs);
  const { provider, key, widgetTokenId } = link;
  const collection = await readCollection(db, key);
  if (collection === null || hasEnded(collection)) throw new ApiError("order_not_payable");
  const before = await lastCardAttempt(db, key, { purpose: "card_change", widgetTokenId });
  if (before !== null && isOpen(before)) {
    await keepGiven(db, before, givenWith(shown));
    const page = await runPageInTime(dependencies, { provider, attempt: before, ...AGAIN }, timeLeft());
    if (isOpen(page) || page.state === "succeeded") return changeState(dependencies, link, page, timeLeft);
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
  const page = await runPageInTime(dependencies, { provider, ...opened }, timeLeft());
  return changeState(dependencies, link, page, timeLeft);
}

const AGAIN = { mayHaveArrived: true, isInquiry: false } as const;

/** The result of the page that a link last opened, and of the issuer's challenge after it. */
export async function inquireCardPageChange(
  dependencies: CollectionRequestDependencies,
  link: ByLink,
): Promise<CardPageChange> {
  const { provider, key, widgetTokenId } = link;
  const timeLeft = countdown(dependencies.clock, dependencies.answerWithinMs);
  const last = await lastCardAttempt(dependencies.db, key, { purpose: "card_change", widgetTokenId });
  if (last === null) return inquireCardChange(dependencies, link, timeLeft);
  const run = { provider, attempt: last, ...AGAIN };
  const page = isOpen(last) ? await runPageInTime(dependencies, run, timeLeft()) : last;
  return changeState(dependencies, link, page, timeLeft);
}

function runPageInTime(
  dependencies: CollectionRequestDependencies,
  run: CardAttemptRun<CardRegistration>,
  milliseconds: number,
): Promise<CardRegistration> {
  const running = runPageOfChange(dependencies, run);
  return attemptInTime(dependencies, { attempt: run.attempt, running, milliseconds });
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
  dependencies: CollectionRequestDependencies,
  link: ByLink,
  registration: CardRegistration,
  timeLeft: () => number,
): Promise<CardPageChange> {
  const { key, widgetTokenId } = link;
  const later = await lastCardAttempt(dependencies.db, key, { purpose: "new_card", widgetTokenId });
  // The same link may have sent a sealed card afterwards.
  if (later !== null && later.startedAt > (registration.endedAt ?? registration.startedAt))
    return inquireCardChange(dependencies, link, timeLeft);
  switch (registration.state) {
    case "calling":
      return { outcome: "processing" };
    case "at_page":
      return registration.page === null ? { outcome: "processing" } : { outcome: "open", page: registration.page };
    case "succeeded":
      return inquireCardChange(dependencies, link, timeLeft);
    case "declined":
      return { outcome: "declined", reason: registration.declineReason ?? "declined" };
    case "abandoned":
    case "expires_too_soon":
      return { outcome: registration.state };
    case "dropped":
      return { outcome: "none" };
  }
}
