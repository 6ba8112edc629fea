import { checkoutTimeline } from "../../checkout/operations.ts";
import { claimTimeline } from "../../claims/operations.ts";
import { collectionTimeline } from "../../collection/operations.ts";
import { notificationTimeline } from "../../notifications/operations.ts";
import { ledgerTimeline, orderTimeline } from "../../orders/operations.ts";
import { findOrder, searchOrders } from "../../orders/order-reads.ts";
import type { OrderRecord } from "../../orders/order-record.ts";
import { consentTimeline } from "../../patients/operations.ts";
import { type AuditEntry, recordAudit } from "../../platform/audit-store.ts";
import { inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import { type Provider, providerNow } from "../../platform/provider.ts";
import { listSwitchedOff } from "../../platform/switch-store.ts";
import type { Switch } from "../../platform/switches.ts";
import type { TimelineOrder, TimelinePart, TimelineRow } from "../../platform/timeline.ts";
import {
  ORDER_SEEN,
  platformTimeline,
  selectPendingTimers,
  selectTimelineRows,
} from "../../platform/timeline-store.ts";
import { payoutTimeline, reconciliationTimeline } from "../../settlement/operations.ts";
import { webhookTimeline } from "../../webhooks/operations.ts";
import type { ListedException } from "../exceptions/exception.ts";
import { resolutionEntries } from "../exceptions/timeline-store.ts";
import { type ExceptionsDependencies, exceptionsOfOrder } from "../list-exceptions.ts";

/** The order's exceptions that operators have dismissed. */
const resolutionTimeline = {
  kinds: { "exception.handled": "An operator dismissed an exception." },
  happened: resolutionEntries,
} as const satisfies TimelinePart;

/** The timeline's parts, one of each room. Entries of the same moment are listed in this order. */
export const ROOM_TIMELINES: readonly TimelinePart[] = [
  orderTimeline,
  checkoutTimeline,
  consentTimeline,
  claimTimeline,
  collectionTimeline,
  payoutTimeline,
  ledgerTimeline,
  reconciliationTimeline,
  resolutionTimeline,
  platformTimeline,
  webhookTimeline,
  notificationTimeline,
];

/** This folder shows operators the whole history of an order, and its next steps. */

/** A timeline entry with its meaning. */
export interface TimelineEntry extends TimelineRow {
  readonly means: string;
}

/** A timer's next effect on the order. */
export interface NextStep {
  readonly what: string;
  readonly means: string;
  /** In the provider's time. */
  readonly at: Date;
  /** How often it has run without finishing. */
  readonly attempts: number;
  /** `running`: a process is running it. `late`: it is due, but no process has claimed it. */
  readonly standing: "to_come" | "running" | "late";
}

export interface OrderTimeline {
  readonly order: OrderRecord;
  readonly provider: Provider;
  readonly happened: readonly TimelineEntry[];
  readonly waits: readonly TimelineEntry[];
  readonly next: readonly NextStep[];
  readonly exceptions: readonly ListedException[];
  /** The switches that are off for its provider. */
  readonly switchedOff: readonly Switch[];
}

export interface TimelineDependencies extends ExceptionsDependencies {
  readonly ids: Ids;
}

interface Look {
  readonly orderId: OrderRecord["orderId"];
  readonly actor: string;
  /** Whether the operator sees the patient's data in full instead of masked. */
  readonly isRevealed: boolean;
}

/** The whole history of an order. The look is audited. `null` if there is no such order. */
export function showOrder(
  dependencies: TimelineDependencies,
  { providers, ...look }: Look & { readonly providers: readonly Provider[] },
): Promise<OrderTimeline | null> {
  const { db, clock } = dependencies;
  const { orderId } = look;
  return inTransaction(db, async (tx) => {
    const found = (await searchOrders(tx, orderId, providers)).find((each) => each.orderId === orderId);
    const provider = providers.find(({ id }) => id === found?.providerId);
    const order = provider === undefined ? null : await findOrder(tx, { providerId: provider.id, orderId });
    if (provider === undefined || order === null) return null;
    const named = { providerId: provider.id, orderId, clockOffsetMs: provider.clockOffsetMs };
    const parts = ROOM_TIMELINES;
    const happened = await selectTimelineRows(
      tx,
      parts.flatMap((part) => part.happened(named)),
    );
    const waits = await selectTimelineRows(
      tx,
      parts.flatMap((part) => part.waits?.(named) ?? []),
    );
    const next = await nextSteps(tx, named, clock.now());
    const off = await listSwitchedOff(tx);
    await recordAudit(tx, lookEntry(dependencies, provider, look));
    return {
      order,
      provider,
      happened: happened.map(withMeaning),
      waits: waits.map(withMeaning),
      next,
      exceptions: await exceptionsOfOrder({ ...dependencies, db: tx }, named),
      switchedOff: off
        .filter(({ providerId }) => providerId === null || providerId === provider.id)
        .map(({ what }) => what),
    };
  });
}

async function nextSteps(tx: Transaction, order: TimelineOrder, now: Date): Promise<NextStep[]> {
  const timers = await selectPendingTimers(
    tx,
    ROOM_TIMELINES.flatMap((part) => part.timers?.(order) ?? []),
  );
  return timers.map(({ kind, dueAt, attempts, leaseUntil }) => ({
    what: kind,
    means: meaningOf(kind),
    at: providerNow(order, dueAt),
    attempts,
    standing: leaseUntil !== null && leaseUntil > now ? "running" : dueAt < now ? "late" : "to_come",
  }));
}

/** The audit entry of an operator's look at an order. One entry per order, so that it is found by the order. */
export function lookEntry(
  { ids, clock }: Pick<TimelineDependencies, "ids" | "clock">,
  provider: Pick<Provider, "id" | "clockOffsetMs">,
  { orderId, actor, isRevealed }: Look,
): AuditEntry {
  return {
    id: ids.uuid(),
    providerId: provider.id,
    actor,
    credentialId: null,
    act: ORDER_SEEN,
    subject: { kind: "order", id: orderId },
    details: { revealed: isRevealed },
    at: providerNow(provider, clock.now()),
  };
}

const MEANINGS = new Map(ROOM_TIMELINES.flatMap(({ kinds }) => Object.entries(kinds)));

function withMeaning(row: TimelineRow): TimelineEntry {
  return { ...row, means: meaningOf(row.what) };
}

/** Thrown when a folder's query selects an entry that its part does not explain: a defect. */
class EntryWithoutMeaning extends Error {
  override readonly name = "EntryWithoutMeaning";
}

function meaningOf(what: string): string {
  const meaning = MEANINGS.get(what);
  if (meaning === undefined) throw new EntryWithoutMeaning(`No feature explains the entry ${what}.`);
  return meaning;
}
