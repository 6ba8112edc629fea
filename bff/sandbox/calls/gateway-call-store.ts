import { sql } from "kysely";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";
import type { Fault, FaultKind, FaultyGateway } from "./faults.ts";

/** Names a call that arrived at a party of the sandbox. */
export interface CallName {
  readonly providerId: string;
  readonly party: FaultyGateway;
  readonly operation: string;
  readonly idempotencyKey: string;
}

/**
 * Writes down that a call arrived; false where a call of this name is known already, and where it was sent before somebody was
 * told that it never arrived. Waits for one that is under way.
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

/** Somebody is told that a call never arrived: from now on that is so. */
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

/** Keeps the answer of a call that `claimCall` wrote down in the same transaction. */
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

/** Makes a call that `claimCall` wrote down in the same transaction one that never arrived. */
export async function forgetCall(tx: Transaction, name: CallName): Promise<void> {
  await tx
    .deleteFrom("sandbox_calls")
    .where("provider_id", "=", name.providerId)
    .where("party", "=", name.party)
    .where("operation", "=", name.operation)
    .where("idempotency_key", "=", name.idempotencyKey)
    .execute();
}

/** A call that arrived; undefined where none did. */
export async function findCall(
  db: Database,
  name: CallName,
): Promise<{ inputSha256: string; answer: unknown; answerFrom: Date } | undefined> {
  const row = await db
    .selectFrom("sandbox_calls")
    .select(["input_sha256", "answer", "answer_from"])
    .where("provider_id", "=", name.providerId)
    .where("party", "=", name.party)
    .where("operation", "=", name.operation)
    .where("idempotency_key", "=", name.idempotencyKey)
    .executeTakeFirst();
  return row && { inputSha256: row.input_sha256, answer: row.answer, answerFrom: row.answer_from };
}

/** Takes the next misbehaviour that a tenant asked for of this method, if there is one; each is given out once. */
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

/** Makes these a tenant's faults, in their order, instead of those it had. */
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

/** A tenant's faults that are still to come. */
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
