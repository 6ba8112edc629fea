import { DAY_MS } from "../../contract/vocabulary/durations.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { forgetPatients } from "./widget-token-store.ts";

/** How long a partner's data about the patient stays in an ended token; it only prefills forms. */
const KEPT_MS = DAY_MS;
/** The most rows that one statement changes, so that locks are held only briefly. */
const BATCH_MAX = 1_000;

/**
 * Removes personal data (RUT, `user_data` and `provider_data`) from ended tokens. The tokens stay, so that their pages
 * can say why they ended. Any process may call it at any time. Returns the number of changed tokens.
 */
export async function purgeEndedTokens({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  const endedBefore = new Date(clock.now().getTime() - KEPT_MS);
  let count = 0;
  for (let forgotten = BATCH_MAX; forgotten === BATCH_MAX; count += forgotten) {
    forgotten = await forgetPatients(db, { endedBefore, limit: BATCH_MAX });
  }
  return count;
}
