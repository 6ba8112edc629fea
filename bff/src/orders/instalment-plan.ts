import { FIRST_PERCENTAGE } from "../contract/terms.ts";
import { type Clp, shareRoundedHalfUp, subtractClp } from "../contract/vocabulary/clp.ts";

export interface Split {
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
