import type { Clp } from "../../src/contract/vocabulary/clp.ts";
import type { OrderId } from "../../src/contract/vocabulary/identifiers.ts";
import type { Loan } from "../../src/gateways/financing-provider/port.ts";

/** How the financing provider of the sandbox decides about a person. */
export type CreditBehaviour =
  | "authorised"
  | "refused"
  | "review_authorised"
  | "review_refused"
  | "confirmation_refused";

/** How long a review takes. */
const CREDIT_REVIEW_SECONDS = 20;

/** A loan as the sandbox's financing provider keeps it. */
export interface StoredLoan {
  readonly id: string;
  readonly providerId: string;
  readonly idempotencyKey: string;
  readonly orderId: OrderId;
  readonly amount: Clp;
  /** What has not been taken off. */
  readonly remaining: Clp;
  readonly behaviour: CreditBehaviour;
  /** `open`: not confirmed, refused or cancelled by a call; whether it is under review is a matter of time. */
  readonly status: "open" | "confirmed" | "refused" | "cancelled";
  readonly requestedAt: Date;
}

/** When the provider has made up its mind about a loan. */
export function decidedAt(behaviour: CreditBehaviour, requestedAt: Date): Date {
  const isReviewed = behaviour === "review_authorised" || behaviour === "review_refused";
  return isReviewed ? new Date(requestedAt.getTime() + CREDIT_REVIEW_SECONDS * 1000) : requestedAt;
}

/** A loan's status at a moment. */
export function loanStatus(loan: StoredLoan, at: Date): Exclude<Loan["status"], "settled"> {
  if (loan.status !== "open") return loan.status;
  if (at < decidedAt(loan.behaviour, loan.requestedAt)) return "under_review";
  return loan.behaviour === "refused" || loan.behaviour === "review_refused" ? "refused" : "authorised";
}

/** Why the sandbox refuses a credit: objective, in plain words, for the patient to read. */
export const REFUSAL_REASONS: readonly string[] = [
  "Tus ingresos declarados no alcanzan para el monto que pides.",
  "Registras una deuda morosa vigente en los informes comerciales.",
];

export const CONFIRMATION_REFUSAL_REASONS: readonly string[] = [
  "Tu cupo disponible cambió mientras se procesaba el pago y ya no alcanza para este monto.",
];

export const NOT_OPEN_REASONS: readonly string[] = ["El crédito ya no está vigente."];
