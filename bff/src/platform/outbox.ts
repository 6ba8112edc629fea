import type * as z from "zod/mini";
import type { Transaction } from "./database/transaction.ts";

/**
 * Every kind of event, and what its payload holds.
 *
 * It is empty here on purpose: the platform knows no feature. Each room adds the kinds that it publishes in its
 * `*-events.ts`, and from then on `publishEvent` and `subscribe` know them everywhere:
 *
 *     export const expenseEvents = { "expense.received": z.object({ expense_id: z.string() }) };
 *
 *     declare module "../platform/outbox.ts" {
 *       interface EventMap extends PayloadsOf<typeof expenseEvents> {}
 *     }
 *
 * `compose/event-schemas.ts` gathers the schemas, and does not compile without one of them.
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by declaration merging, which a type alias does not allow.
export interface EventMap {}

/** Such as `order.paid`. */
export type EventKind = keyof EventMap;

/** How the stored payload of each kind is read. A schema also reads the payloads that the version before has written. */
export type EventSchemas = { readonly [Kind in EventKind]: z.ZodMiniType<EventMap[Kind]> };

/** What the schemas of some kinds say of their payloads. */
export type PayloadsOf<Schemas extends Readonly<Record<string, z.ZodMiniType>>> = {
  readonly [Kind in keyof Schemas]: z.output<Schemas[Kind]>;
};

interface EventFacts {
  readonly id: string;
  readonly providerId: string;
  readonly orderId: string | null;
  /** Counts per order, from 1; null where the event has no order. */
  readonly sequence: number | null;
  /** By the provider's own clock. */
  readonly createdAt: Date;
}

/** Something that happened, as its subscribers get it. */
export interface DomainEvent<Kind extends EventKind = EventKind> extends EventFacts {
  readonly kind: Kind;
  readonly payload: EventMap[Kind];
}

/** An event to be published: the payload is the one of its kind. */
export type NewEvent = { [Kind in EventKind]: DomainEvent<Kind> }[EventKind];

/** An event as the log holds it: another version may have written it, of a kind that this one does not know. */
export interface StoredEvent extends EventFacts {
  readonly kind: string;
  readonly payload: unknown;
}

/** The kind of the timers that hand events to their subscribers. */
export const dispatchKind = "outbox.dispatch";

/**
 * Reacts to an event, in the one transaction in which all subscribers of the event react and its dispatch is completed:
 * the reaction happens once. It only writes to the database; whatever goes outside is scheduled as a timer.
 */
export type EventSubscriber<Kind extends EventKind> = (tx: Transaction, event: DomainEvent<Kind>) => Promise<void>;

/** Reacts to all events of one transaction together, in their order: for a reaction that costs as much for many as for one. */
export type EventsSubscriber<Kind extends EventKind> = (
  tx: Transaction,
  events: readonly DomainEvent<Kind>[],
) => Promise<void>;

/** Who reacts to which kind of event. */
export interface EventHandlers {
  subscribe<Kind extends EventKind>(kind: Kind, subscriber: EventSubscriber<Kind>): void;
  /** For a subscriber that takes the events of one transaction together. */
  subscribeTogether<Kind extends EventKind>(kinds: readonly Kind[], subscriber: EventsSubscriber<Kind>): void;
  /**
   * Parses events and hands them to all their subscribers, first to those that take them together. An event of an unknown
   * kind has no subscribers. Throws where a payload is not what its kind says.
   */
  dispatch(tx: Transaction, events: readonly StoredEvent[]): Promise<void>;
}

/** An empty list of subscribers, to be filled where the process is put together. */
export function createEventHandlers(schemas: EventSchemas): EventHandlers {
  const together: Array<EventsSubscriber<EventKind>> = [];
  const single: Array<EventSubscriber<EventKind>> = [];
  return {
    subscribe(kind, subscriber) {
      single.push(async (tx, event) => {
        if (isOfKind(event, [kind])) await subscriber(tx, event);
      });
    },
    subscribeTogether(kinds, subscriber) {
      together.push(async (tx, events) => {
        const wanted = events.filter((event) => isOfKind(event, kinds));
        if (wanted.length > 0) await subscriber(tx, wanted);
      });
    },
    async dispatch(tx, stored) {
      const events = stored.flatMap((event) =>
        isKnown(schemas, event) ? [parseEvent(schemas[event.kind], event)] : [],
      );
      for (const subscriber of together) await subscriber(tx, events);
      for (const event of events) {
        for (const subscriber of single) await subscriber(tx, event);
      }
    },
  };
}

function isOfKind<Kind extends EventKind>(event: DomainEvent, kinds: readonly Kind[]): event is DomainEvent<Kind> {
  return kinds.some((kind) => kind === event.kind);
}

function isKnown(schemas: EventSchemas, event: StoredEvent): event is StoredEvent & { readonly kind: EventKind } {
  return Object.hasOwn(schemas, event.kind);
}

function parseEvent<Kind extends EventKind>(
  schema: z.ZodMiniType<EventMap[Kind]>,
  event: StoredEvent & { readonly kind: Kind },
): DomainEvent<Kind> {
  return { ...event, payload: schema.parse(event.payload) };
}
