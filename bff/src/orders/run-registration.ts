import type { CardPage, RegisterCardOutcome } from "../gateways/card-processor.ts";
import { type Answered, inquiryAt } from "../gateways/gateway-call.ts";
import { type AttemptCalls, runCall } from "../gateways/run-call.ts";
import { inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { type Provider, providerNow, realMoment } from "../platform/provider.ts";
import { cancelTimer, scheduleTimer } from "../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../platform/timers/timer-worker.ts";
import {
  type CardRegistration,
  isOpen,
  type RegistrationPurpose,
  registeredCard,
  registrationKey,
} from "./card-registration.ts";
import {
  countRegistrationInquiry,
  dropOpenRegistrations,
  insertRegistration,
  lastRegistration,
  type NewRegistration,
  type RegistrationStep,
  requireRegistration,
  writeRegistration,
} from "./card-registration-store.ts";
import { askToRemove } from "./card-removals.ts";
import type { OrdersDependencies } from "./dependencies.ts";
import { lockOrder } from "./order-reads.ts";
import type { OrderCard } from "./order-record.ts";
import type { OrderKey } from "./order-store.ts";
import { nextInquiryAt } from "./payment-attempt.ts";
import type { RedirectKind } from "./redirect.ts";
import { orderPayload } from "./timer-payload.ts";

/** The timers that ask what became of a page; their key is the registration's id. */
export const CARD_PAGE_TIMERS = {
  payment: "order.card_page",
  card_change: "collection.card_page",
} as const satisfies Record<RegistrationPurpose, string>;

const REDIRECTS = { payment: "card", card_change: "card_change_page" } as const satisfies Record<
  RegistrationPurpose,
  RedirectKind
>;

export type RegistrationDependencies = Pick<OrdersDependencies, "db" | "clock" | "cardProcessor" | "returnUrl">;

/** Stores that a card is about to be registered, with the timer that asks what became of it. The order is locked. */
export async function openRegistration(
  tx: Transaction,
  { clock }: Pick<RegistrationDependencies, "clock">,
  begun: NewRegistration,
): Promise<CardRegistration> {
  const registration = await insertRegistration(tx, begun);
  await scheduleTimer(tx, {
    kind: CARD_PAGE_TIMERS[registration.purpose],
    key: registration.id,
    providerId: registration.providerId,
    dueAt: inquiryAt(clock.now()),
    payload: orderPayload(registration.orderId),
  });
  return registration;
}

/**
 * As `openRegistration`, for a card that was sealed and is to be confirmed on the page that the processor has answered.
 */
export async function openSealedRegistration(
  tx: Transaction,
  dependencies: Pick<RegistrationDependencies, "clock">,
  {
    key: { providerId, orderId },
    page: { url, expiresAt },
    ...begun
  }: Pick<NewRegistration, "id" | "purpose" | "widgetTokenId" | "given" | "startedAt"> & {
    readonly key: OrderKey;
    readonly page: CardPage;
  },
): Promise<CardRegistration> {
  const key = { providerId, orderId };
  await dropOpenRegistrations(tx, key, begun.purpose, begun.startedAt);
  const number = ((await lastRegistration(tx, key, { purpose: begun.purpose }))?.number ?? 0) + 1;
  return openRegistration(tx, dependencies, { ...begun, ...key, number, page: { url, expiresAt } });
}

/** What becomes of a card that the patient has given on the page. */
export type CardUse<Use> =
  | { readonly state: "registered"; readonly used: Use }
  | { readonly state: "expires_too_soon" | "dropped" };

export interface Registering<Use> {
  readonly provider: Provider;
  readonly registration: CardRegistration;
  /** True if another worker may have called already, so that an inquiry comes first. */
  readonly mayHaveArrived: boolean;
  /** True if this run is one of the inquiries with growing delays. */
  readonly isInquiry: boolean;
  /** Uses the card, with the order locked, in the transaction that stores that it was registered. */
  readonly use: (
    tx: Transaction,
    registered: { readonly registration: CardRegistration; readonly card: OrderCard },
    at: Date,
  ) => Promise<CardUse<Use>>;
}

export interface Registered<Use> {
  readonly registration: CardRegistration;
  /** What `use` returned, if this run learned that the card was registered. */
  readonly used: Use | null;
}

interface Running<Use> extends Registered<Use> {
  /** False once the registration has ended, or the patient is at the page. */
  readonly isCalling: boolean;
}

/** Asks for the page, or what became of it, until the registration has ended or waits for the patient or an answer. */
export async function runRegistration<Use>(
  dependencies: RegistrationDependencies,
  registering: Registering<Use>,
): Promise<Registered<Use>> {
  const { db } = dependencies;
  const { registration: begun, mayHaveArrived, isInquiry } = registering;
  const attempt: Running<Use> = { registration: begun, used: null, isCalling: isOpen(begun) };
  const ran = await runCall(db, callsOf(dependencies, registering), { attempt, mayHaveArrived });
  const { registration, used } = ran.attempt;
  if (ran.outcome === "lost") return { registration: await requireRegistration(db, begun, begun.id), used: null };
  // The timer of one that was dropped before goes on: its page may still be used.
  if (isOpen(begun) && !isOpen(registration) && !isInquiry)
    await cancelTimer(db, { kind: CARD_PAGE_TIMERS[begun.purpose], key: begun.id });
  return { registration, used };
}

function callsOf<Use>(
  { db, clock, cardProcessor, returnUrl }: RegistrationDependencies,
  { provider, isInquiry, use }: Registering<Use>,
): AttemptCalls<Running<Use>, Answered<RegisterCardOutcome>> {
  const now = () => providerNow(provider, clock.now());
  return {
    nextCall: ({ registration: { providerId, orderId, id, purpose }, isCalling }) => {
      if (!isCalling) return null;
      const redirect = { kind: REDIRECTS[purpose], providerId, orderId, attemptId: id };
      const input = { sealedCard: null, orderHash: orderId, returnUrl: returnUrl(redirect) };
      return {
        under: { providerId, idempotencyKey: registrationKey(id), at: now() },
        call: (under) => cardProcessor.registerCard(under, input),
        inquire: (under) => cardProcessor.inquireRegistration(under),
      };
    },
    // A page that was opened and is not known any more cannot be opened anew: its card may have been sealed.
    retryDecision: async (attempt) =>
      attempt.registration.state === "registering" ? "call" : { ended: await dropForgotten(db, attempt, now()) },
    isNoProgress: ({ registration }, answer) =>
      registration.state === "at_page" && answer.outcome === "page" && now() < answer.expiresAt,
    async settle(tx, { registration }, answer) {
      const at = now();
      await lockOrder(tx, registration);
      const held = await requireRegistration(tx, registration, registration.id);
      if (!isOpen(held)) return null;
      const { step, used } = await stepAfter(answer, at, async (card) => {
        const of = await use(tx, { registration: held, card }, at);
        // The processor has a card that nobody takes.
        if (of.state !== "registered") await askToRemove(tx, { clock }, held, { cardIds: [card.id], at });
        return of;
      });
      const settled = await writeRegistration(tx, held, step, at);
      return settled === null ? null : { registration: settled, used, isCalling: false };
    },
    async release({ registration }) {
      if (isInquiry) await countRegistrationInquiry(db, registration);
      return registration.inquiries;
    },
  };
}

async function stepAfter<Use>(
  answer: Answered<RegisterCardOutcome>,
  at: Date,
  use: (card: OrderCard) => Promise<CardUse<Use>>,
): Promise<{ readonly step: RegistrationStep; readonly used: Use | null }> {
  switch (answer.outcome) {
    case "page": {
      const { url, expiresAt } = answer;
      const isOver = at >= expiresAt;
      return { step: isOver ? { state: "abandoned" } : { state: "at_page", page: { url, expiresAt } }, used: null };
    }
    case "registered": {
      const card = registeredCard(answer.card);
      const of = await use(card);
      return { step: { state: of.state, cardId: card.id }, used: of.state === "registered" ? of.used : null };
    }
    case "declined":
      return { step: { state: "declined", reason: answer.reason }, used: null };
    case "page_abandoned":
    case "sealed_card_refused":
      return { step: { state: "abandoned" }, used: null };
  }
}

async function dropForgotten<Use>(
  db: RegistrationDependencies["db"],
  attempt: Running<Use>,
  at: Date,
): Promise<Running<Use>> {
  const { registration } = attempt;
  const dropped = await writeRegistration(db, registration, { state: "abandoned" }, at);
  return { ...attempt, registration: dropped ?? registration };
}

/**
 * A timer of a page: asks what became of it, by `ask`, until it has ended; of one that was dropped, until its time is
 * over.
 */
export async function settleOpenRegistration(
  dependencies: RegistrationDependencies,
  { provider, key, id }: { readonly provider: Provider; readonly key: OrderKey; readonly id: string },
  inquire: (asking: Omit<Registering<never>, "use">) => Promise<unknown>,
): Promise<TimerOutcome> {
  const { db, clock } = dependencies;
  const registration = await requireRegistration(db, key, id);
  if (registration.state === "dropped") return settleDropped(dependencies, provider, registration);
  await inquire({ provider, registration, mayHaveArrived: true, isInquiry: true });
  const left = await requireRegistration(db, key, id);
  return isOpen(left) ? inquireAgain(provider, left, clock.now()) : "done";
}

/** The patient may still give a card on the page of a visit that was dropped. Nobody takes it, so it is removed. */
async function settleDropped(
  { db, clock, cardProcessor }: RegistrationDependencies,
  provider: Provider,
  registration: CardRegistration,
): Promise<TimerOutcome> {
  const { providerId, id } = registration;
  const at = providerNow(provider, clock.now());
  const again = async (page: CardPage | null) => {
    await countRegistrationInquiry(db, registration);
    return inquireAgain(provider, { page, inquiries: registration.inquiries + 1 }, clock.now());
  };
  const answer = await cardProcessor.inquireRegistration({ providerId, idempotencyKey: registrationKey(id), at });
  switch (answer.outcome) {
    case "registered":
      await inTransaction(db, async (tx) => {
        await lockOrder(tx, registration);
        await askToRemove(tx, { clock }, registration, { cardIds: [answer.card.id], at });
      });
      return "done";
    case "page":
      return at >= answer.expiresAt ? "done" : again(answer);
    case "unknown":
      return again(null);
    case "not_found":
    case "declined":
    case "page_abandoned":
    case "sealed_card_refused":
      return "done";
  }
}

/** When a page is asked about again: as an open challenge is. */
function inquireAgain(
  provider: Provider,
  { page, inquiries }: Pick<CardRegistration, "page" | "inquiries">,
  now: Date,
): TimerOutcome {
  const waits = { state: page === null ? "authenticating" : "challenged", challenge: page } as const;
  return { again: realMoment(provider, nextInquiryAt({ ...waits, inquiries }, providerNow(provider, now))) };
}
