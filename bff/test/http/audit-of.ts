import type { Database } from "../../src/platform/database/transaction.ts";
import type { Provider } from "../../src/platform/provider.ts";

/** The rows of the audit trail: actor, act, subject, provider and further facts. Oldest first. */
export const auditRows = (db: Database) =>
  db
    .selectFrom("audit_log")
    .select(["act", "actor", "credential_id", "provider_id", "subject_kind", "subject_id", "details"])
    .orderBy("at")
    // Rows written by one transaction have the same timestamp.
    .orderBy("act");

/** The rows about one subject. */
export const auditOf = (db: Database, subjectId: string) => auditRows(db).where("subject_id", "=", subjectId).execute();

/** The provider's credential that a row must name. */
export async function credentialId(
  db: Database,
  { id }: Pick<Provider, "id">,
  kind: "client_secret" | "secret_key",
): Promise<string> {
  const credentials = db.selectFrom("credentials").select("id").where("provider_id", "=", id).where("kind", "=", kind);
  return (await credentials.executeTakeFirstOrThrow()).id;
}
