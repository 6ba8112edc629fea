import { DELIVERIES_KEPT_DAYS } from "../contract/terms.ts";
import { DAY_MS } from "../contract/vocabulary/durations.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import { purgeInBatches } from "../platform/purge-in-batches.ts";
import { deleteEnded, FIRST_PLACE, selectAllEndpointIds } from "./delivery-purge-store.ts";

export const DELIVERIES_KEPT_MS = DELIVERIES_KEPT_DAYS * DAY_MS;

/**
 * Deletes deliveries that ended long ago, with their attempts. What still waits stays, however old it is: an endpoint may be paused for
 * as long as its partner likes. The events stay in the log. Returns how many deliveries there were.
 */
export async function purgeDeliveries({
  db,
  clock,
}: {
  readonly db: Database;
  readonly clock: Clock;
}): Promise<number> {
  const before = new Date(clock.now().getTime() - DELIVERIES_KEPT_MS);
  let count = 0;
  for (const endpointId of await selectAllEndpointIds(db)) {
    let after = FIRST_PLACE;
    await purgeInBatches(async (limit) => {
      const page = await deleteEnded(db, { endpointId, before, after, limit });
      after = page.last;
      count += page.deleted;
      return page.passed;
    });
  }
  return count;
}
