import { type RawBuilder, sql } from "kysely";
import type { Rut } from "../contract/vocabulary/rut.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";

interface CenterToWrite {
  /** The id to use if the centre is new. */
  readonly id: string;
  readonly providerId: string;
  readonly rut: Rut;
  readonly name: string;
  readonly email: string;
  /** Null keeps the existing account. */
  readonly sealedBankAccount: string | null;
  readonly at: Date;
}

/** Creates a centre, or changes the provider's centre with this RUT. Returns its id and whether it was created. */
export async function upsertCenter(
  tx: Transaction,
  center: CenterToWrite,
): Promise<{ readonly id: string; readonly created: boolean }> {
  const row = await tx
    .insertInto("centers")
    .values({
      id: center.id,
      provider_id: center.providerId,
      rut: center.rut,
      name: center.name,
      email: center.email,
      sealed_bank_account: center.sealedBankAccount,
      created_at: center.at,
      updated_at: center.at,
    })
    .onConflict((conflict) =>
      conflict.constraint("centers_provider_rut_key").doUpdateSet({
        name: center.name,
        email: center.email,
        sealed_bank_account: sql<string | null>`coalesce(excluded.sealed_bank_account, centers.sealed_bank_account)`,
        updated_at: center.at,
      }),
    )
    .returning("id")
    .executeTakeFirstOrThrow();
  return { id: row.id, created: row.id === center.id };
}

/** Reads one of a provider's centres by its RUT. */
export async function readCenter(
  db: Database,
  providerId: string,
  rut: Rut,
): Promise<{ readonly id: string; readonly rut: Rut } | null> {
  const row = await db
    .selectFrom("centers")
    .select(["id", "rut"])
    .where("provider_id", "=", providerId)
    .where("rut", "=", rut)
    .executeTakeFirst();
  return row ?? null;
}

/** A centre as its meta-provider sees it. */
export interface RegisteredCenter {
  readonly id: string;
  readonly rut: Rut;
  readonly name: string;
  readonly email: string;
  readonly hasBankAccount: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** At most `limit` centres of a provider by RUT, after the centre with this RUT. */
export async function selectCentersPage(
  db: Database,
  { providerId, after, limit }: { readonly providerId: string; readonly after: Rut | null; readonly limit: number },
): Promise<RegisteredCenter[]> {
  const rows = await db
    .selectFrom("centers")
    .select(["id", "rut", "name", "email", "created_at", "updated_at"])
    .select(sql<boolean>`sealed_bank_account is not null`.as("has_bank_account"))
    .where("provider_id", "=", providerId)
    .$if(after !== null, (query) => query.where("rut", ">", after as Rut))
    .orderBy("rut")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    rut: row.rut,
    name: row.name,
    email: row.email,
    hasBankAccount: row.has_bank_account,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }));
}

/** The RUT of one of a provider's centres; null if there is no such centre. */
export async function readCenterRut(
  db: Database,
  { providerId, id }: { readonly providerId: string; readonly id: string },
): Promise<Rut | null> {
  const row = await db
    .selectFrom("centers")
    .select("rut")
    .where("provider_id", "=", providerId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.rut ?? null;
}

/** The names of these centres of a provider, by id. */
export async function selectCenterNames(
  db: Database,
  { providerId, ids }: { readonly providerId: string; readonly ids: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom("centers")
    .select(["id", "name"])
    .where("provider_id", "=", providerId)
    .where("id", "in", ids)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export async function readCenterName(
  db: Database,
  { providerId, id }: { readonly providerId: string; readonly id: string },
): Promise<string | null> {
  const row = await db
    .selectFrom("centers")
    .select("name")
    .where("provider_id", "=", providerId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.name ?? null;
}

/** The sealed bank account for a centre's payouts; `null` if it has registered none, or if there is no such centre. */
export async function readSealedAccount(
  db: Database,
  center: { readonly providerId: string; readonly id: string },
): Promise<string | null> {
  const row = await db
    .selectFrom("centers")
    .select("sealed_bank_account")
    .where("provider_id", "=", center.providerId)
    .where("id", "=", center.id)
    .executeTakeFirst();
  return row?.sealed_bank_account ?? null;
}

export const centersWithAccountKeys: RawBuilder<unknown> = sql`
  select id from centers where sealed_bank_account is not null`;
