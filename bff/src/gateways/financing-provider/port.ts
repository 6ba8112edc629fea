import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Rut } from "../../contract/vocabulary/rut.ts";
import type { GatewayCall, NotFound, Unknown } from "../gateway-call.ts";

export type LoanOutcome =
  | { readonly outcome: "authorised"; readonly loanId: string }
  | { readonly outcome: "under_review"; readonly loanId: string }
  /** The reasons are objective and in plain Spanish: the law wants them written. */
  | { readonly outcome: "refused"; readonly reasons: readonly string[] }
  | Unknown;

export type ConfirmationOutcome =
  | { readonly outcome: "confirmed" }
  | { readonly outcome: "refused"; readonly reasons: readonly string[] }
  | Unknown;

export type ReductionOutcome = { readonly outcome: "reduced"; readonly remaining: Clp } | Unknown;

export interface Loan {
  readonly id: string;
  readonly orderId: OrderId;
  readonly idempotencyKey: string;
  /** What remains of it after all reductions. */
  readonly amount: Clp;
  readonly status: "under_review" | "authorised" | "confirmed" | "refused" | "cancelled" | "settled";
}

/** Who lends the deferred part, in our words. Idempotent by key; settled by inquiry, as with the card processor. */
export interface FinancingProvider {
  /** Its name, as the law wants it shown to the patient. */
  readonly name: string;
  authoriseLoan(
    call: GatewayCall,
    input: { readonly rut: Rut; readonly amount: Clp; readonly orderId: OrderId },
  ): Promise<LoanOutcome>;
  inquireLoan(call: GatewayCall): Promise<LoanOutcome | NotFound>;
  /** After the capture of the first instalment: the loan is paid out. */
  confirmLoan(call: GatewayCall, input: { readonly loanId: string }): Promise<ConfirmationOutcome>;
  inquireConfirmation(call: GatewayCall): Promise<ConfirmationOutcome | NotFound>;
  /** Takes `amount` off a loan (all of it: the loan is cancelled), whether confirmed or only authorised. */
  reduceLoan(call: GatewayCall, input: { readonly loanId: string; readonly amount: Clp }): Promise<ReductionOutcome>;
  inquireReduction(call: GatewayCall): Promise<ReductionOutcome | NotFound>;
  /** All loans of one provider that changed in [from, to). */
  listLoans(providerId: string, from: Date, to: Date): Promise<readonly Loan[]>;
}
