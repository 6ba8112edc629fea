import { type RawBuilder, sql } from "kysely";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { ExceptionQuery, ExceptionRow } from "../platform/exceptions.ts";
import type { ExceptionName, ListedException } from "./exceptions/exception.ts";
import type { ExceptionKind } from "./exceptions/exception-kinds.ts";

export interface ExceptionSources {
  readonly queries: readonly ExceptionQuery[];
  /** Selects the providers whose exceptions are listed, each with its current time: `id, now`. */
  readonly clocks: RawBuilder<unknown>;
}

export interface ExceptionFilter {
  /** Lists this provider's exceptions only; `null`: those of all providers. */
  readonly providerId: string | null;
  readonly limit: number;
  /** Lists only the exception with this name. */
  readonly named?: ExceptionName;
  /** Lists only exceptions of this order. */
  readonly orderId?: OrderId;
}

/** How many exceptions of each kind are listed, for all providers. */
export async function countExceptionsByKind(db: Database, sources: ExceptionSources): Promise<Map<string, number>> {
  const { rows } = await countStatement(sources).execute(db);
  return new Map(rows.map(({ kind, count }) => [kind, count]));
}

/** The statement of `countExceptionsByKind`; exported so that a test can check its query plan. */
export function countStatement({ queries, clocks }: ExceptionSources): RawBuilder<{ kind: string; count: number }> {
  return sql`select x.kind, count(*)::int as count from ${listed(queries, clocks)} group by x.kind`;
}

/** The exceptions that were not dismissed since they last occurred, oldest first. */
export async function selectExceptions(
  db: Database,
  { queries, clocks }: ExceptionSources,
  { providerId, limit, named, orderId }: ExceptionFilter,
): Promise<ListedException[]> {
  const { rows } = await sql<Omit<ExceptionRow, "kind"> & { kind: ExceptionKind }>`
    select x.kind, x.provider_id, x.subject, x.order_id, x.since, x.facts
    from ${listed(queries, clocks)} and (${providerId}::uuid is null or x.provider_id = ${providerId}::uuid)
      and (${named?.kind ?? null}::text is null or x.kind = ${named?.kind ?? null}::text)
      and (${named?.subject ?? null}::text is null or x.subject = ${named?.subject ?? null}::text)
      and (${orderId ?? null}::uuid is null or x.order_id = ${orderId ?? null}::uuid)
    order by x.since, x.kind, x.subject
    limit ${limit}
  `.execute(db);
  return rows.map(({ kind, provider_id, subject, order_id, since, facts }) => ({
    kind,
    providerId: provider_id,
    subject,
    orderId: order_id,
    since,
    facts,
  }));
}

/** Calls of a kind whose outcome is unknown. */
export interface OpenOutcomes {
  /** Such as `payment` or `refund`. */
  readonly of: string;
  readonly count: number;
  readonly oldestSeconds: number;
}

/** Calls whose outcome is unknown, including those not listed yet, of all providers. */
export async function selectOpenOutcomes(db: Database, sources: ExceptionSources): Promise<OpenOutcomes[]> {
  const { rows } = await openOutcomesStatement(sources).execute(db);
  return rows;
}

/** The statement of `selectOpenOutcomes`; exported so that a test can check its query plan. */
export function openOutcomesStatement({ queries, clocks }: ExceptionSources): RawBuilder<OpenOutcomes> {
  const impatient = queries.flatMap(({ rows, afterHours }) => (afterHours === undefined ? [] : [{ rows }]));
  return sql`select x.facts ->> 'of' as of, count(*)::int as count,
      extract(epoch from max(p.now - x.since))::float8 as "oldestSeconds"
    from ${listed(impatient, clocks)} and x.kind = 'outcome_unknown' and x.since <= p.now
    group by x.facts ->> 'of' order by 1`;
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
