import type { RawBuilder } from "kysely";
import type { Clp } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Clock } from "./clock.ts";
import type { Transaction } from "./database/transaction.ts";
import type { Ids } from "./ids.ts";
import type { Environment, Provider } from "./provider.ts";
import type { CalendarDay } from "./santiago-time.ts";

/*
 * A feature's part of the operators' list of exceptions: the kinds, the SQL that finds them in its own tables, and the
 * resolutions of each.
 */

/** A problem that an operator has to resolve. */
export interface Exception<Kind extends string = string> {
  readonly providerId: string;
  readonly kind: Kind;
  /** The id of its subject: an order, a claim, a payout or a difference. */
  readonly subject: string;
  readonly orderId: OrderId | null;
  /** When it arose, in the provider's time. */
  readonly since: Date;
  /** Further facts, each one word or number; no personal data. */
  readonly facts: Readonly<Record<string, string | number | null>>;
}

/** The columns that a feature's query selects. */
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
  /** Hours before it is listed, because it may resolve itself. */
  readonly afterHours?: number;
  /** Its rows need nothing done. They are not listed, but found by their order or name. */
  readonly isQuiet?: true;
}

/** The input of a resolution, which runs in one transaction. */
export interface Resolving {
  readonly tx: Transaction;
  /** Real time, which timers use. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly exception: Exception;
  readonly provider: Provider;
  /** The current time of the provider. */
  readonly at: Date;
  /** At most 200 characters, no personal data. */
  readonly note: string | null;
  /** The amount that the operator reports as received or paid, in pesos. */
  readonly amount: Clp | null;
  /** The day that the operator reports. */
  readonly day: CalendarDay | null;
  /** `operator:<name>` */
  readonly actor: string;
  /** Dismisses the exception: removes it from the list until it occurs again. */
  readonly dismiss: () => Promise<void>;
}

/** A call whose outcome is unknown, and which the party's portal shows. */
export interface UnknownCall {
  readonly idempotencyKey: string;
  /** The amount that it moves or documents if it was made. */
  readonly amount: Clp;
  /** Further effects if the portal shows it under a number. */
  readonly whenDone?: (number: string) => Promise<void>;
}

interface ExceptionKindPart {
  /** A description for the operator. */
  readonly means: string;
  readonly resolutions: readonly string[];
  /** Locks the exception's subject until the transaction ends. */
  readonly hold?: (tx: Transaction, exception: Exception) => Promise<void>;
  /** Further effects of removing it from the list. */
  readonly whenHandled?: (resolving: Resolving) => Promise<void>;
}

interface ResolutionPart {
  /** Cannot be resolved in bulk: its note is mailed to one patient as the answer. */
  readonly notTogether?: true;
  /** A description of its effect, for the operator. */
  readonly means: string;
  /**
   * Applies the resolution and returns its outcome as a sentence, with its weight if it has one. Throws
   * `ResolutionRefused`.
   */
  readonly resolve: (resolving: Resolving) => Promise<string | WeightyOutcome>;
}

/** An outcome that one operator may not cause alone, depending on the amount. */
export interface WeightyOutcome {
  readonly outcome: string;
  /** The amount decided; null if two operators are always needed. */
  readonly amount: Clp | null;
}

/** A feature's exceptions and resolutions. */
export interface ExceptionPart {
  readonly kinds: Readonly<Record<string, ExceptionKindPart>>;
  readonly resolutions: Readonly<Record<string, ResolutionPart>>;
  /** `clocks` selects the current time of each provider: `id, now`. */
  readonly queries: (environment: Environment, clocks: RawBuilder<unknown>) => readonly ExceptionQuery[];
  /** The call of an exception, if it is one of this feature whose outcome is unknown, and which a portal shows. */
  readonly unknownCall?: (tx: Transaction, exception: Exception) => Promise<UnknownCall | null>;
  /** The timer that inquires about the call's outcome, if its key differs from the exception's subject. */
  readonly inquiryTimer?: (exception: Exception) => { readonly kind: string; readonly key: string } | null;
}

/** Thrown when an operator requests a resolution that is not possible. The message is for the operator. */
export class ResolutionRefused extends Error {
  override readonly name = "ResolutionRefused";
}

/** The order of an exception. Throws `ResolutionRefused` if it has none. */
export function orderOf({ providerId, orderId }: Exception): {
  readonly providerId: string;
  readonly orderId: OrderId;
} {
  if (orderId === null) throw new ResolutionRefused("This exception is not about an order.");
  return { providerId, orderId };
}
