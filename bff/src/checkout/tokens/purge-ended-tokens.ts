import { DAY_MS } from "../../contract/vocabulary/durations.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { deleteTokens, forgetPatients } from "./widget-token-store.ts";

/** How long a partner's data about the patient stays in an ended token; it only prefills forms. */
const KEPT_MS = DAY_MS;
/** How long an ended token's page can say why it ended; longer than the codes of its link are counted. */
const PAGE_KEPT_MS = 90 * DAY_MS;
/** The most rows that one statement changes, so that locks are held only briefly. */
const BATCH_MAX = 1_000;

/**
 * Removes personal data (RUT, `user_data` and `provider_data`) from ended tokens, and later the tokens. Between, their
 * pages say why they ended; afterwards they are as unknown as made-up ones. Any process may call it at any time. Returns
 * the number of changed and deleted tokens.
 */
export async function purgeEndedTokens({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  const before = (milliseconds: number) => new Date(clock.now().getTime() - milliseconds);
  const limit = BATCH_MAX;
  const removers = [
    () => forgetPatients(db, { endedBefore: before(KEPT_MS), limit }),
    () => deleteTokens(db, { expiredBefore: before(PAGE_KEPT_MS), limit }),
  ];
  let count = 0;
  for (const remove of removers) {
    for (let removed = limit; removed === limit; count += removed) removed = await remove();
  }
  return count;
}
