import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import { providerNow } from "../platform/provider.ts";
import { requireProvider } from "../tenants/provider-reads.ts";

/** Now, in the time of the provider whose claim is decided. `clock`: real time. */
export async function claimNow({ clock }: { readonly clock: Clock }, db: Database, providerId: string): Promise<Date> {
  return providerNow(await requireProvider(db, providerId), clock.now());
}
