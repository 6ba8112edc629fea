import { chargebackIds } from "../../collection/chargeback-reads.ts";
import type { ExceptionPart } from "../../platform/exceptions.ts";
import { cancelLoan } from "./cancel-loan.ts";
import { reconciliationExceptionQueries } from "./exception-store.ts";
import { holdDifference, returnCharge } from "./return-charge.ts";

/** The exceptions about the daily reconciliation. A difference disappears when its cause has been corrected. */
export const reconciliationExceptions = {
  kinds: {
    difference: {
      means: "Books and a party's list do not agree.",
      resolutions: ["return_charge", "cancel_loan", "handled"],
      hold: holdDifference,
    },
    list_unavailable: { means: "A party's list could not be had for two days or more.", resolutions: ["handled"] },
  },
  resolutions: {
    return_charge: {
      means: "give the card a charge back that the books do not have; the patient is told",
      resolve: returnCharge,
    },
    cancel_loan: {
      means: "have the lender cancel a loan that the books do not have",
      resolve: cancelLoan,
    },
  },
  queries: () => reconciliationExceptionQueries(chargebackIds()),
} as const satisfies ExceptionPart;
