import { formatClp, ZERO } from "../../contract/vocabulary/clp.ts";
import { DAY_MS } from "../../contract/vocabulary/durations.ts";
import type { FinancingProvider, ReductionOutcome } from "../../gateways/financing-provider.ts";
import {
  type Answered,
  type CallConnectors,
  type GatewayCall,
  GatewayUnavailable,
  type Unknown,
} from "../../gateways/gateway-call.ts";
import { type AttemptCalls, runCall, timerOutcomeOf } from "../../gateways/run-call.ts";
import { mayBeFound } from "../../orders/charge-lost-in-restore.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import { ResolutionRefused, type Resolving, type WeightyOutcome } from "../../platform/exceptions.ts";
import { idFor } from "../../platform/ids.ts";
import { type Provider, providerNow } from "../../platform/provider.ts";
import { type ClaimedTimer, scheduleTimer } from "../../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../../platform/timers/timer-worker.ts";
import { requireProvider } from "../../tenants/providers.ts";
import { sourceOf } from "../compare-lines.ts";
import { isLent } from "./compare.ts";
import {
  countCancellationInquiry,
  endLoanCancellation,
  insertLoanCancellation,
  type LoanCancellation,
  takeUpLoanCancellation,
} from "./loan-cancellation-store.ts";
import { lockUnbooked } from "./reconciliation-store.ts";

export interface CancelLoanDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly financingProvider: Pick<FinancingProvider, "listLoans" | "reduceLoan" | "inquireReduction">;
  readonly connectors: Pick<CallConnectors, "financingProvider">;
}

/** `refused`: the lender no longer lists the loan unchanged. */
type CancellationAnswer = Answered<ReductionOutcome> | { readonly outcome: "refused" };

/**
 * Requests the cancellation of a loan from the lender once. Inquires first, because an earlier attempt may have
 * arrived.
 */
export async function sendLoanCancellation(
  dependencies: CancelLoanDependencies,
  timer: ClaimedTimer,
): Promise<TimerOutcome> {
  const { db, clock, connectors } = dependencies;
  const key = { providerId: timer.providerId, id: timer.key };
  const attempt = await takeUpLoanCancellation(db, key, connectors.financingProvider);
  if (attempt === null) return "done";
  const provider = await requireProvider(db, timer.providerId);
  const ran = await runCall(db, callsOf(dependencies, provider), { attempt, mayHaveArrived: true });
  return timerOutcomeOf(ran, clock.now());
}

function callsOf(
  dependencies: CancelLoanDependencies,
  provider: Provider,
): AttemptCalls<LoanCancellation, CancellationAnswer> {
  const { db, clock, financingProvider } = dependencies;
  const now = () => providerNow(provider, clock.now());
  return {
    nextCall: (attempt) =>
      attempt.state !== "sending"
        ? null
        : {
            under: {
              providerId: provider.id,
              idempotencyKey: `${attempt.id}:loan-cancellation`,
              at: now(),
              connector: attempt.connector,
            },
            inquire: (under) => financingProvider.inquireReduction(under),
            call: (under) => callReduction(dependencies, attempt, under),
          },
    settle: (tx, attempt, answer) => settle(tx, attempt, answer, now()),
    // The first inquiry always precedes the call, so it does not count as one about a lost answer.
    release: async (attempt) => (await countCancellationInquiry(db, attempt)) - 1,
  };
}

/**
 * The books do not have the lender's id of the loan, so this looks it up in the lender's list. A loan that has changed
 * is not cancelled.
 */
async function callReduction(
  { financingProvider }: CancelLoanDependencies,
  { providerId, reference, amount, listedFrom }: LoanCancellation,
  under: GatewayCall,
): Promise<CancellationAnswer | Unknown> {
  const [from, to] = [new Date(listedFrom.getTime() - DAY_MS), new Date(under.at.getTime() + DAY_MS)];
  try {
    const listed = await financingProvider.listLoans(providerId, from, to);
    const loan = listed.find(
      (one) => sourceOf(one.idempotencyKey, 0) === reference && isLent(one) && one.amount === amount,
    );
    return loan === undefined
      ? { outcome: "refused" }
      : await financingProvider.reduceLoan(under, { loanId: loan.id, amount });
  } catch (error) {
    if (error instanceof GatewayUnavailable) return { outcome: "unknown" };
    throw error;
  }
}

async function settle(
  tx: Transaction,
  attempt: LoanCancellation,
  answer: CancellationAnswer,
  at: Date,
): Promise<LoanCancellation | null> {
  const state = answer.outcome === "reduced" && answer.remaining === ZERO ? "cancelled" : "refused";
  return (await endLoanCancellation(tx, attempt, { state, at })) ? { ...attempt, state } : null;
}

/** Requests the cancellation of a loan. The timer's key is the id of the cancellation. */
export const CANCEL_LOAN_TIMER = "loan.cancel";

/**
 * Cancels a loan that the lender lists and the books do not have. Refused while a payment of the order may still find
 * the loan, because that payment would then have none.
 */
export async function cancelLoan({ tx, clock, exception, at }: Resolving): Promise<WeightyOutcome> {
  const { providerId, subject } = exception;
  const reference = subject.replace(/^loan_not_booked:/, "");
  if (reference === subject)
    throw new ResolutionRefused("This difference is not about a loan that the lender has and the books do not.");
  if (exception.facts.cancellation === "refused")
    throw new ResolutionRefused(
      "The lender no longer lists this loan unchanged. Agree with the lender what happens to it.",
    );
  const loan = await lockUnbooked(tx, { providerId, kind: "loan_not_booked", reference });
  if (loan === null) throw new ResolutionRefused("This loan no longer exists.");
  const { orderId, amount, at: listedFrom } = loan;
  if (orderId !== null && (await mayBeFound(tx, { providerId, orderId }, reference)))
    throw new ResolutionRefused("The order's payment may still request this loan, and will then find it.");
  // The id is derived from the loan, so that a restored database requests the cancellation under the same key.
  const id = idFor(`${providerId}:${reference}:loan-cancellation`);
  if (!(await insertLoanCancellation(tx, { id, providerId, reference, orderId, amount, listedFrom }, at)))
    throw new ResolutionRefused("It is already being cancelled.");
  await scheduleTimer(tx, { kind: CANCEL_LOAN_TIMER, key: id, providerId, dueAt: clock.now(), payload: {} });
  return { outcome: `The loan of ${formatClp(amount)} is being cancelled.`, amount };
}
