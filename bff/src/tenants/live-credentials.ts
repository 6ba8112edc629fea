import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import { gather } from "../platform/gather.ts";
import type { Environment } from "../platform/provider.ts";
import { type PresentedCredential, selectLiveLookups } from "./provider-store.ts";

/** Whether a credential exists and has not ended. */
export type IsLiveCredential = (presented: PresentedCredential) => Promise<boolean>;

const CREDENTIALS_OF_STATEMENT_MAX = 200;

/**
 * Looks up credentials that this process has not found before. Those that come while an earlier look-up is under way share the
 * next statement, so that a flood of made-up ones costs the database little.
 */
export function createLiveCredentials({
  db,
  clock,
  environment,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly environment: Environment;
}): IsLiveCredential {
  return gather({
    underWayMax: 1,
    itemsMax: CREDENTIALS_OF_STATEMENT_MAX,
    async run(presented: readonly PresentedCredential[]) {
      const live = await selectLiveLookups(db, presented, { environment, at: clock.now() });
      return presented.map(({ lookups }) => lookups.some((lookup) => live.has(lookup)));
    },
  });
}
