import { owedByOrder, takenFromOwed } from "../../orders/ledger/balances.ts";
import type { ExceptionPart } from "../../platform/exceptions.ts";
import { centersWithAccount } from "../../tenants/centers/center-reads.ts";
import { payoutExceptionQueries } from "./exception-store.ts";
import { confirmAccount, holdAccount } from "./payee-account.ts";

/** The exceptions about payouts. Most are resolved elsewhere: once an account is recorded, the next daily run pays. */
export const payoutExceptions = {
  kinds: {
    payout_refused: { means: "The bank refused a payout.", resolutions: ["handled"] },
    payee_owes: {
      means: "A payee was paid more than its orders earned, and no later order has made up for it.",
      resolutions: ["handled"],
    },
    payee_without_account: { means: "A payee has told no bank account.", resolutions: ["handled"] },
    payee_account_changed: {
      means: "A bank account was given for a payee that nobody has confirmed; its payouts wait.",
      resolutions: ["confirm_account"],
      hold: holdAccount,
    },
  },
  resolutions: {
    confirm_account: {
      means: "the payee has confirmed by telephone that the account is its own; needs two operators",
      resolve: confirmAccount,
    },
  },
  queries: (environment) =>
    payoutExceptionQueries(environment, {
      centersWithAccount: centersWithAccount(),
      owedByOrder: owedByOrder(),
      takenFromOwed: takenFromOwed(),
    }),
} as const satisfies ExceptionPart;
