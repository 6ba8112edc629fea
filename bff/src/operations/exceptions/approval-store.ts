import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { ExceptionName } from "./exception.ts";

export interface Approval {
  readonly exception: ExceptionName;
  /** The exception as the operator saw it. */
  readonly version: string;
  readonly resolution: string;
  readonly actor: string;
}

/** Notes what the first of two operators wants of an exception, in place of what was wanted before. */
export async function writeApproval(
  tx: Transaction,
  { exception: { providerId, kind, subject }, version, resolution, actor }: Approval,
  at: Date,
): Promise<void> {
  const wanted = { version, resolution, actor, approved_at: at };
  await tx
    .insertInto("resolution_approvals")
    .values({ provider_id: providerId, kind, subject, ...wanted })
    .onConflict((conflict) => conflict.columns(["provider_id", "kind", "subject"]).doUpdateSet(wanted))
    .execute();
}

/** Uses up the approval of another operator for the same, and returns who gave it; null if there is none. */
export async function takeApproval(
  tx: Transaction,
  { exception: { providerId, kind, subject }, version, resolution, actor }: Approval,
): Promise<string | null> {
  const row = await tx
    .deleteFrom("resolution_approvals")
    .where("provider_id", "=", providerId)
    .where("kind", "=", kind)
    .where("subject", "=", subject)
    .where("version", "=", version)
    .where("resolution", "=", resolution)
    .where("actor", "<>", actor)
    .returning("actor")
    .executeTakeFirst();
  return row?.actor ?? null;
}

export interface GivenApproval extends Pick<Approval, "resolution" | "actor"> {
  readonly approvedAt: Date;
}

/** What the first of two operators wants of an exception of a version; null if nobody has asked. */
export async function readApproval(
  db: Database,
  { exception: { providerId, kind, subject }, version }: Pick<Approval, "exception" | "version">,
): Promise<GivenApproval | null> {
  const row = await db
    .selectFrom("resolution_approvals")
    .select(["resolution", "actor", "approved_at"])
    .where("provider_id", "=", providerId)
    .where("kind", "=", kind)
    .where("subject", "=", subject)
    .where("version", "=", version)
    .executeTakeFirst();
  return row === undefined ? null : { resolution: row.resolution, actor: row.actor, approvedAt: row.approved_at };
}
