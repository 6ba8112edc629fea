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

/** The same for all events that are told in one transaction, in their order: a reaction that costs as much for many as for one. */
export type EventsSubscriber = (tx: Transaction, events: readonly DomainEvent[]) => Promise<void>;

/** Who reacts to which kind of event. */
export interface EventHandlers {
  subscribe(kind: string, subscriber: EventSubscriber): void;
  /** For a subscriber that takes together what is told together. */
  subscribeTogether(kinds: readonly string[], subscriber: EventsSubscriber): void;
  /** Tells events to all their subscribers, those that take them together first. */
  tell(tx: Transaction, events: readonly DomainEvent[]): Promise<void>;
}

/** An empty list of subscribers, to be filled where the process is put together. */
export function createEventHandlers(): EventHandlers {
  const together: Array<{ kinds: ReadonlySet<string>; subscriber: EventsSubscriber }> = [];
  const subscribers = new Map<string, EventSubscriber[]>();
  return {
    subscribe(kind, subscriber) {
      subscribers.set(kind, [...(subscribers.get(kind) ?? []), subscriber]);
    },
    subscribeTogether(kinds, subscriber) {
      together.push({ kinds: new Set(kinds), subscriber });
    },
    async tell(tx, events) {
      for (const { kinds, subscriber } of together) {
        const wanted = events.filter(({ kind }) => kinds.has(kind));
        if (wanted.length > 0) await subscriber(tx, wanted);
      }
      for (const event of events) {
        for (const subscriber of subscribers.get(event.kind) ?? []) await subscriber(tx, event);
      }
    },
  };
}
