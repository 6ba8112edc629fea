import type { Transaction } from "../platform/database/transaction.ts";
import { addClockOffset } from "./provider-store.ts";

/**
 * Moves a staging provider's own clock forward. The caller must move its timers by as much in the same transaction
 * (`shiftTimers`). In production a constraint of the table prevents it.
 */
export function moveProviderClock(
  tx: Transaction,
  { providerId, milliseconds, at }: { readonly providerId: string; readonly milliseconds: number; readonly at: Date },
): Promise<void> {
  return addClockOffset(tx, { providerId, milliseconds, at });
}
