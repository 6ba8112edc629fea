import * as z from "zod/mini";
import { type Provider, realMoment } from "../platform/provider.ts";
import { readOrderId } from "../platform/timers/order-payload.ts";
import type { ClaimedTimer, NewTimer } from "../platform/timers/timer-store.ts";
import type { CollectionKey, CollectionRecord } from "./collection.ts";

/* Timers of collections. A timer names the order and the series of tries; its handler decides by the current state. */

/**
 * Charges the deferred part by mandate, settles charges with an unknown outcome, and retries. There is one timer for
 * each series of tries.
 */
export const CHARGE_TIMER = "collection.charge";
/** Makes the deferred part due on day 45. */
export const DEADLINE_TIMER = "collection.deadline";
/** Announces the charge of day 45. */
export const ANNOUNCE_TIMER = "collection.announce";
/** Settles a charge that the patient requested. The timer's key is the attempt's id. */
export const SETTLE_EARLY_TIMER = "collection.settle_early";
/** Reports the end of a loan to the lender. The timer's key is the order's id and the report's number. */
export const REPORT_LOAN_TIMER = "collection.report_loan";
/** Reads chargebacks daily and wakes overdue collections. There is one timer for each provider. */
export const DAILY_TIMER = "collection.daily";

type Waking = Pick<CollectionRecord, "providerId" | "orderId" | "seriesFrom">;

/** The timer for a collection's next charge. `at` is in the provider's time. */
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

/** The collection that a timer refers to. */
export function keyOf({ providerId, payload }: ClaimedTimer): CollectionKey {
  return { providerId, orderId: readOrderId(payload) };
}

const ofSeriesSchema = z.object({ series: z.optional(z.nullable(z.number())) });

/** True if a charge timer belongs to the collection's current series of tries. */
export function isOfSeries({ payload }: ClaimedTimer, { seriesFrom }: CollectionRecord): boolean {
  const { series } = ofSeriesSchema.parse(payload);
  return (series ?? null) === (seriesFrom?.getTime() ?? null);
}
