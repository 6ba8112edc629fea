import { checkDigitOf } from "../src/contract/vocabulary/rut.ts";
import type { Clock } from "../src/platform/clock.ts";
import { type Database, inTransaction } from "../src/platform/database/transaction.ts";
import type { Ids } from "../src/platform/ids.ts";
import type { Provider } from "../src/platform/provider.ts";
import type { NewProvider } from "../src/tenants/create-provider.ts";
import type { IssuedCredential } from "../src/tenants/issue-credential.ts";
import { registerCataloguePatients } from "./register-catalogue-patients.ts";

export interface CreateTenantDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly createProvider: (
    input: NewProvider,
  ) => Promise<{ readonly provider: Provider; readonly credentials: readonly IssuedCredential[] }>;
}

/** What a tenant may be asked to be like; the rest is as for the demo's clinic. */
export interface NewTenant {
  readonly name?: string | undefined;
  readonly meta?: boolean | undefined;
  readonly origins?: readonly string[] | undefined;
  readonly captureFirst?: boolean | undefined;
  readonly commissionPercentage?: number | undefined;
  readonly unpaidOrderExpiryMinutes?: number | undefined;
}

const COMMISSION_PERCENTAGE = 7;

/** Makes a fresh staging provider: credentials of its own, and the people of the catalogue who are registered. */
export async function createTenant(
  dependencies: CreateTenantDependencies,
  wanted: NewTenant,
): Promise<{ provider: Provider; credentials: readonly IssuedCredential[] }> {
  const { db, clock, ids, createProvider } = dependencies;
  const created = await createProvider({
    name: wanted.name ?? "Clínica de Prueba SpA",
    rut: companyRut(ids),
    commissionPercentage: wanted.commissionPercentage ?? COMMISSION_PERCENTAGE,
    supportEmail: "soporte@example.com",
    meta: wanted.meta ?? false,
    origins: [...(wanted.origins ?? [])],
    captureFirst: wanted.captureFirst ?? false,
    unpaidOrderExpiryMinutes: wanted.unpaidOrderExpiryMinutes ?? null,
  });
  await inTransaction(db, (tx) => registerCataloguePatients(tx, ids, created.provider, clock.now()));
  return created;
}

/** A company's RUT of nobody in particular, so that two tenants seldom share one. */
function companyRut(ids: Ids): string {
  const body = 76_000_000 + Number(ids.digits(6));
  return `${body}-${checkDigitOf(body)}`;
}
