import { type Clp, clp, ORDER_TOTAL_CLP_MAX } from "../../contract/vocabulary/clp.ts";

/** Digits in groups of three, with one kind of separator; the peso has no decimals, so that only zeros may follow. */
const AMOUNT = /^(?:\$|CLP)? ?(\d{1,12}|\d{1,3}(?:\.\d{3})+|\d{1,3}(?:,\d{3})+)(?:[.,]0{1,2})?(?:[.,]?-)?$/i;

/**
 * Reads `45952`, `45.952`, `$45.952.-`, `45,952` and `45952.00`. `null` if the text could be read in another way, such as
 * `45,95`, or is no amount.
 */
export function readReceiptTotal(text: string): Clp | null {
  const digits = AMOUNT.exec(text)?.[1]?.replaceAll(/[.,]/g, "");
  if (digits === undefined || Number(digits) > ORDER_TOTAL_CLP_MAX) return null;
  return clp(Number(digits));
}
