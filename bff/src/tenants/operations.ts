import type { ExceptionPart } from "../platform/exceptions.ts";
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
