import type { ExceptionPart } from "../../platform/exceptions.ts";
import { centersWithAccount } from "../../tenants/centers/center-reads.ts";
import { payoutExceptionQueries } from "./exception-store.ts";

/** The exceptions about payouts. They are resolved elsewhere: once an account is recorded, the next daily run pays. */
export const payoutExceptions = {
  kinds: {
    payout_refused: { means: "The bank refused a payout.", resolutions: ["handled"] },
    payee_without_account: { means: "A payee has told no bank account.", resolutions: ["handled"] },
  },
  resolutions: {},
  queries: (environment) => payoutExceptionQueries(environment, centersWithAccount()),
} as const satisfies ExceptionPart;
