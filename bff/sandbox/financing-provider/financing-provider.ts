import { minClp, subtractClp } from "../../src/contract/vocabulary/clp.ts";
import type { Rut } from "../../src/contract/vocabulary/rut.ts";
import type {
  ConfirmationOutcome,
  FinancingProvider,
  Loan,
  LoanOutcome,
  ReductionOutcome,
  ReportOutcome,
} from "../../src/gateways/financing-provider.ts";
import type { GatewayCall, Unknown } from "../../src/gateways/gateway-call.ts";
import {
  confirmationSchema,
  loanOutcomeSchema,
  reductionSchema,
  reportSchema,
} from "../../src/gateways/protocols/financing-provider.ts";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";
import { readAllPages } from "../calls/read-all-pages.ts";
import { callOnce, type Effect, inquire, readListed, type SandboxDependencies } from "../calls/sandbox-call.ts";
import { changeLoan, findLoan, insertLoan, lockLoan, pageLoans, writeReport } from "./financing-provider-store.ts";
import {
  CONFIRMATION_REFUSAL_REASONS,
  type CreditBehaviour,
  loanStatus,
  NOT_OPEN_REASONS,
  REFUSAL_REASONS,
  type StoredLoan,
} from "./loan.ts";

export interface SandboxFinancingProviderDependencies extends SandboxDependencies {
  readonly name: string;
  /** The provider's decision about a person. */
  readonly creditBehaviour: (rut: Rut) => CreditBehaviour;
}

type Definite<Outcome> = Exclude<Outcome, Unknown>;

const PARTY = "financing-provider";

/**
 * A financing provider whose behaviour depends on the patient's RUT, as the catalogue specifies. It remembers every
 * call by its idempotency key in separate tables and transactions. Reviews end by the time of the calls.
 */
export function createSandboxFinancingProvider(dependencies: SandboxFinancingProviderDependencies): FinancingProvider {
  const { db, name } = dependencies;
  const requesting = (call: GatewayCall) =>
    ({ party: PARTY, operation: "authoriseLoan", call, answer: remembered }) as const;
  const confirming = (call: GatewayCall) =>
    ({ party: PARTY, operation: "confirmLoan", call, answer: confirmationSchema }) as const;
  const reducing = (call: GatewayCall) =>
    ({ party: PARTY, operation: "reduceLoan", call, answer: reductionSchema }) as const;
  const reporting = (call: GatewayCall) =>
    ({ party: PARTY, operation: "reportLoan", call, answer: reportSchema }) as const;
  return {
    name,
    async authoriseLoan(call, input) {
      const answer = await callOnce(dependencies, { ...requesting(call), input }, (tx) =>
        requestLoan(dependencies, tx, call, input),
      );
      return asOfNow(db, answer, call);
    },
    async inquireLoan(call) {
      const answer = await inquire(dependencies, { ...requesting(call), method: "inquireLoan" });
      return answer.outcome === "not_found" ? answer : asOfNow(db, answer, call);
    },
    confirmLoan: (call, input) =>
      callOnce(dependencies, { ...confirming(call), input }, (tx) => confirmLoan(tx, call, input.loanId)),
    inquireConfirmation: (call) => inquire(dependencies, { ...confirming(call), method: "inquireConfirmation" }),
    reduceLoan: (call, input) =>
      callOnce(dependencies, { ...reducing(call), input }, (tx) => reduceLoan(tx, call, input)),
    inquireReduction: (call) => inquire(dependencies, { ...reducing(call), method: "inquireReduction" }),
    reportLoan: (call, input) =>
      callOnce(dependencies, { ...reporting(call), input }, (tx) => noteReport(tx, call, input)),
    inquireReport: (call) => inquire(dependencies, { ...reporting(call), method: "inquireReport" }),
    listLoans: (providerId, from, to) =>
      readListed(dependencies, { party: PARTY, method: "listLoans", providerId }, async () => {
        const loans = await readAllPages<StoredLoan>((last) =>
          pageLoans(db, { providerId, from, to, after: last?.id ?? null }),
        );
        return loans.map((loan) => publicLoan(loan, to));
      }),
  };
}

/** The remembered answer only names the loan. Its status is computed from the time. */
const remembered = loanOutcomeSchema;

async function requestLoan(
  { ids, creditBehaviour }: SandboxFinancingProviderDependencies,
  tx: Transaction,
  call: GatewayCall,
  input: Parameters<FinancingProvider["authoriseLoan"]>[1],
): Promise<Effect<Definite<LoanOutcome>>> {
  const { providerId, idempotencyKey, at } = call;
  const loan: StoredLoan = {
    id: ids.uuid(),
    providerId,
    idempotencyKey,
    orderHash: input.orderHash,
    amount: input.amount,
    remaining: input.amount,
    behaviour: creditBehaviour(input.rut),
    status: "open",
    requestedAt: at,
  };
  await insertLoan(tx, loan);
  return { answered: { outcome: "under_review", loanId: loan.id } };
}

/** The outcome of a requested loan at the time of a call. */
async function asOfNow(db: Database, answer: LoanOutcome, call: GatewayCall): Promise<LoanOutcome> {
  if (answer.outcome !== "under_review") return answer;
  const loan = await findLoan(db, { providerId: call.providerId, loanId: answer.loanId });
  switch (loan === undefined ? "cancelled" : loanStatus(loan, call.at)) {
    case "under_review":
      return answer;
    case "authorised":
    case "confirmed":
      return { outcome: "authorised", loanId: answer.loanId };
    case "refused":
      return { outcome: "refused", reasons: refusalReasons(loan) };
    case "cancelled":
      return { outcome: "refused", reasons: NOT_OPEN_REASONS };
  }
}

function refusalReasons(loan: StoredLoan | undefined): readonly string[] {
  return loan?.behaviour === "confirmation_refused" ? CONFIRMATION_REFUSAL_REASONS : REFUSAL_REASONS;
}

async function confirmLoan(
  tx: Transaction,
  call: GatewayCall,
  loanId: string,
): Promise<Effect<Definite<ConfirmationOutcome>>> {
  const loan = await lockLoan(tx, { providerId: call.providerId, loanId });
  const status = loan === undefined ? "cancelled" : loanStatus(loan, call.at);
  if (loan === undefined || status === "cancelled" || status === "refused" || status === "under_review") {
    return { answered: { outcome: "refused", reasons: NOT_OPEN_REASONS } };
  }
  if (loan.behaviour === "confirmation_refused") {
    await changeLoan(tx, loanId, { status: "refused", remaining: loan.remaining, at: call.at });
    return { answered: { outcome: "refused", reasons: CONFIRMATION_REFUSAL_REASONS } };
  }
  if (status === "authorised") {
    await changeLoan(tx, loanId, { status: "confirmed", remaining: loan.remaining, at: call.at });
  }
  return { answered: { outcome: "confirmed" } };
}

/** Reduces a loan. A reduction by more than the remaining amount cancels it. */
async function reduceLoan(
  tx: Transaction,
  call: GatewayCall,
  { loanId, amount }: Parameters<FinancingProvider["reduceLoan"]>[1],
): Promise<Effect<Definite<ReductionOutcome>>> {
  const loan = await lockLoan(tx, { providerId: call.providerId, loanId });
  if (loan === undefined) return { lost: true };
  const remaining = subtractClp(loan.remaining, minClp(amount, loan.remaining));
  const isRefused = loanStatus(loan, call.at) === "refused";
  const status = isRefused ? "refused" : remaining === 0 ? "cancelled" : loan.status;
  await changeLoan(tx, loanId, { status, remaining, at: call.at });
  return { answered: { outcome: "reduced", remaining } };
}

/** Stores a report about a loan. A loan of another provider counts as unknown. */
async function noteReport(
  tx: Transaction,
  { providerId }: GatewayCall,
  { loanId, end, amount }: Parameters<FinancingProvider["reportLoan"]>[1],
): Promise<Effect<Definite<ReportOutcome>>> {
  const loan = await lockLoan(tx, { providerId, loanId });
  if (loan === undefined) return { lost: true };
  await writeReport(tx, loanId, { end, amount });
  return { answered: { outcome: "noted" } };
}

function publicLoan(loan: StoredLoan, at: Date): Loan {
  return {
    id: loan.id,
    orderHash: loan.orderHash,
    idempotencyKey: loan.idempotencyKey,
    amount: loan.remaining,
    status: loanStatus(loan, at),
  };
}
