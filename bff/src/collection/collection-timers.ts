import { isOrderId } from "../contract/vocabulary/identifiers.ts";
import { type Provider, realMoment } from "../platform/provider.ts";
import type { ClaimedTimer, NewTimer } from "../platform/timers/timer-store.ts";
import type { CollectionKey, CollectionRecord } from "./collection-record.ts";

/*
 * What wakes a collection. Timers name the order and hold nothing else of it: whoever is woken decides by what is there.
 */

/** Charges the deferred part by the mandate, asks what became of a charge, and tries again. One for each series of tries. */
export const CHARGE_TIMER = "collection.charge";
/** Makes the deferred part due on day 45. */
export const DEADLINE_TIMER = "collection.deadline";
/** Announces the charge of day 45. */
export const ANNOUNCE_TIMER = "collection.announce";
/** Asks what became of a charge that the patient asked for; its key is the attempt's id. */
export const SETTLE_EARLY_TIMER = "collection.settle_early";
/** Looks daily for chargebacks, and for collections that nothing wakes; one for each provider. */
export const DAILY_TIMER = "collection.daily";

type Waking = Pick<CollectionRecord, "providerId" | "orderId" | "seriesFrom">;

/** Wakes a collection for its charge. `at` is in the provider's time. */
export function chargeTimer(provider: Provider, collection: Waking, at: Date): NewTimer {
  const { providerId, orderId, seriesFrom } = collection;
  return {
    kind: CHARGE_TIMER,
    key: seriesFrom === null ? orderId : `${orderId}:${seriesFrom.getTime()}`,
    providerId,
    dueAt: realMoment(provider, at),
    payload: { order_id: orderId, series: seriesFrom?.getTime() ?? null },
  };
}

/** A timer of one order. `at` is in the provider's time. */
export function orderTimer(
  kind: typeof DEADLINE_TIMER | typeof ANNOUNCE_TIMER,
  provider: Provider,
  { providerId, orderId }: CollectionKey,
  at: Date,
): NewTimer {
  return { kind, key: orderId, providerId, dueAt: realMoment(provider, at), payload: { order_id: orderId } };
}

/** Thrown when a timer of ours does not name its order: a defect. */
export class TimerWithoutCollection extends Error {
  override readonly name = "TimerWithoutCollection";
  readonly code = "timer_without_collection";
}

/** The collection that a timer names. */
export function keyOf({ providerId, payload }: ClaimedTimer): CollectionKey {
  if (typeof payload === "object" && payload !== null && "order_id" in payload) {
    const { order_id: orderId } = payload;
    if (typeof orderId === "string" && isOrderId(orderId)) return { providerId, orderId };
  }
  throw new TimerWithoutCollection("A timer of a collection does not name its order.");
}

/** Whether a charge timer is of the collection's present series of tries. */
export function isOfSeries({ payload }: ClaimedTimer, { seriesFrom }: CollectionRecord): boolean {
  const series = typeof payload === "object" && payload !== null && "series" in payload ? payload.series : null;
  return series === (seriesFrom?.getTime() ?? null);
}
