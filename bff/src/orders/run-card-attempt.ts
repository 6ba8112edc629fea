import type { DeclineReason } from "../contract/errors.ts";
import { networkNameOf } from "../contract/vocabulary/voucher.ts";
import type { CardPage, RegisterCardInput, RegisterCardOutcome } from "../gateways/card-processor.ts";
import { type Answered, inquiryAt } from "../gateways/gateway-call.ts";
import { type AttemptCalls, type KeyedCall, readingAnswers, runCall } from "../gateways/run-call.ts";
import {
  type AuthenticationAnswer,
  authenticationCall,
  authenticationState,
} from "../gateways/strong-authentication.ts";
import { resultWithin } from "../platform/background-work.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { type Provider, providerNow, realMoment } from "../platform/provider.ts";
import { orderPayload } from "../platform/timers/order-payload.ts";
import { cancelTimer, scheduleTimer } from "../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../platform/timers/timer-worker.ts";
import { nameOfClinic } from "../tenants/centers.ts";
import { requireProvider } from "../tenants/providers.ts";
import {
  type AttemptFor,
  type AttemptPurpose,
  type CardAttempt,
  type CardAuthentication,
  type CardRegistration,
  type GivenWithCard,
  isOpen,
  isRegistration,
  registeredCard,
  registrationKey,
} from "./card-attempt.ts";
import { askToRemove } from "./card-removals.ts";
import {
  type CardAttemptStep,
  countInquiry,
  dropOpenAttempts,
  insertCardAttempt,
  type NewCardAttempt,
  requireCardAttempt,
  selectCardAttempt,
  selectCardAttempts,
  writeGiven,
  writeStep,
} from "./cards/card-attempt-store.ts";
import type { OrdersDependencies } from "./dependencies.ts";
import { findOrder, lockOrder } from "./order-reads.ts";
import type { OrderCard } from "./order-record.ts";
import type { OrderKey } from "./order-store.ts";
import { nextInquiryAt } from "./payments/payment-attempt.ts";
import type { RedirectKind } from "./redirect.ts";

/** The timers that inquire about attempts. Their key is the attempt's id. */
export const CARD_ATTEMPT_TIMERS = {
  payment: "order.card_page",
  card_change: "collection.card_page",
  new_card: "collection.authenticate",
  pay_early: "collection.authenticate",
} as const satisfies Record<AttemptPurpose, string>;

const REDIRECTS = {
  payment: "card",
  card_change: "card_change_page",
  new_card: "card_change",
  pay_early: "pay_early",
} as const satisfies Record<AttemptPurpose, RedirectKind>;

export type CardAttemptDependencies = Pick<OrdersDependencies, "db" | "clock" | "cardProcessor" | "returnUrl">;

/** Stores an attempt before its first call, with the timer that inquires about it. The order is locked. */
export async function openCardAttempt<Begun extends NewCardAttempt>(
  tx: Transaction,
  { clock }: Pick<CardAttemptDependencies, "clock">,
  begun: Begun,
): Promise<AttemptFor<Begun["purpose"]>> {
  const attempt = await insertCardAttempt(tx, begun);
  await scheduleTimer(tx, {
    kind: CARD_ATTEMPT_TIMERS[begun.purpose],
    key: begun.id,
    providerId: begun.providerId,
    dueAt: inquiryAt(clock.now()),
    payload: orderPayload(begun.orderId),
  });
  return attempt;
}

type Unnumbered<Begun extends NewCardAttempt> = Begun extends unknown ? Omit<Begun, "id" | "number"> : never;

/** Like `openCardAttempt`, but replaces the open attempt for the same purpose. `id` derives the id from the number. */
export async function replaceCardAttempt<Begun extends Unnumbered<NewCardAttempt>>(
  tx: Transaction,
  dependencies: Pick<CardAttemptDependencies, "clock">,
  begun: Begun,
  id: (number: number) => string,
): Promise<AttemptFor<Begun["purpose"]>> {
  const number = 1 + (await dropOpenAttempts(tx, begun, begun.purpose, begun.startedAt));
  const attempt = await openCardAttempt(tx, dependencies, { ...begun, id: id(number), number });
  return attempt as AttemptFor<Begun["purpose"]>;
}

/** The last attempt of an order for a purpose. With `widgetTokenId`, only attempts that this link started. */
export async function lastCardAttempt<Purpose extends AttemptPurpose>(
  db: Database,
  key: OrderKey,
  of: { readonly purpose: Purpose; readonly widgetTokenId?: string },
): Promise<AttemptFor<Purpose> | null> {
  return (await selectCardAttempts(db, key, of)).at(-1) ?? null;
}

/** The authentications of new cards for the rest of an order, oldest first. */
export function newCardsOf(db: Database, key: OrderKey): Promise<readonly CardAuthentication[]> {
  return selectCardAttempts(db, key, { purpose: "new_card" });
}

/** An attempt by its id; null if the order has none with it. */
export function findCardAttempt(db: Database, key: OrderKey, id: string): Promise<CardAttempt | null> {
  return selectCardAttempt(db, key, id);
}

/** Stores what the patient submitted with their last press, for an open registration. */
export function keepGiven(db: Database, registration: CardRegistration, given: GivenWithCard | null): Promise<void> {
  return inTransaction(db, async (tx) => {
    await lockOrder(tx, registration);
    await writeGiven(tx, registration, given);
  });
}

export interface CardAttemptRun<Attempt extends CardAttempt> {
  readonly provider: Provider;
  readonly attempt: Attempt;
  /** True if another worker may have called already, so that an inquiry comes first. */
  readonly mayHaveArrived: boolean;
  /** True if this run is one of the inquiries with growing delays. */
  readonly isInquiry: boolean;
}

/** An attempt that the processor or issuer has approved. */
export interface Succeeded<Attempt extends CardAttempt> {
  readonly attempt: Attempt;
  /** The card that was registered, or that was authenticated as a replacement. */
  readonly card: Attempt extends CardRegistration ? OrderCard : OrderCard | null;
  /** The processor's id of the authentication; null if the issuer did not challenge. */
  readonly authenticationId: string | null;
}

export type CardUse<Use> = { readonly used: Use } | { readonly state: "expires_too_soon" | "dropped" };

/** The effects of an attempt. Both run with the order locked, in the transaction that stores the end. */
export interface CardAttemptEffects<Attempt extends CardAttempt, Use> {
  /** Uses the card or the proof, or changes nothing if it is no longer needed. */
  readonly use: (tx: Transaction, succeeded: Succeeded<Attempt>, at: Date) => Promise<CardUse<Use>>;
  /** Runs after every end, after `use`. `attempt` is its state before the end. */
  readonly afterEnd?: (tx: Transaction, attempt: Attempt, at: Date) => Promise<void>;
}

export interface RanCardAttempt<Attempt extends CardAttempt, Use> {
  readonly attempt: Attempt;
  /** The result of `use`, if this run learned that the attempt succeeded. */
  readonly used: Use | null;
}

interface Running<Attempt extends CardAttempt, Use> extends RanCardAttempt<Attempt, Use> {
  /** False once the attempt has ended, or the patient is at the page. */
  readonly isCalling: boolean;
}

/** Calls the processor, or inquires, until the attempt ends or waits for the patient or an answer. */
export async function runCardAttempt<Attempt extends CardAttempt, Use>(
  dependencies: CardAttemptDependencies,
  run: CardAttemptRun<Attempt>,
  effects: CardAttemptEffects<Attempt, Use>,
): Promise<RanCardAttempt<Attempt, Use>> {
  const { db } = dependencies;
  const { attempt: begun, mayHaveArrived, isInquiry } = run;
  const running: Running<Attempt, Use> = { attempt: begun, used: null, isCalling: isOpen(begun) };
  const ran = await runCall(db, callsOf(dependencies, run, effects), { attempt: running, mayHaveArrived });
  if (ran.outcome === "lost") return { attempt: await requireCardAttempt<Attempt>(db, begun, begun.id), used: null };
  const { attempt, used } = ran.attempt;
  // The timer of a dropped attempt continues, because its page may still be used.
  if (isOpen(begun) && !isOpen(attempt) && !isInquiry)
    await cancelTimer(db, { kind: CARD_ATTEMPT_TIMERS[begun.purpose], key: begun.id });
  return { attempt, used };
}

/** The attempt after a run, or its stored state once a request has no time left; the run continues. */
export async function attemptInTime<Attempt extends CardAttempt>(
  { db, background }: Pick<OrdersDependencies, "db" | "background">,
  { attempt, running, milliseconds }: { attempt: Attempt; running: Promise<Attempt>; milliseconds: number },
): Promise<Attempt> {
  const ran = await resultWithin(background.track("card_attempt.run_failed", running), milliseconds);
  return ran ?? requireCardAttempt<Attempt>(db, attempt, attempt.id);
}

function callsOf<Attempt extends CardAttempt, Use>(
  dependencies: CardAttemptDependencies,
  { provider, isInquiry }: CardAttemptRun<Attempt>,
  effects: CardAttemptEffects<Attempt, Use>,
): AttemptCalls<Running<Attempt, Use>, Progress> {
  const { db, clock } = dependencies;
  const now = () => providerNow(provider, clock.now());
  return {
    nextCall: ({ attempt, isCalling }) => (isCalling ? callOf(dependencies, attempt, now) : null),
    async retryDecision(running) {
      const { attempt } = running;
      // A page that was opened and is no longer known cannot be opened again, because its card may have been sealed.
      if (!isRegistration(attempt) || attempt.state === "calling") return "call";
      const ended = await writeStep(db, running.attempt, { state: "abandoned", cardId: null }, now());
      return { ended: { ...running, attempt: ended ?? running.attempt } };
    },
    isNoProgress: ({ attempt }, { outcome }) => attempt.state === "at_page" && outcome === "page",
    async settle(tx, running, progress) {
      const at = now();
      await lockOrder(tx, running.attempt);
      const attempt = await requireCardAttempt<Attempt>(tx, running.attempt, running.attempt.id);
      if (!isOpen(attempt)) return null;
      const used = await usedBy(tx, effects, { attempt, progress, at });
      const settled = await writeStep(tx, attempt, stepAfter(progress, used), at);
      if (settled === null) return null;
      if (isRegistration(attempt) && progress.outcome === "succeeded" && !("used" in used))
        await askToRemove(tx, dependencies, attempt, { cardIds: [progress.cardId], at });
      if (!isOpen(settled)) await effects.afterEnd?.(tx, attempt, at);
      return { attempt: settled, used: "used" in used ? used.used : null, isCalling: false };
    },
    async release({ attempt }) {
      if (isInquiry) await countInquiry(db, attempt);
      return attempt.inquiries;
    },
  };
}

/** The state of an attempt according to an answer. */
type Progress =
  | { readonly outcome: "page"; readonly page: CardPage; readonly authenticationId: string | null }
  | {
      readonly outcome: "succeeded";
      readonly cardId: string;
      readonly card: OrderCard | null;
      readonly authenticationId: string | null;
      readonly networkTransactionId: string | null;
    }
  | { readonly outcome: "declined"; readonly reason: DeclineReason }
  | { readonly outcome: "abandoned" };

/** What the processor's page says the card is for: the treating clinic, and the price of the treatment. */
async function aboutCard(db: Database, key: OrderKey): Promise<RegisterCardInput["about"]> {
  const order = await findOrder(db, key);
  if (order === null) return undefined;
  return {
    clinic: await nameOfClinic(db, await requireProvider(db, key.providerId), order.center),
    total: order.total,
  };
}

/** The call of an attempt, with the inquiry about it. */
function callOf(
  { db, cardProcessor, returnUrl }: CardAttemptDependencies,
  attempt: CardAttempt,
  now: () => Date,
): KeyedCall<Progress> {
  const { providerId, orderId, id, purpose } = attempt;
  const at = now();
  const backTo = returnUrl({ kind: REDIRECTS[purpose], providerId, orderId, attemptId: id });
  if (isRegistration(attempt)) {
    const call: KeyedCall<Answered<RegisterCardOutcome>> = {
      under: { providerId, idempotencyKey: registrationKey(id), at, connector: null },
      call: async (under) =>
        cardProcessor.registerCard(under, {
          sealedCard: null,
          orderHash: orderId,
          returnUrl: backTo,
          about: await aboutCard(db, { providerId, orderId }),
        }),
      inquire: (under) => cardProcessor.inquireRegistration(under),
    };
    return readingAnswers(call, (answer) => registrationProgress(answer, now()));
  }
  const { cardId, amount } = attempt;
  const call = authenticationCall(
    cardProcessor,
    { providerId, idempotencyKey: `${id}:authentication`, at, connector: null },
    {
      cardId,
      amount,
      orderHash: orderId,
      purpose: purpose === "new_card" ? "mandate" : "payment",
      returnUrl: backTo,
    },
  );
  return readingAnswers(call, (answer) => authenticationProgress(answer, attempt, now()));
}

function registrationProgress(answer: Answered<RegisterCardOutcome>, now: Date): Progress {
  switch (answer.outcome) {
    case "page": {
      const { url, expiresAt, display } = answer;
      if (now >= expiresAt) return { outcome: "abandoned" };
      return { outcome: "page", page: { url, expiresAt, display }, authenticationId: null };
    }
    case "registered": {
      const card = registeredCard(answer.card);
      return { outcome: "succeeded", cardId: card.id, card, authenticationId: null, networkTransactionId: null };
    }
    case "declined":
      return { outcome: "declined", reason: answer.reason };
    case "page_abandoned":
    case "sealed_card_refused":
      return { outcome: "abandoned" };
  }
}

function authenticationProgress(
  answer: AuthenticationAnswer,
  { cardId, card }: CardAuthentication,
  now: Date,
): Progress {
  const proof = authenticationState(answer, now);
  switch (proof.state) {
    case "challenged":
      return { outcome: "page", page: proof.challenge, authenticationId: proof.authenticationId };
    case "declined":
      return { outcome: "declined", reason: proof.reason };
    case "proven": {
      // A proof that gives a mandate is stored with the network's name for it.
      const networkTransactionId = card === null ? null : networkNameOf(proof.networkTransactionId, card);
      return { outcome: "succeeded", cardId, card, authenticationId: proof.authenticationId, networkTransactionId };
    }
  }
}

const UNUSED = { state: "dropped" } as const;

async function usedBy<Attempt extends CardAttempt, Use>(
  tx: Transaction,
  { use }: CardAttemptEffects<Attempt, Use>,
  { attempt, progress, at }: { readonly attempt: Attempt; readonly progress: Progress; readonly at: Date },
): Promise<CardUse<Use>> {
  if (progress.outcome !== "succeeded") return UNUSED;
  const { card, authenticationId } = progress;
  return use(tx, { attempt, card, authenticationId } as Succeeded<Attempt>, at);
}

function stepAfter(progress: Progress, use: CardUse<unknown>): CardAttemptStep {
  switch (progress.outcome) {
    case "page":
      return { state: "at_page", page: progress.page, authenticationId: progress.authenticationId };
    case "declined":
      return { state: "declined", reason: progress.reason };
    case "abandoned":
      return { state: "abandoned", cardId: null };
    case "succeeded": {
      const { cardId, authenticationId, networkTransactionId } = progress;
      return "used" in use
        ? { state: "succeeded", cardId, authenticationId, networkTransactionId }
        : { state: use.state, cardId };
    }
  }
}

/**
 * Timer of an attempt: inquires by `run` until the attempt has ended. For a dropped registration, inquires about its
 * page until the page expires.
 */
export async function settleCardAttempt<Attempt extends CardAttempt>(
  dependencies: CardAttemptDependencies,
  { provider, key, id }: { readonly provider: Provider; readonly key: OrderKey; readonly id: string },
  run: (inquiry: CardAttemptRun<Attempt>) => Promise<unknown>,
): Promise<TimerOutcome> {
  const { db, clock } = dependencies;
  const attempt = await requireCardAttempt<Attempt>(db, key, id);
  if (attempt.state === "dropped" && isRegistration(attempt)) return settleDropped(dependencies, provider, attempt);
  await run({ provider, attempt, mayHaveArrived: true, isInquiry: true });
  const left = await requireCardAttempt<Attempt>(db, key, id);
  return isOpen(left) ? inquireAgain(provider, left, clock.now()) : "done";
}

/** The patient may still give a card on the page of a dropped registration. No order uses it, so it is removed. */
async function settleDropped(
  dependencies: CardAttemptDependencies,
  provider: Provider,
  registration: CardRegistration,
): Promise<TimerOutcome> {
  const { db, clock } = dependencies;
  const at = providerNow(provider, clock.now());
  const { under, inquire } = callOf(dependencies, registration, () => at);
  const progress = await inquire(under);
  switch (progress.outcome) {
    case "succeeded":
      await inTransaction(db, async (tx) => {
        await lockOrder(tx, registration);
        await askToRemove(tx, { clock }, registration, { cardIds: [progress.cardId], at });
      });
      return "done";
    case "page":
    case "unknown": {
      await countInquiry(db, registration);
      const page = progress.outcome === "page" ? progress.page : null;
      return inquireAgain(provider, { page, inquiries: registration.inquiries + 1 }, clock.now());
    }
    case "not_found":
    case "declined":
    case "abandoned":
      return "done";
  }
}

/** When to inquire about an attempt again: the same schedule as an open challenge of a payment. */
function inquireAgain(
  provider: Provider,
  { page, inquiries }: Pick<CardAttempt, "page" | "inquiries">,
  now: Date,
): TimerOutcome {
  const waits = { state: page === null ? "authenticating" : "challenged", challenge: page } as const;
  return { again: realMoment(provider, nextInquiryAt({ ...waits, inquiries }, providerNow(provider, now))) };
}
