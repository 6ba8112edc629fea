/* Where a collection stands: when its next charge is due, or why none is made. */

import { collectableRest, type OrderCard, type OrderRecord } from "../../orders/orders/order-record.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { announcedFor, type CollectionState, deadlineOf, type FailureReason } from "../collection.ts";
import { type CollectionRecord, cardOf, dunningFacts, isFirstOfDay45, isMandateRevoked } from "../collection-record.ts";
import type { CollectionDependencies } from "../dependencies.ts";
import { announceCharge } from "./announce-charge.ts";
import { nextTry } from "./dunning.ts";

/** The state of a collection; `dueAt` is when its next charge is due, in the provider's time. */
export interface Standing {
  readonly state: CollectionState;
  readonly dueAt: Date | null;
  readonly failure: FailureReason | null;
}

/** The standing while a chargeback waits for an operator: nothing is charged. */
export const STOPPED: Standing = { state: "stopped", dueAt: null, failure: "chargeback" };

/**
 * The standing after a charge that took nothing. If no trigger has made the collection due, it keeps waiting for day 45
 * as if the patient had not asked. There is something left to charge again, unless a refund that waited claims it now; that
 * refund, if it succeeds, cancels the collection.
 */
export async function standingWithoutCharge(
  tx: Transaction,
  dependencies: Pick<CollectionDependencies, "ids">,
  { collection, order, at }: Charging,
): Promise<Standing> {
  if (collection.trigger === null) return { state: "scheduled", dueAt: deadlineOf(collection.paidAt), failure: null };
  return standingOfDueCharge(tx, dependencies, { collection, order, at });
}

interface Charging {
  readonly collection: CollectionRecord;
  readonly order: OrderRecord;
  readonly at: Date;
}

/**
 * The standing of a collection that a trigger has made due. The first charge of day 45 waits for the announced moment;
 * if it was never announced to the patient, it is announced now.
 */
export async function standingOfDueCharge(
  tx: Transaction,
  dependencies: Pick<CollectionDependencies, "ids">,
  { collection, order, at }: Charging,
): Promise<Standing> {
  const card = cardOf(collection, order);
  const isAnnounced = collection.announcedFor !== null;
  // While a refund claims everything that is left, nothing can be charged or announced until the refund has failed.
  const isNothingToAnnounce = !isAnnounced && (collectableRest(order) === 0 || isMandateRevoked(collection, order));
  if (!isFirstOfDay45(collection) || isNothingToAnnounce) return standingOfNextTry(collection, card, at);
  const from = collection.announcedFor ?? announcedFor(collection.paidAt, at);
  const standing = standingOfNextTry(collection, card, from > at ? from : at);
  if (!isAnnounced && standing.dueAt !== null)
    await announceCharge(tx, dependencies, collection, { order, dueAt: standing.dueAt, at });
  return standing;
}

/** When the deferred part is tried next, or why it is not tried again. */
function standingOfNextTry(collection: CollectionRecord, card: OrderCard, at: Date): Standing {
  const next = nextTry(dunningFacts(collection, card), at);
  return next.outcome === "try"
    ? { state: "scheduled", dueAt: next.at, failure: null }
    : { state: "failed", dueAt: null, failure: next.reason };
}
