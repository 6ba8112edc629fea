import { sql } from "kysely";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";
import type { Fault, FaultKind, FaultyGateway } from "./faults.ts";

/** The name of a call that arrived at a gateway of the sandbox. */
export interface CallName {
  readonly providerId: string;
  readonly party: FaultyGateway;
  readonly operation: string;
  readonly idempotencyKey: string;
}

/**
 * Records that a call arrived. Returns false if a call of this name is recorded already, or if it was sent before an
 * inquiry that was answered with "never arrived". Waits for a concurrent call of the same name.
 */
export async function claimCall(
  tx: Transaction,
  name: CallName,
  { inputSha256, at, answerFrom }: { inputSha256: string; at: Date; answerFrom: Date },
): Promise<boolean> {
  const { providerId, party, operation, idempotencyKey } = name;
  const { rows } = await sql`
    insert into sandbox_calls (provider_id, party, operation, idempotency_key, input_sha256, answer_from, called_at)
    select ${providerId}, ${party}, ${operation}, ${idempotencyKey}, ${inputSha256}, ${answerFrom}::timestamptz,
      ${at}::timestamptz
    where not exists (
      select from sandbox_missed_calls
      where provider_id = ${providerId} and party = ${party} and operation = ${operation}
        and idempotency_key = ${idempotencyKey} and asked_at > ${at}::timestamptz
    )
    on conflict do nothing
    returning idempotency_key
  `.execute(tx);
  return rows.length === 1;
}

/** Records that an inquiry found no call, so that the same call has no effect if it arrives late. */
export async function missCall(db: Database, name: CallName, askedAt: Date): Promise<void> {
  await db
    .insertInto("sandbox_missed_calls")
    .values({
      provider_id: name.providerId,
      party: name.party,
      operation: name.operation,
      idempotency_key: name.idempotencyKey,
      asked_at: askedAt,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["provider_id", "party", "operation", "idempotency_key"])
        .doUpdateSet({ asked_at: sql`greatest(sandbox_missed_calls.asked_at, excluded.asked_at)` }),
    )
    .execute();
}

/** Stores the answer of a call that `claimCall` recorded in the same transaction. */
export async function recordAnswer(tx: Transaction, name: CallName, answer: unknown): Promise<void> {
  await tx
    .updateTable("sandbox_calls")
    .set({ answer: JSON.stringify(answer) })
    .where("provider_id", "=", name.providerId)
    .where("party", "=", name.party)
    .where("operation", "=", name.operation)
    .where("idempotency_key", "=", name.idempotencyKey)
    .execute();
}

/** Deletes a recorded call, so that it counts as never arrived. */
export async function forgetCall(db: Database, name: CallName): Promise<void> {
  await db
    .deleteFrom("sandbox_calls")
    .where("provider_id", "=", name.providerId)
    .where("party", "=", name.party)
    .where("operation", "=", name.operation)
    .where("idempotency_key", "=", name.idempotencyKey)
    .execute();
}

export interface KnownCall {
  readonly inputSha256: string;
  readonly answer: unknown;
  readonly answerFrom: Date;
  readonly calledAt: Date;
}

/** A call that arrived; undefined if it did not. */
export async function findCall(db: Database, name: CallName): Promise<KnownCall | undefined> {
  const row = await db
    .selectFrom("sandbox_calls")
    .select(["input_sha256", "answer", "answer_from", "called_at"])
    .where("provider_id", "=", name.providerId)
    .where("party", "=", name.party)
    .where("operation", "=", name.operation)
    .where("idempotency_key", "=", name.idempotencyKey)
    .executeTakeFirst();
  return (
    row && {
      inputSha256: row.input_sha256,
      answer: row.answer,
      answerFrom: row.answer_from,
      calledAt: row.called_at,
    }
  );
}

/** Takes the next fault that a tenant requested for this method; `null` if there is none. Each is used once. */
export async function takeFault(
  db: Database,
  { providerId, party, method }: { providerId: string; party: FaultyGateway; method: string },
): Promise<FaultKind | null> {
  const taken = await db
    .updateTable("sandbox_faults")
    .set({ remaining: sql`remaining - 1` })
    .where("provider_id", "=", providerId)
    .where("position", "=", (faults) =>
      faults
        .selectFrom("sandbox_faults")
        .select("position")
        .where("provider_id", "=", providerId)
        .where("party", "=", party)
        .where("method", "=", method)
        .where("remaining", ">", 0)
        .orderBy("position")
        .limit(1)
        .forUpdate(),
    )
    .returning("kind")
    .executeTakeFirst();
  return taken?.kind ?? null;
}

/** Whether a fault waits for the next call of a method. */
export async function hasFault(
  db: Database,
  { providerId, party, method }: { providerId: string; party: FaultyGateway; method: string },
): Promise<boolean> {
  const row = await db
    .selectFrom("sandbox_faults")
    .select("position")
    .where("provider_id", "=", providerId)
    .where("party", "=", party)
    .where("method", "=", method)
    .where("remaining", ">", 0)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Replaces a tenant's faults by these, in their order. */
export async function replaceFaults(tx: Transaction, providerId: string, faults: readonly Fault[]): Promise<void> {
  await tx.deleteFrom("sandbox_faults").where("provider_id", "=", providerId).execute();
  if (faults.length === 0) return;
  const rows = faults.map(({ party, method, kind, calls }, position) => ({
    provider_id: providerId,
    position,
    party,
    method,
    kind,
    remaining: calls,
  }));
  await tx.insertInto("sandbox_faults").values(rows).execute();
}

/** A tenant's unused faults. */
export async function listFaults(db: Database, providerId: string): Promise<Fault[]> {
  const rows = await db
    .selectFrom("sandbox_faults")
    .select(["party", "method", "kind", "remaining"])
    .where("provider_id", "=", providerId)
    .where("remaining", ">", 0)
    .orderBy("position")
    .execute();
  return rows.map(({ party, remaining, ...fault }) => ({ ...fault, party: party as FaultyGateway, calls: remaining }));
}
