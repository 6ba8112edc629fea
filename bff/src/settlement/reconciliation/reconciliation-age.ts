import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import type { Environment } from "../../platform/provider.ts";
import { providerClocks } from "../../tenants/provider-reads.ts";
import { selectReconciliationAge } from "./reconciliation-age-store.ts";

/** For how many seconds the provider whose last reconciliation is longest ago has had none; null: no provider had one yet. */
export function reconciliationAge({
  db,
  clock,
  environment,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly environment: Environment;
}): Promise<number | null> {
  return selectReconciliationAge(db, providerClocks(environment, clock.now()));
}
