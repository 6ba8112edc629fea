import { chargebackIds } from "../collection/collection-reads.ts";
import { owedByOrder, takenFromOwed } from "../orders/balances.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { ExceptionPart } from "../platform/exceptions.ts";
import { type Provider, realMoment } from "../platform/provider.ts";
import type { SealedColumn } from "../platform/reseal-store.ts";
import { addCalendarDays, type CalendarDay, santiagoMoment } from "../platform/santiago-time.ts";
import type { TimelinePart } from "../platform/timeline.ts";
import { nextDue } from "../platform/timers/timer-store.ts";
import { centersWithAccount } from "../tenants/centers.ts";
import {
  differenceEntries,
  differenceTimers,
  differenceWaits,
  payoutEntries,
  payoutExceptionQueries,
  payoutTimers,
  payoutWaits,
  reconciliationExceptionQueries,
} from "./operations-store.ts";
import { confirmAccount, lockAccount } from "./payee-account.ts";
import { payoutIdOf } from "./payout.ts";
import { selectPayeeIds } from "./payout-store.ts";
import { PAYOUT_RUN_TIMER } from "./payouts/owe-payee.ts";
import { ACCOUNT_PURPOSE as purpose } from "./payouts/payout-record.ts";
import { SEND_PAYOUT_TIMER } from "./payouts/run-payouts.ts";
import { lockDifference, returnCharge } from "./reconciliation/send-charge-return.ts";
import { cancelLoan } from "./reconciliation/send-loan-cancellation.ts";

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
      hold: lockAccount,
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

/** The payouts of the order's money to its clinic, and of what was collected to the lender. */
export const payoutTimeline = {
  kinds: {
    "payout.included": "The order became part of a payout.",
    "payout.ended": "The bank answered the payout.",
    "remittance.included": "What was collected of the order became part of a remittance to the lender.",
    "remittance.ended": "The bank answered the remittance.",
    "waits.remittance": "Something was collected for the lender; the next remittance pays it.",
    "waits.payout": "What the clinic is owed changed; the next payout pays it.",
    "waits.bank": "The bank has not answered a payout.",
    [PAYOUT_RUN_TIMER]: "pays the clinic what it is owed, and the lender what was collected for it",
    [SEND_PAYOUT_TIMER]: "sends a payout, or asks the bank what became of it",
  },
  happened: payoutEntries,
  waits: payoutWaits,
  timers: payoutTimers,
} as const satisfies TimelinePart;

/**
 * Whether a payout that the bank lists and the books lost in a restore will be asked for under its id again: the run of
 * its day is still to come, and its payee is known.
 */
export async function isPayoutAskedFor(
  db: Database,
  provider: Provider,
  { id, day }: { readonly id: string; readonly day: CalendarDay },
): Promise<boolean> {
  const payees = await selectPayeeIds(db, provider.id);
  if (!payees.some((payeeId) => payoutIdOf(payeeId, day) === id)) return false;
  const before = realMoment(provider, santiagoMoment(addCalendarDays(day, 1)));
  const nextRun = await nextDue(db, provider.id, { only: PAYOUT_RUN_TIMER });
  return nextRun !== null && nextRun.dueAt < before;
}

const column = "sealed_bank_account";
const key = ["provider_id", "id"];

/** What this room has sealed. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: "payout_terms", column, key: ["provider_id"], purpose },
  { table: "lender_accounts", column, key: ["provider_id"], purpose },
  { table: "payee_accounts", column, key, purpose },
  { table: "payouts", column, key, purpose, hashColumn: "account_hash" },
];

/** The exceptions about the daily reconciliation. A difference disappears when its cause has been corrected. */
export const reconciliationExceptions = {
  kinds: {
    difference: {
      means: "Books and a party's list do not agree.",
      resolutions: ["return_charge", "cancel_loan", "handled"],
      hold: lockDifference,
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

/** Where the books about the order and a gateway's list did not agree. */
export const reconciliationTimeline = {
  kinds: {
    "difference.seen": "The books and a gateway's list did not agree.",
    "difference.gone": "The books and the gateway's list agree again.",
    "charge_return.requested": "A charge that the books do not have is to go back to the card.",
    "charge_return.taken": "The processor has taken that return, and tells its end later.",
    "charge_return.ended": "The processor gave that charge back, or refused to.",
    "loan_cancellation.requested": "A loan that the books do not have is to be cancelled.",
    "loan_cancellation.ended": "The lender cancelled that loan, or no longer has it as it was.",
    "loan.cancel": "The lender is asked to cancel that loan.",
    "charge.return": "The processor is asked to give that charge back.",
    "waits.difference": "The books and a gateway's list do not agree.",
  },
  happened: differenceEntries,
  waits: differenceWaits,
  timers: differenceTimers,
} as const satisfies TimelinePart;
