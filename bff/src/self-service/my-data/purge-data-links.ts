import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { purgeInBatches } from "../../platform/purge-in-batches.ts";
import { deleteSentLinks } from "./erasure-store.ts";
import { LINKS_COUNTED_MS } from "./rights.ts";

/** Longer than a link is counted, in real time as well as in the time of any provider. */
export const SENT_LINKS_KEPT_MS = 2 * LINKS_COUNTED_MS;

/** Deletes records of links to their own data that no longer count. Returns how many there were. */
export function purgeDataLinks({ db, clock }: { readonly db: Database; readonly clock: Clock }): Promise<number> {
  const before = new Date(clock.now().getTime() - SENT_LINKS_KEPT_MS);
  return purgeInBatches((limit) => deleteSentLinks(db, { before, limit }));
}
