import type * as z from "zod/mini";
import type { Transaction } from "./database/transaction.ts";

/**
 * The type of the payload for every kind of event.
 *
 * It is empty here because the platform knows no features. Each feature declares the kinds that it publishes in its
 * `*-events.ts`; `publishEvent` and `subscribe` then accept them everywhere:
 *
 *     export const expenseEvents = { "expense.received": z.object({ expense_id: z.string() }) };
 *
 *     declare module "../platform/outbox.ts" {
 *       interface EventMap extends PayloadsOf<typeof expenseEvents> {}
 *     }
 *
 * `app/worker.ts` collects the schemas, and does not compile if one of them is missing.
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by declaration merging, which a type alias does not allow.
export interface EventMap {}

/** Such as `order.paid`. */
export type EventKind = keyof EventMap;

/**
 * How the stored payload of each kind is parsed. A schema must also accept payloads written by the previous version.
 */
export type EventSchemas = { readonly [Kind in EventKind]: z.ZodMiniType<EventMap[Kind]> };

/** The payload types described by the schemas of some kinds. */
export type PayloadsOf<Schemas extends Readonly<Record<string, z.ZodMiniType>>> = {
  readonly [Kind in keyof Schemas]: z.output<Schemas[Kind]>;
};

interface EventFacts {
  readonly id: string;
  readonly providerId: string;
  readonly orderId: string | null;
  /** Numbered per order, from 1; null if the event is about no order. */
  readonly sequence: number | null;
  /** By the provider's own clock. */
  readonly createdAt: Date;
}

/** An event as its subscribers receive it. */
export interface DomainEvent<Kind extends EventKind = EventKind> extends EventFacts {
  readonly kind: Kind;
  readonly payload: EventMap[Kind];
}

/** An event to publish, with the payload type of its kind. */
export type NewEvent = { [Kind in EventKind]: DomainEvent<Kind> }[EventKind];

/** A stored event. Another version may have written it, so its kind may be unknown. */
export interface StoredEvent extends EventFacts {
  readonly kind: string;
  readonly payload: unknown;
}

/** The kind of the timers that pass events to their subscribers. */
export const dispatchKind = "outbox.dispatch";

/**
 * Reacts to an event. All subscribers of the event run in one transaction, which also completes its dispatch, so each
 * reaction happens once. A subscriber only writes to the database, and schedules calls to gateways as timers.
 */
export type EventSubscriber<Kind extends EventKind> = (tx: Transaction, event: DomainEvent<Kind>) => Promise<void>;

/**
 * Reacts to all events of one transaction together, in order. For reactions whose cost does not depend on the number of
 * events.
 */
export type EventsSubscriber<Kind extends EventKind> = (
  tx: Transaction,
  events: readonly DomainEvent<Kind>[],
) => Promise<void>;

/** Registers subscribers and dispatches events to them. */
export interface EventHandlers {
  subscribe<Kind extends EventKind>(kind: Kind, subscriber: EventSubscriber<Kind>): void;
  /** Registers a subscriber that receives the events of one transaction together. */
  subscribeTogether<Kind extends EventKind>(kinds: readonly Kind[], subscriber: EventsSubscriber<Kind>): void;
  /** False for the kinds that only a later version publishes. */
  knows(event: StoredEvent): boolean;
  /**
   * Parses events and passes them to their subscribers, first to those registered with `subscribeTogether`. An event of
   * an unknown kind has no subscribers. Throws if a payload does not match its kind's schema.
   */
  dispatch(tx: Transaction, events: readonly StoredEvent[], runFor?: RunForEvent): Promise<void>;
}

/** Runs an event's subscribers. A caller can wrap it to record the running event. */
export type RunForEvent = (eventId: string, run: () => Promise<void>) => Promise<void>;

/** Starts without subscribers; `src/app/worker.ts` registers them. */
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
    knows: (event) => isKnown(schemas, event),
    async dispatch(tx, stored, runFor = (_eventId, run) => run()) {
      const events = stored.flatMap((event) =>
        isKnown(schemas, event) ? [parseEvent(schemas[event.kind], event)] : [],
      );
      for (const subscriber of together) await subscriber(tx, events);
      for (const event of events) {
        await runFor(event.id, async () => {
          for (const subscriber of single) await subscriber(tx, event);
        });
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
