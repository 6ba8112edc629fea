import type { DeclineLimit, DeclineReason } from "./errors.ts";

/** Whether the same card may pay after the patient has done something about it. The others are hard declines. */
const RETRY_HELPS: Readonly<Record<DeclineReason | DeclineLimit, boolean>> = {
  declined: false,
  insufficient_funds: true,
  card_expired: false,
  card_lost_or_stolen: false,
  card_blocked: false,
  security_code_wrong: false,
  authentication_failed: true,
  authentication_abandoned: true,
  amount: true,
  uses: true,
};

/** Whether another try with the same card can succeed. A limit decides before the reason; without either, it cannot. */
export function canRetry(reason: DeclineReason | null | undefined, limit: DeclineLimit | null | undefined): boolean {
  const cause = limit ?? reason ?? null;
  return cause !== null && RETRY_HELPS[cause];
}
