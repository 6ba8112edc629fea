import type { Transaction } from "../platform/database/transaction.ts";
import { addClockOffset } from "./provider-store.ts";

/**
 * Moves a staging provider's own clock forward. What it waits for has to be brought nearer by as much, in the same
 * transaction (`shiftTimers`). Production refuses, by a constraint of the table.
 */
export function moveProviderClock(
  tx: Transaction,
  { providerId, milliseconds, at }: { readonly providerId: string; readonly milliseconds: number; readonly at: Date },
): Promise<void> {
  return addClockOffset(tx, { providerId, milliseconds, at });
}
