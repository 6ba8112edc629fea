import type { RawBuilder } from "kysely";
import type * as z from "zod/mini";
import { type BankAccount, bankAccountSchema } from "../contract/bank-account.ts";
import type {
  ListCentersQuery,
  RegisteredCenters,
  UpsertCentersResponse,
  upsertCentersRequestSchema,
} from "../contract/centers.ts";
import type { FieldIssue } from "../contract/errors.ts";
import { PAGE_MAX } from "../contract/vocabulary/page.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import { recordAudit } from "../platform/audit-store.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { pageOf, unknownPlace } from "../platform/http/list-page.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Principal, Provider } from "../platform/provider.ts";
import {
  centersWithAccountKeys,
  readCenter,
  readCenterName,
  readCenterRut,
  readSealedAccount,
  selectCenterNames,
  selectCentersPage,
  upsertCenter,
} from "./center-store.ts";

/** The centres with a bank account, as a subquery for another feature's statement: `id`. */
export function centersWithAccount(): RawBuilder<unknown> {
  return centersWithAccountKeys;
}

/** The name of the treating clinic: in a network, that of the order's centre. */
export async function nameOfClinic(
  db: Database,
  provider: Pick<Provider, "id" | "name">,
  center: { readonly id: string } | null,
): Promise<string> {
  const name = center === null ? null : await readCenterName(db, { providerId: provider.id, id: center.id });
  return name ?? provider.name;
}

/** These clinics with their names, sorted by name. `centerId` is null for the provider itself. */
export async function withNames<Clinic extends { readonly centerId: string | null }>(
  db: Database,
  provider: Pick<Provider, "id" | "name">,
  clinics: readonly Clinic[],
): Promise<(Clinic & { readonly name: string })[]> {
  const ids = clinics.flatMap(({ centerId }) => (centerId === null ? [] : [centerId]));
  const names = ids.length === 0 ? null : await selectCenterNames(db, { providerId: provider.id, ids });
  return clinics
    .map((clinic) => ({ ...clinic, name: names?.get(clinic.centerId ?? "") ?? provider.name }))
    .sort((a, b) => a.name.localeCompare(b.name) || ((a.centerId ?? "") < (b.centerId ?? "") ? -1 : 1));
}

/** The name of a provider's centre; null if there is no such centre. */
export function centerName(
  db: Database,
  center: { readonly providerId: string; readonly id: string },
): Promise<string | null> {
  return readCenterName(db, center);
}

/*
 * Centres: the clinics of a meta-provider, with the bank accounts into which their payouts go.
 */

export interface UpsertCentersDependencies {
  readonly db: Database;
  readonly ids: Ids;
  readonly keyring: Pick<Keyring, "seal">;
}

/** The keyring's purpose for the bank account of a centre. */
export const BANK_ACCOUNT_SEAL = "centers.bank_account";

type Center = z.output<typeof upsertCentersRequestSchema>["centers"][number];

/**
 * Creates or changes a meta-provider's centres by RUT, either all or none. Throws `validation_error` if a RUT occurs
 * twice, because the request would be ambiguous.
 */
export async function upsertCenters(
  dependencies: UpsertCentersDependencies,
  principal: Principal,
  centers: readonly Center[],
  now: Date,
): Promise<UpsertCentersResponse> {
  const errors = repeatedRuts(centers);
  if (errors.length > 0) throw new ApiError("validation_error", { errors });
  const written = await inTransaction(dependencies.db, async (tx) => {
    const results = new Map<Rut, { id: string; created: boolean }>();
    // Sorted by RUT, so that two concurrent requests cannot deadlock.
    for (const center of centers.toSorted((a, b) => (a.rut < b.rut ? -1 : 1))) {
      results.set(center.rut, await write(dependencies, tx, principal, center, now));
    }
    return results;
  });
  return {
    centers: centers.map(({ rut }) => {
      const { id = "", created = false } = written.get(rut) ?? {};
      return { rut, id, created };
    }),
  };
}

function repeatedRuts(centers: readonly Center[]): FieldIssue[] {
  const seen = new Set<Rut>();
  return centers.flatMap(({ rut }, index) => {
    if (seen.has(rut)) return [{ path: `centers.${index}.rut`, message: "is named twice" }];
    seen.add(rut);
    return [];
  });
}

async function write(
  { ids, keyring }: UpsertCentersDependencies,
  tx: Transaction,
  { provider, credential, credentialId }: Principal,
  center: Center,
  at: Date,
): Promise<{ id: string; created: boolean }> {
  const account = center.bank_account;
  const written = await upsertCenter(tx, {
    id: ids.uuid(),
    providerId: provider.id,
    rut: center.rut,
    name: center.name,
    email: center.email,
    sealedBankAccount: account === undefined ? null : keyring.seal(JSON.stringify(account), BANK_ACCOUNT_SEAL),
    at,
  });
  await recordAudit(tx, {
    id: ids.uuid(),
    providerId: provider.id,
    actor: `credential:${credential}`,
    credentialId,
    act: written.created ? "center.created" : "center.changed",
    subject: { kind: "center", id: written.id },
    details: { bank_account_given: account !== undefined },
    at,
  });
  return written;
}

/** One page of a meta-provider's centres, by RUT. Throws `validation_error` if `after` is none of them. */
export async function listCenters(
  db: Database,
  providerId: string,
  { after: afterId, limit: asked }: ListCentersQuery,
): Promise<RegisteredCenters> {
  const limit = Number(asked ?? PAGE_MAX);
  const after = afterId === undefined ? null : await readCenterRut(db, { providerId, id: afterId });
  if (afterId !== undefined && after === null) throw unknownPlace();
  const { entries, next } = pageOf(await selectCentersPage(db, { providerId, after, limit: limit + 1 }), limit);
  return {
    centers: entries.map(({ id, rut, name, email, hasBankAccount, createdAt, updatedAt }) => ({
      id,
      rut,
      name,
      email,
      has_bank_account: hasBankAccount,
      created_at: createdAt.toISOString(),
      updated_at: updatedAt.toISOString(),
    })),
    next,
  };
}

/** The bank account of a centre; `null` if it has registered none. */
export async function findCenterAccount(
  { keyring }: { readonly keyring: Pick<Keyring, "open"> },
  db: Database,
  center: { readonly providerId: string; readonly id: string },
): Promise<BankAccount | null> {
  const sealed = await readSealedAccount(db, center);
  return sealed === null ? null : bankAccountSchema.parse(JSON.parse(keyring.open(sealed, BANK_ACCOUNT_SEAL)));
}

/** One of a meta-provider's centres by RUT; `null` if it is unknown or another provider's. */
export function findCenter(
  db: Database,
  providerId: string,
  rut: Rut,
): Promise<{ readonly id: string; readonly rut: Rut } | null> {
  return readCenter(db, providerId, rut);
}
