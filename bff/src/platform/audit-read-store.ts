import type { AuditEntry } from "./audit-store.ts";
import type { Database } from "./database/transaction.ts";

/** A row of the audit trail as people read it. */
export type ShownAuditEntry = Pick<AuditEntry, "providerId" | "actor" | "act" | "subject" | "at"> & {
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
