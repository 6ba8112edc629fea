import type { ErrorAdditions, ErrorCode } from "bff/contract/errors";
import type { ConnectionFault } from "../words/words.ts";

/** The service refused the request, with an error code of the contract and that code's data. */
export interface Refusal {
  readonly kind: "refused";
  readonly code: ErrorCode;
  readonly status: number;
  readonly additions: ErrorAdditions;
  /** The service's id of this request, for support. */
  readonly traceId: string | null;
}

/** No readable answer: the request may or may not have succeeded. */
export interface NoAnswer {
  readonly kind: "no_answer";
  readonly fault: ConnectionFault;
  readonly traceId: string | null;
}

export type Problem = Refusal | NoAnswer;

/** The code of a later screen could not be loaded. Nothing was sent, and trying again is safe. */
export const NOTHING_SENT: NoAnswer = { kind: "no_answer", fault: "unreachable", traceId: null };

/** The input could not be sealed, so nothing was sent. This is not a network fault. */
export const NOT_SEALED: NoAnswer = { kind: "no_answer", fault: "unreadable", traceId: null };

export type Answer<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: Problem };

/** Thrown by queries and mutations when the service refused the request or did not answer. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(codeOf(problem));
    this.name = "ProblemError";
    this.problem = problem;
  }
}

/** The value of an answer, for queries and mutations. Throws a `ProblemError` if there is none. */
export function valueOrThrow<Value>(answer: Answer<Value>): Value {
  if (answer.ok) return answer.value;
  throw new ProblemError(answer.problem);
}

/** Why a query or a mutation failed. Anything but a `ProblemError` is a bug of ours, and no answer was read. */
export function problemOf(failure: unknown): Problem {
  return failure instanceof ProblemError ? failure.problem : { kind: "no_answer", fault: "unreadable", traceId: null };
}

/** Codes for a temporary failure of the service. As without an answer, it is unknown what the service did. */
const OPEN_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "idempotency_in_flight",
  "rate_limited",
  "internal_error",
  "upstream_unavailable",
  "service_unavailable",
]);

/** Whether the service has decided and nothing is in progress, so that a later request is another attempt. */
export function isDefinite(problem: Problem): problem is Refusal {
  return problem.kind === "refused" && !OPEN_CODES.has(problem.code);
}

export function isRefusedAs(problem: Problem | null, ...codes: readonly ErrorCode[]): problem is Refusal {
  return problem?.kind === "refused" && codes.includes(problem.code);
}

/** True if this card was refused, so that the patient enters another one. After a lost call the entered card stays. */
export function isCardRefused(problem: Problem | null): boolean {
  return isRefusedAs(problem, "card_declined", "card_expires_too_soon", "sealed_card_refused");
}

/** True if the code itself is wrong and can be corrected. */
export function isCodeRefused(problem: Problem | null): boolean {
  return isRefusedAs(problem, "recovery_code_invalid");
}

/** True for failures that concern the page or the clinic's set-up rather than the patient's actions. */
export function isForIntegrator(problem: Problem): boolean {
  return problem.kind === "refused" && (problem.status === 401 || problem.status === 403 || problem.status === 404);
}

/** The problem's code in messages to the embedding page. */
export function codeOf(problem: Problem): string {
  return problem.kind === "refused" ? problem.code : `no_answer_${problem.fault}`;
}
