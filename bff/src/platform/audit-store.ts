import { sql } from "kysely";
import type { Database, StatementPart } from "./database/transaction.ts";
import { orderedId } from "./ids.ts";

/** Who changed what. Identifiers only: more people read the audit trail than may see the data. */
export interface AuditEntry {
  /** Random; the row's own is made of it and of `at`. */
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

/** Writes one entry of the audit trail, in the transaction of the change. */
export async function recordAudit(tx: Database, entry: AuditEntry): Promise<void> {
  await sql`with given as (select 1), ${auditRecordedWith("given", entry)} select 1`.execute(tx);
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
