import type { RawBuilder } from "kysely";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Clock } from "./clock.ts";
import type { Transaction } from "./database/transaction.ts";
import type { Ids } from "./ids.ts";
import type { Environment } from "./provider.ts";

/*
 * What a room gives the operators' list: which exceptions it has, the SQL that finds them in its own tables, and what an
 * operator can do about each.
 */

/** Something that a person has to settle. */
export interface Exception<Kind extends string = string> {
  readonly providerId: string;
  readonly kind: Kind;
  /** What it is about: an order, a claim, a payout, a difference. */
  readonly subject: string;
  readonly orderId: OrderId | null;
  /** Since when, in the provider's time. */
  readonly since: Date;
  /** What else is known, in one word or number each; nothing personal. */
  readonly facts: Readonly<Record<string, string | number | null>>;
}

/** The columns that a room selects. */
export interface ExceptionRow {
  kind: string;
  provider_id: string;
  subject: string;
  order_id: OrderId | null;
  since: Date;
  facts: Exception["facts"];
}

export interface ExceptionQuery {
  readonly rows: RawBuilder<ExceptionRow>;
  /** For so many hours since it happened it is left to settle by itself, and not listed. */
  readonly afterHours?: number;
}

/** One resolution of one exception, in its transaction. */
export interface Resolving {
  readonly tx: Transaction;
  /** Real time. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly exception: Exception;
  /** At most 200 characters, nothing personal. */
  readonly note: string | null;
  /** Takes it off the list until it happens again. Returns when that was, in the provider's time. */
  readonly putAside: () => Promise<Date>;
}

interface ExceptionKindPart {
  /** A sentence for the operator. */
  readonly means: string;
  readonly resolutions: readonly string[];
  /** Keeps what it is about as it is, until the transaction ends. */
  readonly hold?: (tx: Transaction, exception: Exception) => Promise<void>;
  /** What else follows when it is put aside. */
  readonly whenHandled?: (resolving: Resolving) => Promise<void>;
}

interface ResolutionPart {
  /** What it does, for the operator. */
  readonly means: string;
  /** Does it, and says in words what came of it. Throws `ResolutionRefused`. */
  readonly resolve: (resolving: Resolving) => Promise<string>;
}

/** Everything that a room has to say about its exceptions. */
export interface ExceptionPart {
  readonly kinds: Readonly<Record<string, ExceptionKindPart>>;
  readonly resolutions: Readonly<Record<string, ResolutionPart>>;
  readonly queries: (environment: Environment) => readonly ExceptionQuery[];
  /** Which timer asks how a call ended, where its key is not the exception's subject. */
  readonly inquiryTimer?: (exception: Exception) => { readonly kind: string; readonly key: string } | null;
}

/** Thrown when an operator asks for what cannot be done. The message is meant for the operator. */
export class ResolutionRefused extends Error {
  override readonly name = "ResolutionRefused";
}

/** The order that an exception is about. */
export function orderOf({ providerId, orderId }: Exception): {
  readonly providerId: string;
  readonly orderId: OrderId;
} {
  if (orderId === null) throw new ResolutionRefused("It is about no order.");
  return { providerId, orderId };
}
