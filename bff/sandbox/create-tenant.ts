import type { CommissionRegime } from "../src/contract/vocabulary/commission-tax.ts";
import { checkDigitOf } from "../src/contract/vocabulary/rut.ts";
import type { Clock } from "../src/platform/clock.ts";
import { type Database, inTransaction } from "../src/platform/database/transaction.ts";
import type { Ids } from "../src/platform/ids.ts";
import type { Provider } from "../src/platform/provider.ts";
import type { IssuedCredential } from "../src/tenants/credentials.ts";
import type { NewProvider, ProviderBeginning } from "../src/tenants/manage-provider.ts";
import { SANDBOX_COMMISSION_TAX } from "./commission-tax.ts";
import { registerCataloguePatients } from "./register-catalogue-patients.ts";

export interface CreateTenantDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly createProvider: (
    input: NewProvider,
    beginning?: ProviderBeginning,
  ) => Promise<{ readonly provider: Provider; readonly credentials: readonly IssuedCredential[] }>;
}

/** The properties of a new tenant; omitted ones are those of the demo's clinic. */
export interface NewTenant {
  readonly name?: string | undefined;
  readonly meta?: boolean | undefined;
  readonly origins?: readonly string[] | undefined;
  readonly returnUrls?: readonly string[] | undefined;
  readonly captureFirst?: boolean | undefined;
  readonly commissionPercentage?: number | undefined;
  readonly commissionRegime?: CommissionRegime | undefined;
  readonly cardPage?: boolean | undefined;
  readonly knownPatients?: boolean | undefined;
  readonly unpaidOrderExpiryMinutes?: number | undefined;
}

export const COMMISSION_PERCENTAGE = 7;

/** Where frameworks serve a page under development: every tenant's checkout may be framed there. */
const LOCAL_PORTS = [3000, 4200, 5000, 5173, 8000, 8080];
export const LOCAL_ORIGINS = ["localhost", "127.0.0.1"].flatMap((host) =>
  LOCAL_PORTS.map((port) => `http://${host}:${port}`),
);

/** Creates a staging provider with new credentials and the registered people of the catalogue. */
export async function createTenant(
  dependencies: CreateTenantDependencies,
  wanted: NewTenant,
  beginning: ProviderBeginning = {},
): Promise<{ provider: Provider; credentials: readonly IssuedCredential[] }> {
  const { db, clock, ids, createProvider } = dependencies;
  const created = await createProvider(
    {
      name: wanted.name ?? "Clínica de Prueba SpA",
      rut: companyRut(ids),
      commissionPercentage: wanted.commissionPercentage ?? COMMISSION_PERCENTAGE,
      commissionTax: wanted.commissionRegime === "interest" ? { regime: "interest" } : SANDBOX_COMMISSION_TAX,
      supportEmail: "soporte@example.com",
      meta: wanted.meta ?? false,
      origins: [...new Set([...(wanted.origins ?? []), ...LOCAL_ORIGINS])],
      returnUrls: [...(wanted.returnUrls ?? [])],
      captureFirst: wanted.captureFirst ?? false,
      cardPage: wanted.cardPage ?? false,
      knownPatients: wanted.knownPatients ?? false,
      unpaidOrderExpiryMinutes: wanted.unpaidOrderExpiryMinutes ?? null,
    },
    beginning,
  );
  await inTransaction(db, (tx) => registerCataloguePatients(tx, ids, created.provider, clock.now()));
  return created;
}

/** A random company RUT, so that two tenants rarely share one. */
function companyRut(ids: Ids): string {
  const body = 76_000_000 + Number(ids.digits(6));
  return `${body}-${checkDigitOf(body)}`;
}
