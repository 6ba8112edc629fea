import type { Clp } from "../../src/contract/vocabulary/clp.ts";
import type { OrderId } from "../../src/contract/vocabulary/identifiers.ts";
import type { Loan } from "../../src/gateways/financing-provider.ts";

/** The decision of the sandbox's financing provider about a person. */
export type CreditBehaviour =
  | "authorised"
  | "refused"
  | "review_authorised"
  | "review_refused"
  | "confirmation_refused";

/** How long a review takes. */
const CREDIT_REVIEW_SECONDS = 20;

/** A loan as the sandbox's financing provider stores it. */
export interface StoredLoan {
  readonly id: string;
  readonly providerId: string;
  readonly idempotencyKey: string;
  readonly orderHash: OrderId;
  readonly amount: Clp;
  /** The amount that is left after the reductions. */
  readonly remaining: Clp;
  readonly behaviour: CreditBehaviour;
  /** `open`: no call has confirmed, refused or cancelled it; whether it is under review depends on the time. */
  readonly status: "open" | "confirmed" | "refused" | "cancelled";
  readonly requestedAt: Date;
}

/** When the provider decides about a loan. */
export function decidedAt(behaviour: CreditBehaviour, requestedAt: Date): Date {
  const isReviewed = behaviour === "review_authorised" || behaviour === "review_refused";
  return isReviewed ? new Date(requestedAt.getTime() + CREDIT_REVIEW_SECONDS * 1000) : requestedAt;
}

/** A loan's status at the moment `at`. */
export function loanStatus(loan: StoredLoan, at: Date): Exclude<Loan["status"], "settled"> {
  if (loan.status !== "open") return loan.status;
  if (at < decidedAt(loan.behaviour, loan.requestedAt)) return "under_review";
  return loan.behaviour === "refused" || loan.behaviour === "review_refused" ? "refused" : "authorised";
}

/** The reasons with which the sandbox refuses a credit: objective, and in plain words for the patient. */
export const REFUSAL_REASONS: readonly string[] = [
  "Tus ingresos declarados no alcanzan para el monto que pides.",
  "Registras una deuda morosa vigente en los informes comerciales.",
];

export const CONFIRMATION_REFUSAL_REASONS: readonly string[] = [
  "Tu cupo disponible cambió mientras se procesaba el pago y ya no alcanza para este monto.",
];

export const NOT_OPEN_REASONS: readonly string[] = ["El crédito ya no está vigente."];
