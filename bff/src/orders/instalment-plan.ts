import { FIRST_PERCENTAGE, LATEST_COLLECTION_DAY } from "../contract/terms.ts";
import { type Clp, shareRoundedHalfUp, subtractClp } from "../contract/vocabulary/clp.ts";
import { addCalendarDays, type CalendarDay, santiagoDay } from "../platform/santiago-time.ts";

interface Split {
  readonly first: Clp;
  readonly deferred: Clp;
}

/** Splits a total into two parts that always sum to it: `first = floor((30·total + 50) / 100)`. */
export function splitTotal(total: Clp): Split {
  const first = shareRoundedHalfUp(total, FIRST_PERCENTAGE * 100);
  return { first, deferred: subtractClp(total, first) };
}

/** The commission, VAT included, on what the patient owes after refunds. */
export function commissionOn(total: Clp, refunded: Clp, rateBasisPoints: number): Clp {
  return shareRoundedHalfUp(subtractClp(total, refunded), rateBasisPoints);
}

/** The latest day on which the deferred part is collected if the order is paid at `paidAt`. */
export function latestDueDate(paidAt: Date): CalendarDay {
  return addCalendarDays(santiagoDay(paidAt), LATEST_COLLECTION_DAY);
}
