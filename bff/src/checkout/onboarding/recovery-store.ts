import type { Selectable } from "kysely";
import type { Email } from "../../contract/vocabulary/email.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { EmailChangesRow, RecoveriesRow } from "../../platform/database/tables.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";

type Way = "email_code" | "identity";
/** The national registry's answer to a serial. */
type RegistryAnswer = "match" | "no_match" | "document_not_valid" | "unavailable";

/** A code that was sent, and its purpose. */
export interface Recovery {
  readonly id: string;
  readonly beneficiaryId: string;
  readonly providerId: string;
  readonly widgetTokenId: string;
  readonly way: Way;
  readonly email: Email;
  readonly codeHash: string;
  /** True once the code has been answered correctly. */
  readonly isVerified: boolean;
  readonly tries: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/**
 * The times since a moment at which codes were sent to a patient: with tokens of an order, or (null) with tokens
 * without one.
 */
export async function readCodesSent(
  db: Database,
  {
    beneficiaryId,
    orderId,
    since,
  }: { readonly beneficiaryId: string; readonly orderId: OrderId | null; readonly since: Date },
): Promise<Date[]> {
  const rows = await db
    .selectFrom("recoveries")
    .innerJoin("widget_tokens", "widget_tokens.id", "recoveries.widget_token_id")
    .select("recoveries.created_at")
    .where("recoveries.beneficiary_id", "=", beneficiaryId)
    .where("recoveries.created_at", ">", since)
    .where("widget_tokens.order_id", "is not distinct from", orderId)
    .execute();
  return rows.map(({ created_at }) => created_at);
}

/** Stores a recovery, replacing the open one under the same token. */
export async function insertRecovery(tx: Transaction, recovery: Omit<Recovery, "isVerified">): Promise<void> {
  await tx
    .updateTable("recoveries")
    .set({ state: "replaced" })
    .where("beneficiary_id", "=", recovery.beneficiaryId)
    .where("widget_token_id", "=", recovery.widgetTokenId)
    .where("state", "=", "open")
    .execute();
  await tx
    .insertInto("recoveries")
    .values({
      id: recovery.id,
      beneficiary_id: recovery.beneficiaryId,
      provider_id: recovery.providerId,
      widget_token_id: recovery.widgetTokenId,
      way: recovery.way,
      email: recovery.email,
      code_hash: recovery.codeHash,
      state: "open",
      tries: recovery.tries,
      created_at: recovery.createdAt,
      expires_at: recovery.expiresAt,
    })
    .execute();
}

/** Locks and reads a patient's newest code under a token, open or answered; null if there is none. */
export async function lockRecovery(
  tx: Transaction,
  bound: { readonly beneficiaryId: string; readonly widgetTokenId: string },
): Promise<Recovery | null> {
  const row = await tx
    .selectFrom("recoveries")
    .selectAll()
    .where("beneficiary_id", "=", bound.beneficiaryId)
    .where("widget_token_id", "=", bound.widgetTokenId)
    .where("state", "in", ["open", "verified"])
    .orderBy("created_at", "desc")
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? null : toRecovery(row);
}

export async function writeTry(
  tx: Transaction,
  id: string,
  after: { readonly tries: number; readonly verified: boolean },
): Promise<void> {
  await tx
    .updateTable("recoveries")
    .set({ tries: after.tries, state: after.verified ? "verified" : "open" })
    .where("id", "=", id)
    .execute();
}

/** Invalidates all earlier codes of a patient. */
export async function replaceRecoveries(tx: Transaction, beneficiaryId: string): Promise<void> {
  await tx
    .updateTable("recoveries")
    .set({ state: "replaced" })
    .where("beneficiary_id", "=", beneficiaryId)
    .where("state", "in", ["open", "verified"])
    .execute();
}

export async function insertIdentityCheck(
  tx: Transaction,
  check: { readonly id: string; readonly beneficiaryId: string; readonly orderId: OrderId | null; readonly at: Date },
): Promise<void> {
  await tx
    .insertInto("recovery_identity_checks")
    .values({
      id: check.id,
      beneficiary_id: check.beneficiaryId,
      order_id: check.orderId,
      outcome: "asked",
      asked_at: check.at,
    })
    .execute();
}

export async function writeIdentityOutcome(db: Database, id: string, outcome: RegistryAnswer): Promise<void> {
  await db.updateTable("recovery_identity_checks").set({ outcome }).where("id", "=", id).execute();
}

/**
 * The times of a patient's serial checks that did not match or have no answer yet. `orderId`: checks with its tokens,
 * or (null) with tokens of no order.
 */
export async function readCountedChecks(
  db: Database,
  counted: {
    readonly beneficiaryId: string;
    readonly orderId: OrderId | null;
    readonly since: Date;
    readonly askedSince: Date;
  },
): Promise<Date[]> {
  const rows = await db
    .selectFrom("recovery_identity_checks")
    .select("asked_at")
    .where("beneficiary_id", "=", counted.beneficiaryId)
    .where("order_id", "is not distinct from", counted.orderId)
    .where("asked_at", ">", counted.since)
    .where((where) =>
      where.or([
        where("outcome", "in", ["no_match", "document_not_valid"]),
        where.and([where("outcome", "=", "asked"), where("asked_at", ">", counted.askedSince)]),
      ]),
    )
    .execute();
  return rows.map(({ asked_at }) => asked_at);
}

/** A change of the e-mail address under which a RUT is registered. */
export interface EmailChange {
  readonly id: string;
  readonly beneficiaryId: string;
  readonly providerId: string;
  readonly oldUserId: string;
  readonly newUserId: string;
  readonly widgetTokenId: string;
  readonly changedAt: Date;
  readonly objectionUntil: Date;
}

export async function insertEmailChange(tx: Transaction, change: EmailChange): Promise<void> {
  await tx
    .insertInto("email_changes")
    .values({
      id: change.id,
      beneficiary_id: change.beneficiaryId,
      provider_id: change.providerId,
      old_user_id: change.oldUserId,
      new_user_id: change.newUserId,
      widget_token_id: change.widgetTokenId,
      changed_at: change.changedAt,
      objection_until: change.objectionUntil,
      objected_at: null,
    })
    .execute();
}

/** Locks and reads the change that a token can object to; null if there already was an objection. */
export async function lockEmailChange(tx: Transaction, widgetTokenId: string): Promise<EmailChange | null> {
  const row = await tx
    .selectFrom("email_changes")
    .selectAll()
    .where("widget_token_id", "=", widgetTokenId)
    .where("objected_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? null : toEmailChange(row);
}

/** Stores the objection to a change and to all later changes of the same patient, which build on it. */
export async function writeObjection(tx: Transaction, change: EmailChange, at: Date): Promise<void> {
  await tx
    .updateTable("email_changes")
    .set({ objected_at: at })
    .where("beneficiary_id", "=", change.beneficiaryId)
    .where("changed_at", ">=", change.changedAt)
    .where("objected_at", "is", null)
    .execute();
}

/** When a change of a patient's address was last objected to; `null` if never. */
export async function readLastObjection(db: Database, beneficiaryId: string): Promise<Date | null> {
  const row = await db
    .selectFrom("email_changes")
    .select("objected_at")
    .where("beneficiary_id", "=", beneficiaryId)
    .where("objected_at", "is not", null)
    .orderBy("objected_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.objected_at ?? null;
}

function toRecovery(row: Selectable<RecoveriesRow>): Recovery {
  const { id, way, email, tries } = row;
  return {
    id,
    way,
    email,
    tries,
    beneficiaryId: row.beneficiary_id,
    providerId: row.provider_id,
    widgetTokenId: row.widget_token_id,
    codeHash: row.code_hash,
    isVerified: row.state === "verified",
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

function toEmailChange(row: Selectable<EmailChangesRow>): EmailChange {
  return {
    id: row.id,
    beneficiaryId: row.beneficiary_id,
    providerId: row.provider_id,
    oldUserId: row.old_user_id,
    newUserId: row.new_user_id,
    widgetTokenId: row.widget_token_id,
    changedAt: row.changed_at,
    objectionUntil: row.objection_until,
  };
}
