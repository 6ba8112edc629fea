import type { Database } from "./database/transaction.ts";
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
  const { id, actor, act, subject, details = {}, at } = entry;
  await tx
    .insertInto("audit_log")
    .values({
      id: orderedId(id, at),
      provider_id: entry.providerId,
      actor,
      credential_id: entry.credentialId,
      act,
      subject_kind: subject.kind,
      subject_id: subject.id,
      details: JSON.stringify(details),
      at,
    })
    .execute();
}
