import { sql } from "kysely";
import type { Database, StatementPart } from "./database/transaction.ts";
import { orderedId } from "./ids.ts";

/**
 * An audit entry: an actor, an act and its subject. Identifiers only, because more people read the audit trail than may
 * see the data.
 */
export interface AuditEntry {
  /** Random. The row's own id combines it with `at`. */
  id: string;
  providerId: string | null;
  /** `operator:<name>` in the command line, `credential:<kind>`, `patient`, or `service`. */
  actor: string;
  credentialId: string | null;
  /** The action, such as `credential.rotated`. */
  act: string;
  subject: { kind: string; id: string };
  /** Further facts, without personal data. */
  details?: object;
  at: Date;
}

/** Writes entries of the audit trail in one statement, in the transaction of the change. */
export async function recordAudit(tx: Database, ...entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const column = (read: (entry: AuditEntry) => string | Date | null) => sql`${entries.map(read)}`;
  await sql`
    insert into audit_log (id, provider_id, actor, credential_id, act, subject_kind, subject_id, details, at)
    select * from unnest(
      ${column(({ id, at }) => orderedId(id, at))}::uuid[], ${column(({ providerId }) => providerId)}::uuid[],
      ${column(({ actor }) => actor)}::text[], ${column(({ credentialId }) => credentialId)}::uuid[],
      ${column(({ act }) => act)}::text[], ${column(({ subject }) => subject.kind)}::text[],
      ${column(({ subject }) => subject.id)}::text[],
      ${column(({ details = {} }) => JSON.stringify(details))}::jsonb[], ${column(({ at }) => at)}::timestamptz[])`.execute(
    tx,
  );
}

/** The CTE `audited`, which writes an entry as part of a larger statement, if its CTE `source` has a row. */
export function auditRecordedWith(source: string, entry: AuditEntry): StatementPart {
  const { id, providerId, actor, credentialId, act, subject, details = {}, at } = entry;
  return sql`
    audited as (
      insert into audit_log (id, provider_id, actor, credential_id, act, subject_kind, subject_id, details, at)
      select ${orderedId(id, at)}::uuid, ${providerId}::uuid, ${actor}, ${credentialId}::uuid, ${act}, ${subject.kind},
        ${subject.id}, ${JSON.stringify(details)}::jsonb, ${at}::timestamptz
      where exists (select from ${sql.table(source)})
    )`;
}

/** A row of the audit trail as it is displayed. */
type ShownAuditEntry = Pick<AuditEntry, "providerId" | "actor" | "act" | "subject" | "at"> & {
  readonly details: Readonly<Record<string, unknown>>;
};

/** The newest rows of an actor and an act, or of any (null), before a moment. */
export async function readAuditTrail(
  db: Database,
  {
    actor,
    act,
    before,
    limit,
  }: {
    readonly actor: string | null;
    readonly act: string | null;
    readonly before: Date | null;
    readonly limit: number;
  },
): Promise<ShownAuditEntry[]> {
  let query = db
    .selectFrom("audit_log")
    .select(["provider_id", "actor", "act", "subject_kind", "subject_id", "details", "at"]);
  if (actor !== null) query = query.where("actor", "=", actor);
  if (act !== null) query = query.where("act", "=", act);
  if (before !== null) query = query.where("at", "<", before);
  const rows = await query.orderBy("at", "desc").orderBy("id", "desc").limit(limit).execute();
  return rows.map((row) => ({
    providerId: row.provider_id,
    actor: row.actor,
    act: row.act,
    subject: { kind: row.subject_kind, id: row.subject_id },
    details: row.details as Record<string, unknown>,
    at: row.at,
  }));
}

/** How often each of these acts was done to a kind of subject since a moment. */
export async function countActs(
  db: Database,
  {
    subjectKind,
    acts,
    since,
  }: { readonly subjectKind: string; readonly acts: readonly string[]; readonly since: Date },
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("audit_log")
    .select(({ fn }) => ["act", fn.countAll<string>().as("count")])
    .where("subject_kind", "=", subjectKind)
    .where("act", "in", [...acts])
    .where("at", ">", since)
    .groupBy("act")
    .execute();
  return new Map(rows.map(({ act, count }) => [act, Number(count)]));
}
