import { sql } from "kysely";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";

/** Identifies a call. Each has one row, which is never deleted. */
export interface CallName {
  readonly operation: string;
  readonly providerId: string;
  readonly idempotencyKey: string;
}

export interface CallRow {
  readonly inputSha256: string;
  readonly calledAt: Date;
  readonly begunAt: Date;
  readonly plan: unknown;
  /** Null until the party's answer is known. */
  readonly answer: unknown;
}

export interface UnansweredCall extends CallName {
  readonly begunAt: Date;
  readonly plan: unknown;
}

/** Calls and inquiries of one name follow one another, so that `not_found` and a late call exclude each other. */
export async function lockCall(tx: Transaction, { operation, providerId, idempotencyKey }: CallName): Promise<void> {
  const name = JSON.stringify([operation, providerId, idempotencyKey]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
}

export async function findCall(db: Database, name: CallName): Promise<CallRow | undefined> {
  const { rows } = await sql<CallRow>`
    select input_sha256 as "inputSha256", called_at as "calledAt", begun_at as "begunAt", plan, answer
    from connector_calls
    where operation = ${name.operation} and provider_id = ${name.providerId}
      and idempotency_key = ${name.idempotencyKey}
  `.execute(db);
  return rows[0];
}

export async function insertCall(
  tx: Transaction,
  name: CallName,
  call: { readonly inputSha256: string; readonly calledAt: Date; readonly begunAt: Date; readonly plan: unknown },
): Promise<void> {
  const plan = call.plan === undefined ? null : JSON.stringify(call.plan);
  await sql`
    insert into connector_calls (operation, provider_id, idempotency_key, input_sha256, called_at, begun_at, plan)
    values (${name.operation}, ${name.providerId}, ${name.idempotencyKey}, ${call.inputSha256},
      ${call.calledAt}::timestamptz, ${call.begunAt}::timestamptz, ${plan}::jsonb)
  `.execute(tx);
}

/**
 * Deletes the plan, which may hold personal data. `settled`: an operator states the outcome. The first answer stays.
 */
export async function recordAnswer(
  tx: Transaction,
  name: CallName,
  {
    answer,
    at,
    settled,
  }: {
    readonly answer: unknown;
    readonly at: Date;
    readonly settled?: { readonly by: string; readonly because: string };
  },
): Promise<void> {
  await sql`
    update connector_calls set answer = ${JSON.stringify(answer)}::jsonb, answered_at = ${at}::timestamptz, plan = null,
      settled_by = ${settled?.by ?? null}, settled_because = ${settled?.because ?? null}
    where operation = ${name.operation} and provider_id = ${name.providerId}
      and idempotency_key = ${name.idempotencyKey} and answer is null
  `.execute(tx);
}

/** Removes a call that provably had no effect at the party. */
export async function deleteCall(tx: Transaction, name: CallName): Promise<void> {
  await sql`
    delete from connector_calls
    where operation = ${name.operation} and provider_id = ${name.providerId}
      and idempotency_key = ${name.idempotencyKey} and answer is null
  `.execute(tx);
}

export async function insertMissedCall(tx: Transaction, name: CallName, inquiredAt: Date): Promise<void> {
  await sql`
    insert into connector_missed_calls (operation, provider_id, idempotency_key, inquired_at)
    values (${name.operation}, ${name.providerId}, ${name.idempotencyKey}, ${inquiredAt}::timestamptz)
    on conflict (operation, provider_id, idempotency_key)
      do update set inquired_at = greatest(connector_missed_calls.inquired_at, excluded.inquired_at)
  `.execute(tx);
}

/** Whether an inquiry from after the call was answered with `not_found`. */
export async function isMissed(tx: Transaction, name: CallName, calledAt: Date): Promise<boolean> {
  const { rows } = await sql`
    select 1 from connector_missed_calls
    where operation = ${name.operation} and provider_id = ${name.providerId}
      and idempotency_key = ${name.idempotencyKey} and inquired_at > ${calledAt}::timestamptz
  `.execute(tx);
  return rows.length > 0;
}

/** The calls with an unknown outcome that began before a moment, oldest first. */
export async function listUnanswered(db: Database, before: Date): Promise<readonly UnansweredCall[]> {
  const { rows } = await sql<UnansweredCall>`
    select operation, provider_id as "providerId", idempotency_key as "idempotencyKey", begun_at as "begunAt", plan
    from connector_calls where answer is null and begun_at < ${before}::timestamptz order by begun_at limit 1000
  `.execute(db);
  return rows;
}
