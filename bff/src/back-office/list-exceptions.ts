import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { Environment } from "../platform/provider.ts";
import { providerClocks } from "../tenants/providers.ts";
import {
  type CallsElsewhere,
  type ExceptionFilter,
  type ExceptionSort,
  type ExceptionSources,
  type ExceptionTotal,
  type OpenOutcomes,
  selectCallsElsewhere,
  selectExceptions,
  selectExceptionTotals,
  selectOpenOutcomes,
} from "./exception-store.ts";
import type { ExceptionName, ListedException } from "./exceptions/exception.ts";
import { EXCEPTION_KINDS, type ExceptionKind } from "./exceptions/exception-kinds.ts";
import { ROOM_EXCEPTIONS } from "./exceptions/room-exceptions.ts";

/** The maximum number of exceptions that one list contains. */
export const EXCEPTIONS_LISTED_MAX = 500;

export interface ExceptionsDependencies {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly environment: Environment;
}

/** Exceptions of one provider or of all (`null`), by default of every kind and oldest first; at most 500. */
export function listExceptions(
  dependencies: ExceptionsDependencies,
  providerId: string | null,
  filter: { readonly kind?: ExceptionKind; readonly sort?: ExceptionSort } = {},
): Promise<ListedException[]> {
  return select(dependencies, { providerId, limit: EXCEPTIONS_LISTED_MAX, ...filter });
}

/** The totals of each kind of exception that waits, of one provider or of all (`null`), also beyond the list's end. */
export function exceptionTotals(
  { db, clock, environment }: ExceptionsDependencies,
  providerId: string | null,
): Promise<ExceptionTotal[]> {
  return selectExceptionTotals(db, exceptionSources(environment, clock), providerId);
}

/** The exception with a name, even if it is beyond the list's maximum length; `null`: there is none. */
export async function findException(
  dependencies: ExceptionsDependencies,
  named: ExceptionName,
): Promise<ListedException | null> {
  const [exception] = await select(dependencies, { providerId: named.providerId, limit: 1, named });
  return exception ?? null;
}

/** The exceptions that are about an order, oldest first. */
export function exceptionsOfOrder(
  dependencies: ExceptionsDependencies,
  { providerId, orderId }: { readonly providerId: string; readonly orderId: OrderId },
): Promise<ListedException[]> {
  return select(dependencies, { providerId, limit: EXCEPTIONS_LISTED_MAX, orderId });
}

/** How many exceptions of each kind wait for an operator; 0 for a kind without any. */
export async function countExceptions(dependencies: ExceptionsDependencies): Promise<Map<string, number>> {
  const counted = new Map((await exceptionTotals(dependencies, null)).map(({ kind, count }) => [kind, count]));
  const kinds = Object.keys(EXCEPTION_KINDS) as ExceptionKind[];
  return new Map(kinds.map((kind) => [kind, counted.get(kind) ?? 0]));
}

/** The kinds of calls that move money, keep a card or file a claim: `of` of an `outcome_unknown`. */
const OUTCOME_KINDS = [
  "payment",
  "collection",
  "refund",
  "payout",
  "charge_return",
  "loan_cancellation",
  "loan_report",
  "saved_card",
  "card_removal",
  "filing",
];

/**
 * Calls of gateways whose outcome is unknown, by kind, counted from the first lost answer on; 0 for a kind without any.
 */
export async function openOutcomes({ db, clock, environment }: ExceptionsDependencies): Promise<OpenOutcomes[]> {
  const found = await selectOpenOutcomes(db, exceptionSources(environment, clock));
  const missing = OUTCOME_KINDS.filter((kind) => !found.some(({ of }) => of === kind));
  return [
    ...found,
    ...missing.map((of) => ({ of, count: 0, oldestSeconds: 0, byAge: { fiveMinutes: 0, hour: 0, day: 0, older: 0 } })),
  ];
}

/** Calls that another connector took than the one that their party has now. */
export function callsElsewhere({ db, clock, environment }: ExceptionsDependencies): Promise<CallsElsewhere[]> {
  return selectCallsElsewhere(db, exceptionSources(environment, clock));
}

/** Reads the exceptions of all folders in one statement. */
function select(
  { db, clock, environment }: ExceptionsDependencies,
  filter: ExceptionFilter,
): Promise<ListedException[]> {
  const isSought = filter.named !== undefined || filter.orderId !== undefined;
  return selectExceptions(db, exceptionSources(environment, clock, isSought), filter);
}

function exceptionSources(environment: Environment, clock: Clock, isSought = false): ExceptionSources {
  const clocks = providerClocks(environment, clock.now());
  const queries = ROOM_EXCEPTIONS.flatMap((part) => part.queries(environment, clocks));
  return { queries: queries.filter(({ isQuiet }) => isSought || isQuiet !== true), clocks };
}
