import type { Voucher } from "../../../src/contract/vocabulary/voucher.ts";
import type { Json } from "./check-run.ts";

/** What a call has told of a movement, which the list must tell in the same way. */
export function toldOf({ buyOrder, storeCode, authorisationCode }: Voucher): Json {
  return { buyOrder, storeCode, authorisationCode };
}
