import type { SealedColumn } from "../../platform/reseal-store.ts";
import { ACCOUNT_PURPOSE as purpose } from "./payout-record.ts";

const column = "sealed_bank_account";
const key = ["provider_id", "id"];

/** What this room has sealed. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: "payout_terms", column, key: ["provider_id"], purpose },
  { table: "lender_accounts", column, key: ["provider_id"], purpose },
  { table: "payee_accounts", column, key, purpose },
  { table: "payouts", column, key, purpose, hashColumn: "account_hash" },
];
