import { sql } from "kysely";
import type { Rut } from "../contract/vocabulary/rut.ts";
import { LOCK_CLASSES } from "../platform/database/lock-classes.ts";
import type { ReadColumn } from "../platform/database/read-column.ts";
import type { Database, StatementPart, Transaction } from "../platform/database/transaction.ts";
import { type Beneficiary, type BeneficiaryKey, type NewBeneficiary, pseudonymOf, visitDomain } from "./beneficiary.ts";
import { beneficiaries, beneficiaryColumn, readBeneficiaryColumn, toBeneficiary } from "./patient-store.ts";

/** The rows that `lockRut` has locked until the transaction ends. Each is null if it does not exist. */
export interface LockedRut {
  readonly record: Beneficiary | null;
  readonly registration: Beneficiary | null;
}

/**
 * Locks a RUT, registered or not, then its record, then a registration, and reads both (`0350_lock_patients.sql`).
 * Serializes concurrent proofs.
 */
export async function lockRut(
  tx: Transaction,
  { tenant, rut }: BeneficiaryKey,
  registration: StatementPart = sql`null::json`,
): Promise<LockedRut> {
  const { rows } = await sql<{ record: unknown; registration: unknown }>`
    select lock_rut(${LOCK_CLASSES.rut}::int, ${tenant}, ${rut}) as record, ${registration} as registration`.execute(
    tx,
  );
  return {
    record: readBeneficiaryColumn(rows[0]?.record ?? null),
    registration: readBeneficiaryColumn(rows[0]?.registration ?? null),
  };
}

/**
 * Locks the newest registration for a RUT in one of these visits that may still be proved, and reads it as a column.
 * `widgetTokens` selects the visits' tokens.
 */
export function lockedUnproven({ widgetTokens, rut, now }: AskedRut & { readonly widgetTokens: StatementPart }) {
  return sql`lock_unproven(array(select ${visitDomain("")} || id from (${widgetTokens}) as visit), ${rut}, ${now}::timestamptz)`;
}

/** A RUT, and a moment after which its registrations must still be provable. */
interface AskedRut {
  readonly rut: Rut;
  readonly now: Date;
}

/** The newest registration for a RUT in one of these domains that may still be proved. */
export async function readUnproven(
  db: Database,
  { tenants, ...requested }: AskedRut & { readonly tenants: readonly string[] },
): Promise<Beneficiary | null> {
  return tenants.length === 0 ? null : newest(unproven(db, requested).where("b.tenant", "in", [...tenants]));
}

/** The registration of a visit, by its widget token, as a column of a statement. */
export function registrationColumn({
  widgetTokenId,
  rut,
}: {
  readonly widgetTokenId: StatementPart;
  readonly rut: StatementPart;
}): ReadColumn<Beneficiary> {
  return beneficiaryColumn({ tenant: sql`${visitDomain("")} || ${widgetTokenId}`, rut });
}

/** The newest registration for a RUT at a provider that may still be proved, from any visit. */
export function readUnprovenOfProvider(
  db: Database,
  { providerId, ...requested }: AskedRut & { readonly providerId: string },
): Promise<Beneficiary | null> {
  return newest(unproven(db, requested).where("b.provider_id", "=", providerId));
}

function unproven(db: Database, { rut, now }: AskedRut) {
  return beneficiaries(db).where("b.rut", "=", rut).where("b.proof_until", ">", now);
}

async function newest(registrations: ReturnType<typeof beneficiaries>): Promise<Beneficiary | null> {
  const row = await registrations.orderBy("b.updated_at", "desc").limit(1).executeTakeFirst();
  return row === undefined ? null : toBeneficiary(row);
}

/** Overwrites a visit's registration with newly typed data. */
export async function rewriteUnproven(
  tx: Transaction,
  id: string,
  { person, userId, at }: { readonly person: NewBeneficiary; readonly userId: string; readonly at: Date },
): Promise<void> {
  await tx
    .updateTable("beneficiaries")
    .set({
      user_id: userId,
      first_name: person.firstName,
      last_name: person.lastName,
      phone_number: person.phoneNumber,
      insurer: person.insurer,
      sealed_insurer_access: person.sealedInsurerAccess,
      insurer_access_at: person.sealedInsurerAccess === null ? null : at,
      updated_at: at,
    })
    .where("id", "=", id)
    .where("proof_until", "is not", null)
    .execute();
}

/**
 * Makes a visit's registration the patient's record, in the domain where its RUT is looked up, and moves the visit's
 * consents to it. `alongside`: further CTEs, which write if `proven` has a row.
 */
export async function writeProven(
  tx: Transaction,
  { id, tenant: visit, rut }: Beneficiary,
  proven: {
    readonly tenant: string;
    readonly provedBy: "code" | "registry";
    /** When the registry matched the patient; null leaves the value unchanged. */
    readonly matchedAt: Date | null;
    readonly at: Date;
  },
  alongside: readonly StatementPart[],
): Promise<void> {
  const { tenant, provedBy, matchedAt, at } = proven;
  await sql`
    with proven as (
      update beneficiaries set tenant = ${tenant}, proof_until = null, proved_by = ${provedBy}, updated_at = ${at},
        identity_matched_at = coalesce(${matchedAt}::timestamptz, identity_matched_at)
      where id = ${id}
      returning id
    ),
    given as (update consents set rut = ${rut} where rut = ${visit}),
    ${sql.join(alongside)}
    select from proven`.execute(tx);
}

/** Records the method by which a patient's record was last proved. A code does not replace a registry match. */
export async function writeProof(tx: Transaction, id: string, provedBy: "code" | "registry"): Promise<void> {
  if (provedBy === "registry")
    await tx.updateTable("beneficiaries").set({ proved_by: provedBy }).where("id", "=", id).execute();
}

/** Ends a registration that will not be proved. `readDead` then returns it. */
export async function writeDead(tx: Transaction, id: string, at: Date): Promise<void> {
  await tx.updateTable("beneficiaries").set({ proof_until: at }).where("id", "=", id).execute();
}

/** At most `limit` registrations that were not proved in time. */
export async function readDead(
  db: Database,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<Beneficiary[]> {
  const rows = await beneficiaries(db)
    .where("b.proof_until", "<=", before)
    .where(sql<boolean>`b.rut not like ${pseudonymOf("%")}`)
    .limit(limit)
    .execute();
  return rows.map(toBeneficiary);
}

export async function deleteVisitConsents(tx: Transaction, { tenant }: Beneficiary): Promise<void> {
  await tx.deleteFrom("consents").where("rut", "=", tenant).execute();
}

/** Deletes a registration. No other row may refer to it. */
export async function deleteRegistration(tx: Transaction, { id }: Beneficiary): Promise<void> {
  await tx.deleteFrom("beneficiaries").where("id", "=", id).execute();
}

/** Moves the consents of a visit to the patient who has proved to have given them. Returns their purposes. */
export async function giveConsentsTo(tx: Transaction, visit: string, rut: Rut): Promise<string[]> {
  const rows = await tx.updateTable("consents").set({ rut }).where("rut", "=", visit).returning("purpose").execute();
  return rows.map(({ purpose }) => purpose);
}
