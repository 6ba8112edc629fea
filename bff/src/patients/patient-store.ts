import { sql } from "kysely";
import type { Insurer } from "../contract/onboarding.ts";
import { type Email, emailKey } from "../contract/vocabulary/email.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import { caller, NO_COLUMN, type ReadColumn, type RowInColumn, rowInColumn } from "../platform/database/read-column.ts";
import type { BeneficiariesRow } from "../platform/database/tables.ts";
import type { Database, StatementPart, Transaction } from "../platform/database/transaction.ts";
import { type Beneficiary, type BeneficiaryKey, type NewBeneficiary, SHARED_TENANT } from "./beneficiary.ts";

/**
 * The patient with a RUT in the caller's tenant, as a column of the statement that admits a request. If there is none:
 * the caller's newest unproven registration. Always null if `rut` is null. `hasOwnPatients`: whether the caller has its
 * own tenant.
 */
export function ownBeneficiaryColumn(rut: Rut | null, hasOwnPatients: boolean): ReadColumn<Beneficiary> {
  if (rut === null) return NO_COLUMN;
  const tenant = tenantOfProvider(caller.providerId, hasOwnPatients);
  return {
    column: sql`(select to_json(found) from (
      select b.*, u.email from beneficiaries as b join users as u on u.id = b.user_id
      where b.rut = ${rut}
        and (b.tenant = ${tenant} or (b.provider_id = ${caller.providerId} and b.proof_until is not null))
      order by b.proof_until desc nulls first limit 1) as found)`,
    read: readBeneficiaryColumn,
  };
}

function tenantOfProvider(providerId: StatementPart, hasOwnPatients: boolean): StatementPart {
  return hasOwnPatients ? sql`${providerId}::text` : sql`${SHARED_TENANT}`;
}

/** The record of a RUT in a provider's tenant, as a column of a statement. Both are SQL expressions. */
export function recordColumn(
  { providerId, rut }: { readonly providerId: StatementPart; readonly rut: StatementPart },
  hasOwnPatients: boolean,
): ReadColumn<Beneficiary> {
  return beneficiaryColumn({ tenant: tenantOfProvider(providerId, hasOwnPatients), rut });
}

/** The record of a RUT at a provider, as a column of a statement. The provider's environment is an SQL expression. */
export function recordAtColumn(
  { providerId, rut }: { readonly providerId: StatementPart; readonly rut: StatementPart },
  environment: StatementPart,
): ReadColumn<Beneficiary> {
  const tenant = sql`case ${environment} when 'production' then ${SHARED_TENANT} else ${providerId}::text end`;
  return beneficiaryColumn({ tenant, rut: sql`${rut}` });
}

/** The patient with a RUT in a domain, as a column of a statement. Both are SQL expressions. */
export function beneficiaryColumn(key: {
  readonly tenant: StatementPart;
  readonly rut: StatementPart;
}): ReadColumn<Beneficiary> {
  return {
    column: sql`(select to_json(found) from (
      select b.*, u.email from beneficiaries as b join users as u on u.id = b.user_id
      where b.tenant = ${key.tenant} and b.rut = ${key.rut}) as found)`,
    read: readBeneficiaryColumn,
  };
}

/** Parses a column with a patient; null if there is none. */
export function readBeneficiaryColumn(column: unknown): Beneficiary | null {
  if (column === null) return null;
  const { email, ...row } = column as RowInColumn<BeneficiariesRow> & { readonly email: Email };
  return toBeneficiary({ ...rowInColumn<BeneficiariesRow>(row, BENEFICIARY_MOMENTS), email });
}

const BENEFICIARY_MOMENTS = [
  "created_at",
  "insurer_access_at",
  "proof_until",
  "identity_matched_at",
  "contact_changed_at",
] as const;

/** Reads a patient; `null` if the RUT is not registered. */
export async function readBeneficiary(db: Database, { tenant, rut }: BeneficiaryKey): Promise<Beneficiary | null> {
  const row = await beneficiaries(db).where("b.tenant", "=", tenant).where("b.rut", "=", rut).executeTakeFirst();
  return row === undefined ? null : toBeneficiary(row);
}

export async function readBeneficiaryById(db: Database, id: string): Promise<Beneficiary | null> {
  const row = await beneficiaries(db).where("b.id", "=", id).executeTakeFirst();
  return row === undefined ? null : toBeneficiary(row);
}

/** Reads a patient with a shared lock. The record cannot change until the transaction ends. */
export async function shareBeneficiary(tx: Transaction, id: string): Promise<Beneficiary | null> {
  await sql`select 1 from beneficiaries where id = ${id} for share`.execute(tx);
  return readBeneficiaryById(tx, id);
}

/** Locks and reads a patient, so that concurrent changes run one after another. */
export async function lockBeneficiary(tx: Transaction, key: BeneficiaryKey): Promise<Beneficiary | null> {
  const { rows } = await sql<{ found: unknown }>`select ${lockedBeneficiary(key)} as found`.execute(tx);
  return readBeneficiaryColumn(rows[0]?.found ?? null);
}

/** Locks a patient and reads it as a column, with a database function (`0350_lock_patients.sql`). */
export function lockedBeneficiary({ tenant, rut }: BeneficiaryKey): StatementPart {
  return sql`lock_beneficiary(${tenant}, ${rut})`;
}

/** Locks and reads a patient by the record's id, which stays the same when the RUT becomes a pseudonym. */
export async function lockBeneficiaryById(tx: Transaction, id: string): Promise<Beneficiary | null> {
  const { rows } = await sql<{ found: unknown }>`select lock_beneficiary_by_id(${id}::uuid) as found`.execute(tx);
  return readBeneficiaryColumn(rows[0]?.found ?? null);
}

/**
 * Inserts a patient and, if needed, the user of the address, in one statement. Returns null and inserts nothing if the
 * RUT is already registered, or if another transaction is inserting the address's user. Waits for a concurrent deletion
 * of the user and then inserts a new one. `alongside`: further CTEs, which write if `registered` has a row.
 */
export async function insertBeneficiary(
  tx: Transaction,
  person: NewBeneficiary,
  made: {
    readonly beneficiaryId: string;
    readonly userId: string;
    /** The tenant of the mailbox. A registration's own domain has no users. */
    readonly userTenant: string;
    /** Null for a proven registration. */
    readonly proofUntil: Date | null;
    readonly at: Date;
  },
  alongside: readonly StatementPart[] = [],
): Promise<Beneficiary | null> {
  const { tenant, rut, email, firstName, lastName, phoneNumber, insurer, sealedInsurerAccess } = person;
  const { beneficiaryId: id, proofUntil, at } = made;
  const key = emailKey(email);
  const insurerAccessAt = sealedInsurerAccess === null ? null : at;
  const { rows } = await sql<{ user_id: string; email: Email }>`
    with known as (
      select id, email from users where tenant = ${made.userTenant} and email_key = ${key} for key share
    ), added as (
      insert into users (id, tenant, email, email_key, created_at)
      select ${made.userId}::uuid, ${made.userTenant}, ${email}, ${key}, ${at}::timestamptz
      where not exists (select from known)
      on conflict (tenant, email_key) do nothing
      returning id, email
    ), owner as (
      select id, email from known union all select id, email from added
    ), registered as (
      insert into beneficiaries (id, tenant, rut, user_id, provider_id, first_name, last_name, phone_number, insurer,
        sealed_insurer_access, insurer_access_at, created_at, updated_at, proof_until)
      select ${id}::uuid, ${tenant}, ${rut}, owner.id, ${person.providerId}::uuid, ${firstName}, ${lastName}, ${phoneNumber},
        ${insurer}, ${sealedInsurerAccess}, ${insurerAccessAt}::timestamptz, ${at}::timestamptz, ${at}::timestamptz,
        ${proofUntil}::timestamptz
      from owner
      on conflict (tenant, rut) do nothing
      returning user_id
    )${sql.join(
      alongside.map((part) => sql`, ${part}`),
      sql``,
    )}
    select registered.user_id, owner.email from registered join owner on owner.id = registered.user_id
  `.execute(tx);
  if (rows[0] === undefined) return null;
  const { user_id: userId, email: ownerEmail } = rows[0];
  const access = { sealedInsurerAccess, insurerAccessAt };
  return {
    id,
    tenant,
    rut,
    userId,
    email: ownerEmail,
    firstName,
    lastName,
    phoneNumber,
    insurer,
    ...access,
    createdAt: at,
    proofUntil,
    provedBy: null,
    identityMatchedAt: null,
    contactChangedAt: null,
  };
}

/**
 * Returns the user of an e-mail address, creating it if needed. Ignores letter case. The user cannot be deleted until
 * the transaction ends.
 */
export async function userOf(
  tx: Transaction,
  owner: { readonly tenant: string; readonly email: Email },
  made: { readonly id: string; readonly at: Date },
): Promise<string> {
  const key = emailKey(owner.email);
  for (;;) {
    await tx
      .insertInto("users")
      .values({ id: made.id, tenant: owner.tenant, email: owner.email, email_key: key, created_at: made.at })
      .onConflict((conflict) => conflict.columns(["tenant", "email_key"]).doNothing())
      .execute();
    const row = await tx
      .selectFrom("users")
      .select("id")
      .where("tenant", "=", owner.tenant)
      .where("email_key", "=", key)
      .forKeyShare()
      .executeTakeFirst();
    if (row !== undefined) return row.id;
    // The user existed at the insert and was deleted since, so try again.
  }
}

/** Replaces the sealed insurer access. Returns whether the patient exists. */
export async function writeInsurerAccess(
  tx: Transaction,
  beneficiaryId: string,
  access: {
    readonly sealed: string;
    /** The insurer that the password belongs to, if the patient has changed it. */
    readonly insurer?: Insurer;
    readonly at: Date;
  },
): Promise<boolean> {
  const result = await tx
    .updateTable("beneficiaries")
    .set({
      sealed_insurer_access: access.sealed,
      insurer_access_at: access.at,
      updated_at: access.at,
      ...(access.insurer !== undefined && { insurer: access.insurer }),
    })
    .where("id", "=", beneficiaryId)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Deletes a sealed insurer access. Returns whether there was one. */
export async function deleteInsurerAccess(tx: Transaction, beneficiaryId: string, at: Date): Promise<boolean> {
  const result = await tx
    .updateTable("beneficiaries")
    .set({ sealed_insurer_access: null, insurer_access_at: null, updated_at: at })
    .where("id", "=", beneficiaryId)
    .where("sealed_insurer_access", "is not", null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Moves a patient's record to another user. Deletes the insurer access. */
export async function moveToUser(
  tx: Transaction,
  beneficiaryId: string,
  move: { readonly userId: string; readonly at: Date },
): Promise<void> {
  await tx
    .updateTable("beneficiaries")
    .set({
      user_id: move.userId,
      sealed_insurer_access: null,
      insurer_access_at: null,
      contact_changed_at: move.at,
      updated_at: move.at,
    })
    .where("id", "=", beneficiaryId)
    .execute();
}

/** Records when the registry has matched a patient; null revokes an earlier match. */
export async function writeIdentityMatch(tx: Transaction, beneficiaryId: string, at: Date | null): Promise<void> {
  await tx.updateTable("beneficiaries").set({ identity_matched_at: at }).where("id", "=", beneficiaryId).execute();
}

/** Beneficiaries with their mailboxes, in the shape that `toBeneficiary` reads. */
export function beneficiaries(db: Database) {
  return db
    .selectFrom("beneficiaries as b")
    .innerJoin("users as u", "u.id", "b.user_id")
    .select(["b.id", "b.tenant", "b.rut", "b.user_id", "u.email", "b.first_name", "b.last_name", "b.phone_number"])
    .select(["b.insurer", "b.sealed_insurer_access", "b.insurer_access_at", "b.created_at"])
    .select(["b.proof_until", "b.proved_by", "b.identity_matched_at", "b.contact_changed_at"]);
}

export function toBeneficiary(
  row: Omit<BeneficiariesRow, "provider_id" | "updated_at" | "blocked_at"> & { email: Email },
): Beneficiary {
  return {
    id: row.id,
    tenant: row.tenant,
    rut: row.rut,
    userId: row.user_id,
    email: row.email,
    firstName: row.first_name,
    lastName: row.last_name,
    phoneNumber: row.phone_number,
    insurer: row.insurer,
    sealedInsurerAccess: row.sealed_insurer_access,
    insurerAccessAt: row.insurer_access_at,
    createdAt: row.created_at,
    proofUntil: row.proof_until,
    provedBy: row.proved_by,
    identityMatchedAt: row.identity_matched_at,
    contactChangedAt: row.contact_changed_at,
  };
}
