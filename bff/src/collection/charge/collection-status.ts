/* When the next charge of a collection is made, or why none is. */

import type { ShownCharge } from "../../contract/self-service-links.ts";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { OrderRecord } from "../../orders/order-record.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { santiagoDay } from "../../platform/santiago-time.ts";
import {
  announcedCharge,
  announcedDay45,
  type CollectionRecord,
  type CollectionStatus,
  cardOf,
  type DunningFacts,
  deadlineOf,
  dueOf,
  dunningFacts,
  type FailureReason,
  isFirstOfDay45,
  isTriedByMandate,
} from "../collection.ts";
import { writeAnnouncement } from "../collection-store.ts";
import type { CollectionDependencies } from "../dependencies.ts";
import { announceCharge, isPatientBlocked } from "../trigger-charge.ts";
import { covers, isNotified } from "./announcement.ts";
import { nextTry } from "./dunning.ts";

/** The status while a chargeback waits for an operator: nothing is charged. */
export const STOPPED: CollectionStatus = { state: "stopped", dueAt: null, failure: "chargeback" };

interface Charging {
  readonly collection: CollectionRecord;
  readonly order: OrderRecord;
  readonly at: Date;
}

/** The next charge by mandate of a collection that a trigger has made due. */
export type NextCharge =
  /** At the announced moment `at`; now, if `at` has passed. */
  | { readonly outcome: "charge"; readonly at: Date }
  /** At `at`, after the patient has been notified. */
  | { readonly outcome: "announce"; readonly at: Date }
  /**
   * Not known while an unfinished refund claims everything that is left, or while the patient's data is blocked; not
   * before `at`.
   */
  | { readonly outcome: "held"; readonly by: "refund" | "blocking"; readonly at: Date }
  | { readonly outcome: "give_up"; readonly failure: FailureReason };

/**
 * Decides when the next charge is made. The patient was notified of it on an earlier day, with the approval, or on the
 * page for giving the card. A charge happens on its announced day and takes at most the announced amount. A charge that
 * was not announced, or missed its day, is announced first.
 */
export function nextCharge({
  collection,
  order,
  isBlocked,
  at,
}: Charging & { readonly isBlocked: boolean }): NextCharge {
  const { announcement } = collection;
  const facts = dunningFacts(collection, cardOf(collection, order));
  const { amount } = dueOf(order);
  const next = nextTry(facts, at);
  if (next.outcome === "give_up") return { outcome: "give_up", failure: next.reason };
  if (amount === 0) return { outcome: "held", by: "refund", at: next.at };
  if (isBlocked) return { outcome: "held", by: "blocking", at: next.at };
  if (announcement !== null && (isNotified(announcement) || announcement.chargeAt > at)) {
    const announced = nextTry(facts, announcement.chargeAt > at ? announcement.chargeAt : at);
    if (announced.outcome === "try" && covers(announcement, { amount, at: announced.at }))
      return { outcome: "charge", at: announced.at };
  }
  const isNew = announcement === null && isFirstOfDay45(collection);
  const earliest = isNew ? announcedDay45(collection.paidAt, at) : announcedCharge(at);
  const announced = nextTry(facts, earliest);
  return announced.outcome === "try"
    ? { outcome: "announce", at: announced.at }
    : { outcome: "give_up", failure: announced.reason };
}

/**
 * When a card given at `at` is charged, if the page announces it; null if no charge follows. An already announced first
 * charge is not brought forward. After a declined charge the card is charged as soon as the limits allow.
 */
export function chargeOfGivenCard(
  facts: DunningFacts,
  { collection, order, isBlocked, at }: Charging & { readonly isBlocked: boolean },
): Date | null {
  const announced = isTriedByMandate(collection) ? null : collection.announcement;
  const next = nextTry(facts, announced !== null && announced.chargeAt > at ? announced.chargeAt : at);
  return next.outcome === "give_up" || isBlocked || dueOf(order).amount === 0 ? null : next.at;
}

/**
 * The status with a new card that the patient gave at `at`. A charge is made as shown if the page showed its amount and
 * time; otherwise it is announced like every charge.
 */
export async function statusWithGivenCard(
  tx: Transaction,
  dependencies: Pick<CollectionDependencies, "ids">,
  { collection, order, at, shown, shownAt }: Charging & { readonly shown: ShownCharge | null; readonly shownAt: Date },
): Promise<CollectionStatus> {
  const facts = dunningFacts(collection, cardOf(collection, order));
  const isBlocked = await isPatientBlocked(tx, order);
  const chargeAt = chargeOfGivenCard(facts, { collection, order, isBlocked, at });
  if (shown === null || chargeAt === null || !isAsShown(shown, { amount: dueOf(order).amount, chargeAt, shownAt, at }))
    return statusOfDueCharge(tx, dependencies, { collection, order, at });
  const { providerId, orderId } = collection;
  const announcement = { chargeAt, amount: shown.amount, by: "card_page", notifiedAt: at } as const;
  await writeAnnouncement(tx, { providerId, orderId }, announcement);
  return { state: "scheduled", dueAt: chargeAt, failure: null };
}

function isAsShown(
  shown: ShownCharge,
  {
    amount,
    chargeAt,
    shownAt,
    at,
  }: { readonly amount: Clp; readonly chargeAt: Date; readonly shownAt: Date; readonly at: Date },
): boolean {
  // The issuer may confirm the card on a later day than it was given.
  const isNow = chargeAt <= at && santiagoDay(shownAt) === santiagoDay(at);
  const isThen = shown.on === "now" ? isNow : santiagoDay(chargeAt) === shown.on;
  return isThen && amount <= shown.amount;
}

/**
 * The status after a charge that was not captured. Without a trigger, the collection keeps waiting for day 45 as if the
 * patient had not paid early. A waiting refund may now claim the rest; if it succeeds, it cancels the collection.
 */
export async function statusWithoutCharge(
  tx: Transaction,
  dependencies: Pick<CollectionDependencies, "ids">,
  { collection, order, at }: Charging,
): Promise<CollectionStatus> {
  if (collection.trigger === null) return { state: "scheduled", dueAt: deadlineOf(collection.paidAt), failure: null };
  return statusOfDueCharge(tx, dependencies, { collection, order, at });
}

/** The status of a collection that a trigger has made due. Announces the charge now if it must be announced first. */
export async function statusOfDueCharge(
  tx: Transaction,
  dependencies: Pick<CollectionDependencies, "ids">,
  { collection, order, at }: Charging,
): Promise<CollectionStatus> {
  const next = nextCharge({ collection, order, isBlocked: await isPatientBlocked(tx, order), at });
  if (next.outcome === "announce") await announceCharge(tx, dependencies, collection, { order, chargeAt: next.at, at });
  return statusOf(next);
}

export function statusOf(next: NextCharge): CollectionStatus {
  return next.outcome === "give_up"
    ? { state: "failed", dueAt: null, failure: next.failure }
    : { state: "scheduled", dueAt: next.at, failure: null };
}
