import type { SealedColumn } from "../platform/reseal-store.ts";
import { BANK_ACCOUNT_SEAL } from "./centers.ts";
import { purposeOf } from "./issue-credential.ts";

/** The columns that this room has sealed. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: "credentials", column: "sealed", key: ["id"], purpose: purposeOf("webhook_secret") },
  { table: "centers", column: "sealed_bank_account", key: ["id"], purpose: BANK_ACCOUNT_SEAL },
];
