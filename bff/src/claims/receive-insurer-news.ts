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
 * The insurer says that something has become of a claim of its own. What it says is not believed, only taken for a reason to
 * ask at once: so a callback that comes twice, late, or after a newer one changes nothing that the insurer would not tell
 * now. Says whether the claim is known; one whose filing has not been answered yet is not.
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
