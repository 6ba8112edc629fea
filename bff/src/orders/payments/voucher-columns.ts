import type { ChargeVoucher } from "../../contract/vocabulary/voucher.ts";
import type { OrderPaymentsRow } from "../../platform/database/tables.ts";

type VoucherColumns = Pick<
  OrderPaymentsRow,
  "buy_order" | "store_code" | "authorisation_code" | "instalments" | "network_transaction_id"
>;

/** A charge's voucher as columns of its payment. Null if the processor did not report it. */
export function voucherColumns(voucher: ChargeVoucher): VoucherColumns {
  return {
    buy_order: voucher.buyOrder ?? null,
    store_code: voucher.storeCode ?? null,
    authorisation_code: voucher.authorisationCode ?? null,
    instalments: voucher.instalments ?? null,
    network_transaction_id: voucher.networkTransactionId ?? null,
  };
}

export function toVoucher(row: VoucherColumns): ChargeVoucher {
  return {
    buyOrder: row.buy_order ?? undefined,
    storeCode: row.store_code ?? undefined,
    authorisationCode: row.authorisation_code ?? undefined,
    instalments: row.instalments ?? undefined,
    networkTransactionId: row.network_transaction_id ?? undefined,
  };
}
