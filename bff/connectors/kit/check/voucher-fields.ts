import type { Voucher } from "../../../src/contract/vocabulary/voucher.ts";
import type { Json } from "./check-run.ts";

/** The voucher fields of a movement, which the list must repeat. */
export function voucherFields({ buyOrder, storeCode, authorisationCode }: Voucher): Json {
  return { buyOrder, storeCode, authorisationCode };
}
