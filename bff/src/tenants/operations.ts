import type { ExceptionPart } from "../platform/exceptions.ts";
import type { SealedColumn } from "../platform/reseal-store.ts";
import { BANK_ACCOUNT_SEAL } from "./centers.ts";
import { purposeOf } from "./credentials.ts";
import { commissionAboveMaximum } from "./maximum-rate-store.ts";

/** The exceptions about providers' terms. They leave the list once the terms are changed. */
export const providerExceptions = {
  kinds: {
    commission_above_maximum: {
      means: "A clinic's commission exceeds the legal maximum rate, and no legal basis is recorded.",
      resolutions: ["handled"],
    },
  },
  resolutions: {},
  queries: (_environment, clocks) => [commissionAboveMaximum(clocks)],
} as const satisfies ExceptionPart;

/** The columns that this room has sealed. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: "credentials", column: "sealed", key: ["id"], purpose: purposeOf("webhook_secret") },
  { table: "centers", column: "sealed_bank_account", key: ["id"], purpose: BANK_ACCOUNT_SEAL },
];
