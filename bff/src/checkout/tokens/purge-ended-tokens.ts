import { DAY_MS } from "../../contract/vocabulary/durations.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { forgetPatients } from "./widget-token-store.ts";

/** What a partner wrote into a token fills a form, and is of no use a day after the token has ended. */
const KEPT_MS = DAY_MS;
/** Rows that one statement changes: short enough to be in nobody's way. */
const BATCH_MAX = 1_000;

/**
 * Forgets what ended tokens hold of a person: the RUT, `user_data` and `provider_data`. The tokens stay, so that their pages
 * say why they have ended. Any process may call it at any time. Says how many it emptied.
 */
export async function purgeEndedTokens({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  const endedBefore = new Date(clock.now().getTime() - KEPT_MS);
  let count = 0;
  for (let forgotten = BATCH_MAX; forgotten === BATCH_MAX; count += forgotten) {
    forgotten = await forgetPatients(db, { endedBefore, limit: BATCH_MAX });
  }
  return count;
}
