import type { Transaction } from "./database/transaction.ts";

/**
 * Events inside a transaction that concern rooms above the one that publishes them. Each room declares its kinds:
 *
 *     declare module "../platform/within.ts" {
 *       interface WithinEvents {
 *         order_paid: { readonly orderId: OrderId; readonly at: Date };
 *       }
 *     }
 *
 * `app/within.ts` lists the listeners of every kind, and does not compile if one is missing. Reactions that may follow
 * the commit belong in an event of the outbox instead.
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by declaration merging, which a type alias does not allow.
export interface WithinEvents {}

type Kind = keyof WithinEvents;

/** One of these kinds; any kind if none is named. */
export type WithinEvent<Of extends Kind = Kind> = { [Each in Of]: { readonly kind: Each } & WithinEvents[Each] }[Of];

/**
 * Passes an event to its listeners, one after the other, in the transaction in which it happens. If a listener throws,
 * the transaction is rolled back.
 */
export type Within = (tx: Transaction, event: WithinEvent) => Promise<void>;

/** The listeners of every kind, in the order in which they are called. */
export type WithinListeners = {
  readonly [Each in Kind]: readonly ((tx: Transaction, event: WithinEvent<Each>) => Promise<void>)[];
};

export function withinOf(listeners: WithinListeners): Within {
  return async (tx, event) => {
    const ofKind: readonly ((tx: Transaction, event: never) => Promise<void>)[] = listeners[event.kind];
    // The table gives every kind its own listeners; TypeScript cannot follow that through a union.
    for (const listen of ofKind) await listen(tx, event as never);
  };
}
