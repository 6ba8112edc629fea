import type { RawBuilder } from "kysely";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";

/*
 * What a feature contributes to the timeline of an order: the SQL that reads its own tables, and what each entry means.
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
  /** The id of the entry's subject, as other entries, causes and logs name it. */
  subject: string | null;
  /** The pesos that it moved. Only rows of the ledger have them, so that each peso appears in a timeline once. */
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
  /** What its entries, its reasons to wait and its timers mean, for the operator; a query selects no other. */
  readonly kinds: Readonly<Record<string, string>>;
  readonly happened: (order: TimelineOrder) => readonly RawBuilder<TimelineRow>[];
  /** What the order waits for; `at` is since when. */
  readonly waits?: (order: TimelineOrder) => readonly RawBuilder<TimelineRow>[];
  readonly timers?: (order: TimelineOrder) => readonly RawBuilder<TimerName>[];
}
