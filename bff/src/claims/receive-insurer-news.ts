import type { Clock } from "../platform/clock.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import { readClaimIdsOfInsurer } from "./claim-store.ts";
import { pollSoon } from "./poll-claim.ts";

export interface ReceiveInsurerNewsDependencies {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
}

/**
 * The insurer reports that one of its claims has changed. The report is not trusted: it only causes a poll, so a callback
 * that comes twice, late or out of order changes nothing. Returns whether the claim is known; it is not known until the
 * answer to its filing was recorded.
 */
export async function receiveInsurerNews(
  { db, clock }: ReceiveInsurerNewsDependencies,
  claim: { readonly providerId: string; readonly insurerClaimId: string },
): Promise<boolean> {
  const ids = await readClaimIdsOfInsurer(db, claim);
  await inTransaction(db, async (tx) => {
    for (const id of ids) await pollSoon(tx, { providerId: claim.providerId, id }, clock.now());
  });
  return ids.length > 0;
}
