import type { Clp } from "../../contract/vocabulary/clp.ts";
import { HOUR_MS } from "../../contract/vocabulary/durations.ts";
import { openDeferredCharge } from "../../orders/deferred-charge.ts";
import { lockOrder } from "../../orders/order-reads.ts";
import type { OrderRecord, PaymentRecord } from "../../orders/order-record.ts";
import { BLOCKED_WAIT_MS } from "../../patients/blocked.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { ClaimedTimer } from "../../platform/timers/timer-store.ts";
import { hasOpenChargeback } from "../chargeback-store.ts";
import {
  type CollectionAttempt,
  type CollectionKey,
  CollectionMissing,
  type CollectionRecord,
  cardOf,
  isOver,
  openAttemptOf,
} from "../collection.ts";
import { insertAttempt, requireCollection, updateCollection, writeConnector } from "../collection-store.ts";
import { isOfSeries } from "../collection-timers.ts";
import type { CollectionDependencies } from "../dependencies.ts";
import { giveUpCharge, reportRefundedLoan } from "../loan-reports/report-loan.ts";
import { removeUnneededCards } from "../remove-cards.ts";
import { announceCharge, isPatientBlocked } from "../trigger-charge.ts";
import { nextCharge, STOPPED, statusOf } from "./collection-status.ts";

/** How long a charge waits for an unfinished refund, or for blocked data, before it is considered again. */
const HELD_WAITS_MS = { refund: HOUR_MS, blocking: BLOCKED_WAIT_MS } as const;

/** A stored charge of the deferred part. It may have been sent to the processor. */
export interface OpenCharge {
  readonly key: CollectionKey;
  readonly attemptId: string;
  readonly amount: Clp;
  readonly commission: Clp;
  readonly cardId: string;
  /** The connector that takes its call; null if an earlier version stored it. */
  readonly connector: string | null;
  readonly startedAt: Date;
  readonly initiator: CollectionAttempt["initiator"];
  /** The authentication of this payment. For a charge by mandate, the authentication of a card given later. */
  readonly authenticationId: string | null;
  /**
   * By mandate: the first charge of the same card, with which the patient gave the mandate; null for a card given
   * later.
   */
  readonly initialChargeId: string | null;
  /** By mandate: the network's id of that charge or authentication; null if it was not reported. */
  readonly initialNetworkTransactionId: string | null;
}

export type Opened =
  | { readonly outcome: "charge"; readonly charge: OpenCharge; readonly mayHaveArrived: boolean }
  | { readonly outcome: "wait"; readonly until: Date }
  | { readonly outcome: "nothing" };

type OpeningDependencies = Pick<CollectionDependencies, "ids" | "clock" | "connectors">;

/**
 * Decides, with the order and its collection locked, whether to charge the deferred part by mandate now. If so, stores
 * the attempt. Resumes an unfinished attempt instead.
 */
export async function openByMandate(
  tx: Transaction,
  dependencies: OpeningDependencies,
  key: CollectionKey,
  { timer, now }: { readonly timer: ClaimedTimer; readonly now: Date },
): Promise<Opened> {
  const order = await lockOrder(tx, key);
  const collection = await requireCollection(tx, key);
  const open = openAttemptOf(collection);
  if (open !== null) return resumed(tx, dependencies, { order, attempt: open });
  if (collection.state !== "scheduled" || collection.trigger === null || !isOfSeries(timer, collection)) return NOTHING;
  if (isOver(order)) {
    await updateCollection(tx, key, { state: "cancelled", dueAt: null, failure: null }, now);
    await reportRefundedLoan(tx, dependencies, order, now);
    await removeUnneededCards(tx, dependencies, key, now);
    return NOTHING;
  }
  // A chargeback does not stop a collection that had already failed and may have been resumed since, so check again.
  if (await hasOpenChargeback(tx, key)) {
    await updateCollection(tx, key, STOPPED, now);
    return NOTHING;
  }
  return openDue(tx, dependencies, { key, collection, order, now });
}

/** Opens the charge of a due collection, or decides what must come first. */
async function openDue(
  tx: Transaction,
  dependencies: OpeningDependencies,
  {
    key,
    collection,
    order,
    now,
  }: {
    readonly key: CollectionKey;
    readonly collection: CollectionRecord;
    readonly order: OrderRecord;
    readonly now: Date;
  },
): Promise<Opened> {
  const next = nextCharge({ collection, order, isBlocked: await isPatientBlocked(tx, order), at: now });
  if (next.outcome === "held") return { outcome: "wait", until: new Date(now.getTime() + HELD_WAITS_MS[next.by]) };
  if (next.outcome === "announce") await announceCharge(tx, dependencies, key, { order, chargeAt: next.at, at: now });
  const status = statusOf(next);
  if (next.outcome === "charge" && next.at <= now) {
    const { cardAuthenticationId: authenticationId } = collection;
    const attempt = { order, collection, initiator: "merchant", authenticationId, at: now } as const;
    const charge = await openAttempt(tx, dependencies, attempt);
    return charge === null
      ? { outcome: "wait", until: new Date(now.getTime() + HELD_WAITS_MS.refund) }
      : { outcome: "charge", charge, mayHaveArrived: false };
  }
  await updateCollection(tx, key, status, now);
  if (status.dueAt !== null) return { outcome: "wait", until: status.dueAt };
  await giveUpCharge(tx, dependencies, { order, status, at: now });
  return NOTHING;
}

const NOTHING: Opened = { outcome: "nothing" };

/** Stores an attempt; null while an unfinished refund claims the whole rest. */
export async function openAttempt(
  tx: Transaction,
  { connectors }: Pick<CollectionDependencies, "connectors">,
  {
    order,
    collection,
    initiator,
    authenticationId,
    at,
  }: Pick<CollectionAttempt, "initiator" | "authenticationId"> & {
    readonly order: OrderRecord;
    readonly collection: CollectionRecord;
    readonly at: Date;
  },
): Promise<OpenCharge | null> {
  const { providerId, orderId } = collection;
  const key = { providerId, orderId };
  const opened = await openDeferredCharge(tx, order, { card: cardOf(collection, order), at });
  if (opened === null) return null;
  const { paymentId: attemptId, amount, commission, card } = opened;
  const initial = initialChargeOf(order, { cardId: card.id, initiator });
  const initialNetworkTransactionId =
    initiator === "patient" ? null : (initial?.voucher.networkTransactionId ?? collection.cardNetworkTransactionId);
  const connector = connectors.cardProcessor;
  const given = { cardId: card.id, connector, initiator, authenticationId, initialNetworkTransactionId };
  await insertAttempt(tx, key, { id: attemptId, ...given }, at);
  await updateCollection(tx, key, { state: "processing", dueAt: null, failure: null }, at);
  return { key, attemptId, amount, commission, startedAt: at, ...given, initialChargeId: initial?.chargeId ?? null };
}

/** The charge with which the patient gave the mandate; null for a payment by the patient, which needs none. */
function initialChargeOf(
  { payments }: Pick<OrderRecord, "payments">,
  { cardId, initiator }: Pick<CollectionAttempt, "cardId" | "initiator">,
): PaymentRecord | null {
  if (initiator === "patient") return null;
  return (
    payments.find(({ kind, card, chargeId }) => kind === "first" && card.id === cardId && chargeId !== null) ?? null
  );
}

/** Resumes an attempt if it has not ended. */
export async function takeUpAttempt(
  tx: Transaction,
  dependencies: Pick<OpeningDependencies, "connectors">,
  key: CollectionKey,
  attemptId: string,
): Promise<Opened> {
  const order = await lockOrder(tx, key);
  const open = openAttemptOf(await requireCollection(tx, key));
  return open?.id === attemptId ? resumed(tx, dependencies, { order, attempt: open }) : NOTHING;
}

/** Records the present connector as the one that takes the call if an earlier version recorded none. */
async function resumed(
  tx: Transaction,
  { connectors }: Pick<OpeningDependencies, "connectors">,
  { order, attempt }: { readonly order: OrderRecord; readonly attempt: CollectionAttempt },
): Promise<Opened> {
  const key = { providerId: order.providerId, orderId: order.orderId };
  const payment = order.payments.find(({ id }) => id === attempt.id);
  if (payment === undefined) throw new CollectionMissing("An attempt has no payment of its order.");
  const { id: attemptId, amount, commission } = payment;
  const { cardId, initiator, authenticationId, initialNetworkTransactionId } = attempt;
  const connector = attempt.connector ?? connectors.cardProcessor;
  if (attempt.connector === null) await writeConnector(tx, key, { id: attemptId, connector });
  const given = { cardId, connector, initiator, authenticationId, initialNetworkTransactionId };
  const initialChargeId = initialChargeOf(order, given)?.chargeId ?? null;
  const charge = { key, attemptId, amount, commission, startedAt: attempt.startedAt, ...given, initialChargeId };
  return { outcome: "charge", charge, mayHaveArrived: true };
}
