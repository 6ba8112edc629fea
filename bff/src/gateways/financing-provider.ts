import type { Clp } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import type { GatewayCall, NotFound, Unknown } from "./gateway-call.ts";

export type LoanOutcome =
  | { readonly outcome: "authorised"; readonly loanId: string }
  | { readonly outcome: "under_review"; readonly loanId: string }
  /** Objective reasons in plain Spanish, which the law requires in writing. */
  | { readonly outcome: "refused"; readonly reasons: readonly string[] }
  | Unknown;

export type ConfirmationOutcome =
  | { readonly outcome: "confirmed" }
  | { readonly outcome: "refused"; readonly reasons: readonly string[] }
  | Unknown;

export type ReductionOutcome = { readonly outcome: "reduced"; readonly remaining: Clp } | Unknown;

/** How a loan ended, perhaps only for now: a loan in arrears may still be collected, written off or refunded. */
export const LOAN_ENDS = ["collected", "in_arrears", "written_off", "refunded"] as const;
export type LoanEnd = (typeof LOAN_ENDS)[number];

export type ReportOutcome = { readonly outcome: "noted" } | Unknown;

export interface Loan {
  readonly id: string;
  readonly orderHash: OrderId;
  readonly idempotencyKey: string;
  /** The amount that remains after all reductions. */
  readonly amount: Clp;
  readonly status: "under_review" | "authorised" | "confirmed" | "refused" | "cancelled" | "settled";
}

/**
 * The lender of the deferred part, in the service's own terms. Calls are idempotent by key and resolved by inquiry, as
 * with the card processor.
 */
export interface FinancingProvider {
  /** Its name, which the law requires to be shown to the patient. */
  readonly name: string;
  authoriseLoan(
    call: GatewayCall,
    input: { readonly rut: Rut; readonly amount: Clp; readonly orderHash: OrderId },
  ): Promise<LoanOutcome>;
  inquireLoan(call: GatewayCall): Promise<LoanOutcome | NotFound>;
  /** Called after the capture of the first instalment: pays the loan out. */
  confirmLoan(call: GatewayCall, input: { readonly loanId: string }): Promise<ConfirmationOutcome>;
  inquireConfirmation(call: GatewayCall): Promise<ConfirmationOutcome | NotFound>;
  /** Reduces a confirmed or authorised loan by `amount`; reducing it to zero cancels it. */
  reduceLoan(call: GatewayCall, input: { readonly loanId: string; readonly amount: Clp }): Promise<ReductionOutcome>;
  inquireReduction(call: GatewayCall): Promise<ReductionOutcome | NotFound>;
  /**
   * Reports to the lender how a confirmed loan ended. `amount` is the amount collected, in arrears, written off, or
   * refunded.
   */
  reportLoan(
    call: GatewayCall,
    input: { readonly loanId: string; readonly end: LoanEnd; readonly amount: Clp },
  ): Promise<ReportOutcome>;
  inquireReport(call: GatewayCall): Promise<ReportOutcome | NotFound>;
  /** All loans of one provider that changed in [from, to); `to` itself is excluded. */
  listLoans(providerId: string, from: Date, to: Date): Promise<readonly Loan[]>;
}
