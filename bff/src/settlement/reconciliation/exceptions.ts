import { chargebackIds } from "../../collection/chargeback-reads.ts";
import type { ExceptionPart } from "../../platform/exceptions.ts";
import { reconciliationExceptionQueries } from "./exception-store.ts";

/** What an operator sees of the daily reconciliation. A difference goes when what caused it is put right. */
export const reconciliationExceptions = {
  kinds: {
    difference: { means: "Books and a party's list do not agree.", resolutions: ["handled"] },
    list_unavailable: { means: "A party's list could not be had for two days or more.", resolutions: ["handled"] },
  },
  resolutions: {},
  queries: () => reconciliationExceptionQueries(chargebackIds()),
} as const satisfies ExceptionPart;
