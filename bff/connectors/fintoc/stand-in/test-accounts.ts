import { HOUR_MS } from "../../../src/contract/vocabulary/durations.ts";

export interface TestAccount {
  /** How long the transfer is pending. */
  readonly pendingMs?: number;
  /** Why it then fails. */
  readonly fails?: string;
  /** Why it comes back after it succeeded, and when. */
  readonly returns?: { readonly reason: string; readonly afterMs: number };
}

/** Accounts of the stand-in, with the numbers of the sandbox's bank. Transfers to every other account succeed. */
export const TEST_ACCOUNTS: Readonly<Record<string, TestAccount>> = {
  "1000000001": { fails: "recipient_account_not_found" },
  "1000000002": { fails: "recipient_account_closed" },
  "1000000003": { fails: "invalid_holder_id_account_relationship" },
  "1000000004": { fails: "recipient_institution_unavailable" },
  "1000000005": { pendingMs: 6 * HOUR_MS },
  "1000000006": { returns: { reason: "recipient_account_closed", afterMs: 20 * HOUR_MS } },
};
