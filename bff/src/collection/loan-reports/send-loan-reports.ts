import type { ReportOutcome } from "../../gateways/financing-provider.ts";
import type { Answered } from "../../gateways/gateway-call.ts";
import { type AttemptCalls, runCall, timerOutcomeOf } from "../../gateways/run-call.ts";
import { findOrder } from "../../orders/order-reads.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { type Provider, providerNow } from "../../platform/provider.ts";
import type { ClaimedTimer } from "../../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../../platform/timers/timer-worker.ts";
import { requireProvider } from "../../tenants/providers.ts";
import type { CollectionKey } from "../collection.ts";
import { keyOf } from "../collection-timers.ts";
import type { CollectionDependencies } from "../dependencies.ts";
import { countReportInquiry, type LoanReport, takeUpReports, writeReported } from "./loan-report-store.ts";

/** Reports the end of an order's loan to the lender, one report after another, until it has confirmed each. */
export async function sendLoanReports(
  dependencies: CollectionDependencies,
  timer: ClaimedTimer,
): Promise<TimerOutcome> {
  const { db, clock } = dependencies;
  const key = keyOf(timer);
  const provider = await requireProvider(db, key.providerId);
  const loanId = (await findOrder(db, key))?.loanId ?? null;
  if (loanId === null) throw new LoanMissing("An order whose loan has ended has no loan.");
  const { reports, mayHaveArrived } = await inTransaction(db, (tx) =>
    takeUpReports(tx, key, providerNow(provider, clock.now())),
  );
  const calls = reportCalls(dependencies, { provider, key, loanId });
  return timerOutcomeOf(await runCall(db, calls, { attempt: reports, mayHaveArrived }), clock.now());
}

/** Thrown when the order of a report has no loan: a defect. */
class LoanMissing extends Error {
  override readonly name = "LoanMissing";
  readonly code = "loan_missing";
}

interface Sending {
  readonly provider: Provider;
  readonly key: CollectionKey;
  readonly loanId: string;
}

/** The attempt consists of the unconfirmed reports, oldest first. */
function reportCalls(
  { db, clock, financingProvider }: CollectionDependencies,
  { provider, key, loanId }: Sending,
): AttemptCalls<readonly LoanReport[], Answered<ReportOutcome>> {
  const now = () => providerNow(provider, clock.now());
  return {
    nextCall: ([next]) => {
      if (next === undefined) return null;
      const { number, end, amount } = next;
      return {
        under: {
          providerId: key.providerId,
          idempotencyKey: `${key.orderId}:loan:${number}:${end}`,
          at: now(),
          connector: null,
        },
        inquire: (under) => financingProvider.inquireReport(under),
        call: (under) => financingProvider.reportLoan(under, { loanId, end, amount }),
      };
    },
    settle: async (tx, [reported, ...rest]) =>
      reported !== undefined && (await writeReported(tx, key, reported.number, now())) ? rest : null,
    release: async ([waiting], { wasInquired }) =>
      waiting !== undefined && wasInquired ? countReportInquiry(db, key, waiting.number) : 0,
  };
}
