import { MINUTE_MS } from "../contract/vocabulary/durations.ts";
import type {
  CardProcessor,
  RegisterCardOutcome,
  RegisterStoredCardOutcome,
  RemoveCardOutcome,
} from "../gateways/card-processor.ts";
import { type Answered, GatewayUnavailable } from "../gateways/gateway-call.ts";
import { type AttemptCalls, runCall, timerOutcomeOf } from "../gateways/run-call.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { idFor } from "../platform/ids.ts";
import { providerNow } from "../platform/provider.ts";
import { orderPayload, readOrderId } from "../platform/timers/order-payload.ts";
import { type ClaimedTimer, scheduleTimers } from "../platform/timers/timer-store.ts";
import type { TimerAnswer, TimerContext } from "../platform/timers/timer-worker.ts";
import { requireProvider } from "../tenants/providers.ts";
import {
  type CardRemoval,
  countRemovalInquiry,
  deleteRemoval,
  findRemoval,
  insertRemovals,
  isBeingSaved,
  writeCardRemoved,
} from "./cards/card-removal-store.ts";
import { lockOrderState, type OrderKey, requireFound } from "./order-store.ts";

/*
 * Removes cards at the processor, each once, when nothing more can be charged to them. `src/collection/remove-cards.ts`
 * decides which, because it knows the charges to come.
 */

/** Asks the processor to remove a card, until it has answered. The removal's id is the idempotency key. */
export const REMOVE_CARD_TIMER = "order.remove_card";

/** Requests the removal of these cards of an order, once for each card. The order is locked. */
export async function askToRemove(
  tx: Transaction,
  { clock }: { readonly clock: Clock },
  { providerId, orderId }: OrderKey,
  { cardIds, at }: { readonly cardIds: readonly string[]; readonly at: Date },
): Promise<void> {
  // Cards without an id were erased.
  const named = [...new Set(cardIds)].filter((cardId) => cardId !== "");
  const removals = named.map((cardId) => ({
    providerId,
    orderId,
    id: idFor(`${orderId}:card-removal:${cardId}`),
    cardId,
  }));
  const requested = await insertRemovals(tx, removals, at);
  if (requested.length === 0) return;
  const dueAt = clock.now();
  await scheduleTimers(
    tx,
    requested.map((key) => ({ kind: REMOVE_CARD_TIMER, key, providerId, dueAt, payload: orderPayload(orderId) })),
  );
}

/**
 * Uses a card that the processor has registered. If `take` refuses it, nothing else refers to the card: requests its
 * removal and rethrows the error.
 */
export async function removeUnlessUsed<Taken>(
  dependencies: { readonly db: Database; readonly clock: Clock },
  {
    key,
    registered,
    at,
  }: {
    readonly key: OrderKey;
    readonly registered: RegisterCardOutcome | RegisterStoredCardOutcome;
    readonly at: Date;
  },
  take: () => Promise<Taken>,
): Promise<Taken> {
  try {
    return await take();
  } catch (error) {
    if (error instanceof ApiError && registered.outcome === "registered") {
      const cardIds = [registered.card.id];
      await inTransaction(dependencies.db, async (tx) => {
        requireFound(await lockOrderState(tx, key));
        await askToRemove(tx, dependencies, key, { cardIds, at });
      });
    }
    throw error;
  }
}

/** How long a removal waits for the processor's answer to another call about the card. */
const WAIT_MS = 10 * MINUTE_MS;

export interface RunRemovalDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly cardProcessor: Pick<CardProcessor, "removesCards" | "removeCard" | "inquireRemoval">;
}

/** Whether the card may still be charged. The order is locked. */
type IsNeeded = (tx: Transaction, removal: CardRemoval) => Promise<boolean>;

/** Asks the processor once to remove an unneeded card, and inquires about the result until it is known. */
export async function runCardRemoval(
  dependencies: RunRemovalDependencies,
  timer: ClaimedTimer,
  { finish }: Pick<TimerContext, "finish">,
  isNeeded: IsNeeded,
): Promise<TimerAnswer> {
  const { db, clock, cardProcessor } = dependencies;
  const key = { providerId: timer.providerId, orderId: readOrderId(timer.payload) };
  const removal = await findRemoval(db, key, timer.key);
  if (removal === null) return "done";
  const later = { again: new Date(clock.now().getTime() + WAIT_MS) };
  const removes = await cardProcessor.removesCards().catch(whereUnavailable);
  if (removes === null) return later;
  if (await isDropped(db, finish, removal, removes ? isNeeded : async () => true)) return "completed";
  if (await isBeingSaved(db, removal)) return later;
  const attempt: Removing = { removal, isCalling: true };
  const provider = await requireProvider(db, removal.providerId);
  const calls = callsOf(dependencies, providerNow(provider, clock.now()));
  return timerOutcomeOf(await runCall(db, calls, { attempt, mayHaveArrived: true }), clock.now());
}

/**
 * Drops a removal with its timer if the card is needed again (a processor may reuse a card's id when the patient gives
 * the card again) or cannot be removed. The card may be removed later, under the same key.
 */
function isDropped(
  db: Database,
  finish: TimerContext["finish"],
  removal: CardRemoval,
  isNeeded: IsNeeded,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    if (!(await isNeeded(tx, removal))) return false;
    await deleteRemoval(tx, removal);
    await finish(tx, "gone");
    return true;
  });
}

function whereUnavailable(error: unknown): null {
  if (error instanceof GatewayUnavailable) return null;
  throw error;
}

interface Removing {
  readonly removal: CardRemoval;
  readonly isCalling: boolean;
}

function callsOf(
  { db, cardProcessor }: RunRemovalDependencies,
  at: Date,
): AttemptCalls<Removing, Answered<RemoveCardOutcome>> {
  return {
    nextCall: ({ removal: { providerId, orderId, id, cardId }, isCalling }) =>
      isCalling
        ? {
            under: { providerId, idempotencyKey: `${id}:remove`, at, connector: null },
            inquire: (under) => cardProcessor.inquireRemoval(under),
            call: (under) => cardProcessor.removeCard(under, { cardId, orderHash: orderId }),
          }
        : null,
    async settle(tx, { removal }) {
      await writeCardRemoved(tx, removal, at);
      return { removal, isCalling: false };
    },
    release: ({ removal }) => countRemovalInquiry(db, removal),
  };
}
