import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import { type Provider, providerNow } from "../platform/provider.ts";

export interface ClaimNowDependencies {
  /** Real time. */
  readonly clock: Clock;
  readonly findProvider: (db: Database, id: string) => Promise<Provider | null>;
}

/** Now, in the time of the provider whose claim is decided; real time if the provider is not found. */
export async function claimNow(
  { clock, findProvider }: ClaimNowDependencies,
  db: Database,
  providerId: string,
): Promise<Date> {
  const provider = await findProvider(db, providerId);
  return providerNow(provider ?? { clockOffsetMs: 0 }, clock.now());
}
