import type { Transaction } from "./database/transaction.ts";

/** Something that happened, as it is kept and told. */
export interface DomainEvent {
  id: string;
  providerId: string;
  orderId: string | null;
  /** Such as `order.paid`. */
  kind: string;
  /** Counts per order, from 1; null where the event has no order. */
  sequence: number | null;
  payload: unknown;
  /** By the provider's own clock. */
  createdAt: Date;
}

export interface NewEvent extends DomainEvent {
  payload: object;
}

/** The kind of the timers that hand events to their subscribers. */
export const dispatchKind = "outbox.dispatch";

/**
 * Reacts to an event, in the one transaction in which all subscribers of the event react and its dispatch is completed:
 * the reaction happens once. It only writes to the database; whatever goes outside is scheduled as a timer.
 */
export type EventSubscriber = (tx: Transaction, event: DomainEvent) => Promise<void>;

/** Who reacts to which kind of event. */
export interface EventSubscriptions {
  subscribe(kind: string, subscriber: EventSubscriber): void;
  /** The subscribers of a kind, in the order in which they subscribed. */
  of(kind: string): readonly EventSubscriber[];
}

/** An empty list of subscribers, to be filled where the process is put together. */
export function createEventSubscriptions(): EventSubscriptions {
  const subscribers = new Map<string, EventSubscriber[]>();
  return {
    subscribe(kind, subscriber) {
      subscribers.set(kind, [...(subscribers.get(kind) ?? []), subscriber]);
    },
    of: (kind) => subscribers.get(kind) ?? [],
  };
}
