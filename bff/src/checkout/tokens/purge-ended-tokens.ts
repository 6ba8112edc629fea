import { DAY_MS } from "../../contract/vocabulary/durations.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { purgeInBatches } from "../../platform/purge-in-batches.ts";
import { deleteTokens, forgetPatients } from "./widget-token-store.ts";

/** How long a partner's data about the patient stays in an ended token; it only prefills forms. */
export const TOKEN_DATA_KEPT_MS = DAY_MS;
/** How long an ended token's page can say why it ended; longer than the codes of its link are counted. */
export const TOKENS_KEPT_MS = 90 * DAY_MS;

/**
 * Removes personal data (RUT, `user_data` and `provider_data`) from ended tokens, and later the tokens. Between, their
 * pages say why they ended; afterwards they are as unknown as made-up ones. Any process may call it at any time. Returns
 * the number of changed and deleted tokens.
 */
export async function purgeEndedTokens({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  const before = (milliseconds: number) => new Date(clock.now().getTime() - milliseconds);
  const forgotten = await purgeInBatches((limit) =>
    forgetPatients(db, { endedBefore: before(TOKEN_DATA_KEPT_MS), limit }),
  );
  return (
    forgotten + (await purgeInBatches((limit) => deleteTokens(db, { expiredBefore: before(TOKENS_KEPT_MS), limit })))
  );
}
