import { TAKEN_RETURN_DAYS_MAX } from "../contract/terms.ts";
import { DAY_MS } from "../contract/vocabulary/durations.ts";
import type { PendingReturn } from "./card-processor/port.ts";

/** A return that the processor has taken, as it is stored beside what is returned. */
export interface TakenReturn {
  readonly returnId: string;
  readonly takenAt: Date;
  /** Until when its end is waited for before an operator is told. */
  readonly endsBy: Date;
}

/** What the processor's answer is stored as. It is believed about the end for a limited number of days. */
export function takenReturn({ returnId, endsBy }: PendingReturn, takenAt: Date): TakenReturn {
  const latest = takenAt.getTime() + TAKEN_RETURN_DAYS_MAX * DAY_MS;
  return { returnId, takenAt, endsBy: new Date(Math.min(latest, Math.max(takenAt.getTime(), endsBy.getTime()))) };
}
