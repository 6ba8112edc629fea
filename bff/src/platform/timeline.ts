import type { RawBuilder } from "kysely";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";

/*
 * A feature's part of an order's timeline: the SQL that reads its own tables, and the meaning of each entry.
 */

/** The order whose timeline is read. */
export interface TimelineOrder {
  readonly providerId: string;
  readonly orderId: OrderId;
  /** Moments in real time are converted to the provider's. */
  readonly clockOffsetMs: number;
}

/** The columns that a feature's query selects, in this order. */
export interface TimelineRow {
  what: string;
  /** In the provider's time. */
  at: Date;
  /** The id of the entry's subject, as it appears in other entries, causes and logs. */
  subject: string | null;
  /** The pesos that it moved. Only ledger rows have them, so that each peso appears once in a timeline. */
  amount: number | null;
  /** Further facts, each one word or number; no personal data. */
  facts: Readonly<Record<string, string | number | boolean>>;
}

/** A timer that acts on the order, as a feature's query selects it. */
export interface TimerName {
  kind: string;
  key: string;
}

/** A feature's part of a timeline. */
export interface TimelinePart {
  /** The meaning of its entries, its reasons to wait and its timers, for the operator. A query selects no others. */
  readonly kinds: Readonly<Record<string, string>>;
  readonly happened: (order: TimelineOrder) => readonly RawBuilder<TimelineRow>[];
  /** The reasons why the order waits. `at` is the start of the wait. */
  readonly waits?: (order: TimelineOrder) => readonly RawBuilder<TimelineRow>[];
  readonly timers?: (order: TimelineOrder) => readonly RawBuilder<TimerName>[];
}
