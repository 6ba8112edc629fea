import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { deleteChecks } from "./identity-store.ts";
import { IDENTITY_WINDOW_MS } from "./identity-tries.ts";

/** Longer than any try counts, whichever clock it was written by. */
const KEPT_MS = 24 * IDENTITY_WINDOW_MS;

/**
 * Removes questions to the registry that count no more, with the hash of whose they were: it would outlive an erasure. That an
 * order's identity was validated, and when, stays with the order. Says how many rows went.
 */
export function purgeIdentityChecks({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  return deleteChecks(db, new Date(clock.now().getTime() - KEPT_MS));
}
