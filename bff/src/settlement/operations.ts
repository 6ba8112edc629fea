import { chargebackIds } from "../collection/operations.ts";
import { owedByOrder, takenFromOwed } from "../orders/book-reads.ts";
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
  readUnknownTransfer,
  reconciliationExceptionQueries,
} from "./operations-store.ts";
import { payoutIdOf } from "./payout.ts";
import { selectPayeeIds } from "./payout-store.ts";
import { confirmAccount, lockAccount } from "./payout-terms.ts";
import { PAYOUT_RUN_TIMER } from "./payouts/owe-payee.ts";
import { ACCOUNT_PURPOSE as purpose } from "./payouts/payout-record.ts";
import { SEND_PAYOUT_TIMER } from "./payouts/run-payouts.ts";
import { lockDifference, returnCharge } from "./reconciliation/send-charge-return.ts";
import { cancelLoan } from "./reconciliation/send-loan-cancellation.ts";

/** The exceptions about payouts. Most resolve themselves: once an account is recorded, the next daily run pays. */
export const payoutExceptions = {
  kinds: {
    payout_refused: { means: "The bank refused a payout.", resolutions: ["handled"] },
    payout_returned: { means: "The bank returned a payout after it was sent.", resolutions: ["handled"] },
    payee_owes: {
      means: "A payee was paid more than its orders earned, and later orders have not made up for it.",
      resolutions: ["handled"],
    },
    payee_without_account: { means: "A payee has no bank account on record.", resolutions: ["handled"] },
    payee_account_changed: {
      means: "A payee's new bank account is unconfirmed, so its payouts wait.",
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
  unknownCall: readUnknownTransfer,
  queries: (environment) =>
    payoutExceptionQueries(environment, {
      centersWithAccount: centersWithAccount(),
      owedByOrder: owedByOrder(),
      takenFromOwed: takenFromOwed(),
    }),
} as const satisfies ExceptionPart;

/** The payouts of the order's money to its clinic, and of its collections to the lender. */
export const payoutTimeline = {
  kinds: {
    "payout.included": "The order was included in a payout.",
    "payout.taken": "The bank accepted the payout and makes it later.",
    "payout.ended": "The bank answered the payout.",
    "payout.returned": "The bank returned the payout.",
    "remittance.included": "The order's collection was included in a remittance to the lender.",
    "remittance.taken": "The bank accepted the remittance and makes it later.",
    "remittance.ended": "The bank answered the remittance.",
    "remittance.returned": "The bank returned the remittance.",
    "waits.remittance": "An amount was collected for the lender. The next remittance pays it.",
    "waits.payout": "The amount owed to the clinic changed. The next payout pays it.",
    "waits.bank": "The bank has not answered a payout.",
    [PAYOUT_RUN_TIMER]: "pays the clinic what it is owed, and the lender what was collected for it",
    [SEND_PAYOUT_TIMER]: "sends a payout, or asks the bank what became of it",
  },
  happened: payoutEntries,
  waits: payoutWaits,
  timers: payoutTimers,
} as const satisfies TimelinePart;

/**
 * Whether a payout that the bank lists and the books lost in a restore will be requested under its id again. True if
 * its payee is known and the run of its day is still to come.
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

/** The columns that this room seals. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: "payout_terms", column, key: ["provider_id"], purpose },
  { table: "lender_accounts", column, key: ["provider_id"], purpose },
  { table: "payee_accounts", column, key, purpose },
  { table: "payouts", column, key, purpose, hashColumn: "account_hash" },
];

/** The exceptions about the daily reconciliation. A difference disappears once its cause is corrected. */
export const reconciliationExceptions = {
  kinds: {
    difference: {
      means: "The books and a party's list disagree.",
      resolutions: ["return_charge", "cancel_loan", "handled"],
      hold: lockDifference,
    },
    list_unavailable: { means: "A party's list was unavailable for two days or more.", resolutions: ["handled"] },
  },
  resolutions: {
    return_charge: {
      means: "return a charge that the books do not have to its card; the patient is notified",
      resolve: returnCharge,
    },
    cancel_loan: {
      means: "have the lender cancel a loan that the books do not have",
      resolve: cancelLoan,
    },
  },
  queries: () => reconciliationExceptionQueries(chargebackIds()),
} as const satisfies ExceptionPart;

/** Disagreements between the books about the order and a gateway's list. */
export const reconciliationTimeline = {
  kinds: {
    "difference.seen": "The books and a gateway's list disagreed.",
    "difference.gone": "The books and the gateway's list agree again.",
    "charge_return.requested": "An operator had a charge that is missing in the books returned to the card.",
    "charge_return.taken": "The processor accepted that return and reports the result later.",
    "charge_return.ended": "The processor returned that charge, or refused to.",
    "loan_cancellation.requested": "An operator had a loan that is missing in the books cancelled.",
    "loan_cancellation.ended": "The lender cancelled that loan, or no longer lists it unchanged.",
    "loan.cancel": "The lender is asked to cancel that loan.",
    "charge.return": "The processor is asked to return that charge.",
    "waits.difference": "The books and a gateway's list disagree.",
  },
  happened: differenceEntries,
  waits: differenceWaits,
  timers: differenceTimers,
} as const satisfies TimelinePart;
