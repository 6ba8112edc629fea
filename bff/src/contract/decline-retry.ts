import type { DeclineLimit, DeclineReason } from "./errors.ts";

/** The same card may pay once the patient has done something about it. All others are hard declines. */
const RETRYABLE: readonly (DeclineReason | DeclineLimit | null | undefined)[] = [
  "insufficient_funds",
  "authentication_failed",
  "authentication_abandoned",
  "amount",
  "uses",
];

/** Whether another try with the same card can succeed. A limit decides before the reason; without either, it cannot. */
export function canRetry(reason: DeclineReason | null | undefined, limit: DeclineLimit | null | undefined): boolean {
  return RETRYABLE.includes(limit ?? reason);
}
