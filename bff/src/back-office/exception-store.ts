import { type RawBuilder, sql } from "kysely";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { ExceptionQuery, ExceptionRow } from "../platform/exceptions.ts";
import type { ExceptionName, ListedException } from "./exceptions/exception.ts";
import type { ExceptionKind } from "./exceptions/exception-kinds.ts";
import { kindsOf } from "./exceptions/severity.ts";

export interface ExceptionSources {
  readonly queries: readonly ExceptionQuery[];
  /** Selects the providers whose exceptions are listed, each with its current time: `id, now`. */
  readonly clocks: RawBuilder<unknown>;
}

export interface ExceptionFilter {
  /** Lists this provider's exceptions only; `null`: those of all providers. */
  readonly providerId: string | null;
  readonly limit: number;
  readonly kind?: ExceptionKind;
  /** Oldest first if omitted. */
  readonly sort?: ExceptionSort;
  /** Lists only the exception with this name. */
  readonly named?: ExceptionName;
  /** Lists only exceptions of this order. */
  readonly orderId?: OrderId;
}

/** By severity and by amount, exceptions that are equal are listed oldest first. */
export const EXCEPTION_SORTS = ["severity", "oldest", "newest", "amount"] as const;
export type ExceptionSort = (typeof EXCEPTION_SORTS)[number];

const SORTED: Readonly<Record<ExceptionSort, RawBuilder<unknown>>> = {
  severity: sql`case when x.kind = any(${kindsOf("high")}::text[]) then 0
    when x.kind = any(${kindsOf("medium")}::text[]) then 1 else 2 end, x.since`,
  oldest: sql`x.since`,
  newest: sql`x.since desc`,
  amount: sql`(x.facts ->> 'amount')::bigint desc nulls last, x.since`,
};

/** All listed exceptions of a kind. */
export interface ExceptionTotal {
  readonly kind: ExceptionKind;
  readonly count: number;
  readonly oldestSeconds: number;
  /** The sum of the amounts that they name, in pesos; null if none of them names one. */
  readonly amount: number | null;
}

/** The totals of each kind with listed exceptions, of one provider or of all (`null`). */
export async function selectExceptionTotals(
  db: Database,
  sources: ExceptionSources,
  providerId: string | null,
): Promise<ExceptionTotal[]> {
  const { rows } = await totalsStatement(sources, providerId).execute(db);
  return rows;
}

/** The statement of `selectExceptionTotals`; exported so that a test can check its query plan. */
export function totalsStatement(
  { queries, clocks }: ExceptionSources,
  providerId: string | null,
): RawBuilder<ExceptionTotal> {
  return sql`select x.kind, count(*)::int as count,
      extract(epoch from max(p.now - x.since))::float8 as "oldestSeconds",
      sum((x.facts ->> 'amount')::bigint)::bigint as amount
    from ${listed(queries, clocks)} and (${providerId}::uuid is null or x.provider_id = ${providerId}::uuid)
    group by x.kind`;
}

/** The exceptions that were not dismissed since they last occurred. */
export async function selectExceptions(
  db: Database,
  { queries, clocks }: ExceptionSources,
  { providerId, limit, kind, sort = "oldest", named, orderId }: ExceptionFilter,
): Promise<ListedException[]> {
  const sought = named?.kind ?? kind ?? null;
  const { rows } = await sql<Omit<ExceptionRow, "kind"> & { kind: ExceptionKind; age: number }>`
    select x.kind, x.provider_id, x.subject, x.order_id, x.since, x.facts,
      extract(epoch from p.now - x.since)::float8 as age
    from ${listed(queries, clocks)} and (${providerId}::uuid is null or x.provider_id = ${providerId}::uuid)
      and (${sought}::text is null or x.kind = ${sought}::text)
      and (${named?.subject ?? null}::text is null or x.subject = ${named?.subject ?? null}::text)
      and (${orderId ?? null}::uuid is null or x.order_id = ${orderId ?? null}::uuid)
    order by ${SORTED[sort]}, x.kind, x.subject
    limit ${limit}
  `.execute(db);
  return rows.map(({ kind, provider_id, subject, order_id, since, facts, age }) => ({
    kind,
    providerId: provider_id,
    subject,
    orderId: order_id,
    since,
    facts,
    ageSeconds: age,
  }));
}

/** Calls of a kind whose outcome is unknown. */
export interface OpenOutcomes {
  /** Such as `payment` or `refund`. */
  readonly of: string;
  readonly count: number;
  readonly oldestSeconds: number;
  /** The same calls by age: younger than each limit, and not counted before. */
  readonly byAge: { readonly fiveMinutes: number; readonly hour: number; readonly day: number; readonly older: number };
}

/** Calls whose outcome is unknown, including those not listed yet, of all providers. */
export async function selectOpenOutcomes(db: Database, sources: ExceptionSources): Promise<OpenOutcomes[]> {
  const { rows } = await openOutcomesStatement(sources).execute(db);
  return rows;
}

/** The statement of `selectOpenOutcomes`; exported so that a test can check its query plan. */
export function openOutcomesStatement({ queries, clocks }: ExceptionSources): RawBuilder<OpenOutcomes> {
  return sql`select x.facts ->> 'of' as of, count(*)::int as count,
      extract(epoch from max(p.now - x.since))::float8 as "oldestSeconds",
      jsonb_build_object(
        'fiveMinutes', count(*) filter (where x.since > p.now - interval '5 minutes'),
        'hour', count(*) filter (where x.since <= p.now - interval '5 minutes' and x.since > p.now - interval '1 hour'),
        'day', count(*) filter (where x.since <= p.now - interval '1 hour' and x.since > p.now - interval '1 day'),
        'older', count(*) filter (where x.since <= p.now - interval '1 day')) as "byAge"
    from ${listed(impatient(queries), clocks)} and x.kind = 'outcome_unknown' and x.since <= p.now
    group by x.facts ->> 'of' order by 1`;
}

/** Calls whose connector is not the party's present one: `of` is the kind of call, or of the exception. */
export interface CallsElsewhere {
  readonly of: string;
  readonly connector: string;
  readonly count: number;
}

/** Counts the calls at each connector that is not configured any more, including those not listed yet. */
export async function selectCallsElsewhere(
  db: Database,
  { queries, clocks }: ExceptionSources,
): Promise<CallsElsewhere[]> {
  const { rows } = await sql<CallsElsewhere>`
    select coalesce(x.facts ->> 'of', x.kind) as of, x.facts ->> 'connector' as connector, count(*)::int as count
    from ${listed(
      queries.map(({ rows }) => ({ rows })),
      clocks,
    )} and x.facts ->> 'connector' is not null
    group by 1, 2 order by 1, 2`.execute(db);
  return rows;
}

/** The queries whose rows are listed only later, without that delay. */
function impatient(queries: ExceptionSources["queries"]): ExceptionQuery[] {
  return queries.flatMap(({ rows, afterHours }) => (afterHours === undefined ? [] : [{ rows }]));
}

/** The sources of a statement, joined as `x`, with the condition that they are listed. */
function listed(queries: ExceptionSources["queries"], clocks: ExceptionSources["clocks"]): RawBuilder<unknown> {
  return sql`(${sql.join(queries.map(withPatience), sql` union all `)}) as x
    join (${clocks}) as p on p.id = x.provider_id
    left join handled_matters h on h.provider_id = x.provider_id and h.kind = x.kind and h.subject = x.subject
    where (x.patience is null or x.since < p.now - x.patience) and (h.handled_at is null or h.handled_at < x.since)`;
}

/** The rows of one query, except recent ones that may still settle by themselves. */
function withPatience({ rows, afterHours }: ExceptionQuery): RawBuilder<unknown> {
  const patience = sql`${afterHours ?? null}::int * interval '1 hour'`;
  return sql`select kind, provider_id, subject, order_id, since, facts, ${patience} as patience from (${rows}) as rows`;
}

/** Dismisses an exception until it occurs again. `at` is the provider's time. */
export async function insertHandled(
  tx: Transaction,
  { providerId, kind, subject }: ExceptionName,
  handled: { readonly actor: string; readonly note: string | null; readonly at: Date },
): Promise<void> {
  const values = { actor: handled.actor, note: handled.note, handled_at: handled.at };
  await tx
    .insertInto("handled_matters")
    .values({ provider_id: providerId, kind, subject, ...values })
    .onConflict((conflict) => conflict.columns(["provider_id", "kind", "subject"]).doUpdateSet(values))
    .execute();
}
