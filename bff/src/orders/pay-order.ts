import { declinedBecause, type RefusedInstalment } from "../contract/errors.ts";
import type { GivenConsent, PayOrderResponse } from "../contract/orders.ts";
import type { Quote } from "../contract/quote.ts";
import { inquiryAt } from "../gateways/gateway-call.ts";
import { consentsMissing, consentsRecordedWith, localeOf } from "../patients/consents.ts";
import { resultWithin } from "../platform/background-work.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { type Lease, leaseFrom } from "../platform/lease.ts";
import type { Provider } from "../platform/provider.ts";
import { isSwitchedOff } from "../platform/switch-store.ts";
import type { KeptAgreement } from "./agreement/agreement-values.ts";
import { agreementAt } from "./agreement.ts";
import type { OrdersDependencies } from "./dependencies.ts";
import { firstChargeId, hashKey } from "./derived-ids.ts";
import { publishedStatus, wasPaid } from "./order.ts";
import { showToPatient } from "./order-reads.ts";
import type { OrderRecord, PaymentRecord } from "./order-record.ts";
import { requireOrder } from "./order-store.ts";
import { firstState, hasEnded, type PaymentAttempt } from "./payment-attempt.ts";
import { claimAttempt, findAttempt, startAttempt } from "./payments/payment-store.ts";
import {
  type PaymentRun,
  type RanPayment,
  type RunPaymentDependencies,
  runPayment,
  SETTLE_PAYMENT_TIMER,
} from "./payments/run-payment.ts";
import { paymentProblem } from "./readiness.ts";
import { requireRecognised } from "./recognise-identity.ts";
import { shownQuote } from "./shown-quote.ts";
import { orderPayload } from "./timer-payload.ts";

export type PayOrderDependencies = RunPaymentDependencies &
  Pick<
    OrdersDependencies,
    "background" | "shownTexts" | "answerWithinMs" | "annualCost" | "refuseCollision" | "recognisedPatient"
  >;

export interface PaymentRequest {
  readonly provider: Provider;
  readonly order: OrderRecord;
  readonly consents: readonly GivenConsent[];
  /** Names the quote that the patient saw; null if the page did not say. */
  readonly quoteSha256: string | null;
  /** The request's `Idempotency-Key`. A repeat returns the same attempt, whatever its outcome. */
  readonly idempotencyKey: string | null;
  readonly ip: string;
  readonly userAgent: string | null;
  /** When the request came, in the provider's time. */
  readonly now: Date;
}

/**
 * Pays the first instalment and has the loan for the rest authorised. Answers `succeeded`, also for an order that is
 * already paid; `requires_action` while the patient is at the issuer's challenge; `processing` while the outcome is
 * unknown. Repeating the call reports the current state. Throws `card_declined` (may be tried again with another key),
 * `credit_declined` (final), `service_unavailable` while an operator has switched charges off, the error of
 * `paymentProblem` if a step before the payment is missing, `service_unavailable` too while the operator's texts are
 * missing or other requests keep changing the order, `quote_changed` if the patient saw another quote than that of now,
 * and `RUT_OTHER_EMAIL` if the order names another mailbox than the registration of its patient.
 */
export async function payOrder(dependencies: PayOrderDependencies, request: PaymentRequest): Promise<PayOrderResponse> {
  let { order } = request;
  for (let race = 1; race <= RACES_MAX; race += 1) {
    const answer = await payAsItIs(dependencies, { ...request, order });
    if (answer !== null) return answer;
    order = await requireOrder(dependencies.db, order);
  }
  throw new ApiError("service_unavailable");
}

/** How often a payment begins again because the order changed meanwhile. */
const RACES_MAX = 3;

/** Pays the order as it was read; null if another request began a payment first or replaced the card. */
async function payAsItIs(
  dependencies: PayOrderDependencies,
  request: PaymentRequest,
): Promise<PayOrderResponse | null> {
  const { order } = request;
  if (wasPaid(order.state)) return answerFor(dependencies, request, NOTHING_RUN);
  const known = await findKnownAttempt(dependencies, request);
  if (known !== null) return answerFor(dependencies, request, await resume(dependencies, request, known));
  await requireRecognised(dependencies, request);
  const problem = paymentProblem(order, consentsMissing("payment", request.consents).length === 0, request.now);
  if (problem !== null) throw new ApiError(problem);
  await dependencies.refuseCollision(dependencies.db, request);
  if (order.state !== "awaiting_payment" && order.state !== "paying") throw new ApiError("order_not_payable");
  const begun = await begin(dependencies, request);
  if (begun !== null) return answerFor(dependencies, request, begun);
  if (await isSwitchedOff(dependencies.db, "charges", order.providerId)) throw new ApiError("service_unavailable");
  return null;
}

/**
 * The attempt that this request refers to: the one with its key, the one in progress, or the one that ended for good.
 */
async function findKnownAttempt(
  { db }: PayOrderDependencies,
  { order, idempotencyKey }: PaymentRequest,
): Promise<PaymentAttempt | null> {
  // Every attempt has a payment, so an order without payments has no attempt. One that begins now is detected by
  // `startAttempt`.
  if (order.payments.length === 0) return null;
  if (idempotencyKey !== null) {
    const ofKey = await findAttempt(db, order, { keyHash: hashKey(idempotencyKey) });
    if (ofKey !== null) return ofKey;
  }
  const open = await findAttempt(db, order, "open");
  if (open !== null) return open;
  return order.state === "payment_failed" || order.state === "credit_refused" ? findAttempt(db, order, "last") : null;
}

/**
 * One attempt as it is now; null if there is none with this id. Asks the processor about one whose patient may be back
 * from the challenge, and begins none. Throws as `payOrder` does while charges are switched off.
 */
export async function inquirePayment(
  dependencies: PayOrderDependencies,
  { attemptId, ...request }: Resumed & { readonly attemptId: string },
): Promise<PaymentAttempt | null> {
  const attempt = await findAttempt(dependencies.db, request.order, { id: attemptId });
  return attempt === null ? null : (await resume(dependencies, request, attempt)).attempt;
}

type Resumed = Pick<PaymentRequest, "provider" | "order">;

/** Stores a new attempt and runs it; `null` if another request began one first or the card was replaced meanwhile. */
async function begin(dependencies: PayOrderDependencies, request: PaymentRequest): Promise<RanPayment | null> {
  const { db, clock, ids, shownTexts } = dependencies;
  const { provider, order, consents, ip, userAgent, idempotencyKey, now: at } = request;
  if (order.card === null) return null;
  const lease = leaseFrom(clock.now(), ids.uuid());
  const paymentsBefore = order.payments.length;
  const attempt = newAttempt(
    provider,
    { ...order, card: order.card },
    { id: firstChargeId(order.orderId, paymentsBefore + 1), startedAt: at },
  );
  const keyHash = idempotencyKey === null ? null : hashKey(idempotencyKey);
  const agreement = await agreementAt(dependencies, { provider, order, locale: localeOf(consents), now: at });
  const quote = quoteAt(dependencies, order, agreement, at);
  if (request.quoteSha256 !== null && request.quoteSha256 !== quote.sha256)
    throw new ApiError("quote_changed", { quote });
  const key = { providerId: provider.id, orderId: order.orderId, attemptId: attempt.id };
  const accepted = consentsRecordedWith("payment", ids, consents, {
    providerId: provider.id,
    rut: order.customer.rut,
    orderId: order.orderId,
    shown: shownTexts({ providerId: provider.id, orderId: order.orderId }),
    acceptedAt: at,
    ip,
    userAgent,
  });
  const dueAt = inquiryAt(clock.now());
  const payload = orderPayload(order.orderId);
  const timer = { kind: SETTLE_PAYMENT_TIMER, key: attempt.id, providerId: provider.id, dueAt, payload };
  const given = {
    ...attempt,
    cardId: attempt.card.id,
    key,
    quote,
    agreement,
    keyHash,
    lease,
    at,
    paymentsBefore,
    consents: accepted,
    timer,
  };
  if (!(await startAttempt(db, given))) return null;
  return runInTime(dependencies, request, { attempt, lease, mayHaveArrived: false });
}

function quoteAt(
  { financingProvider, annualCost }: PayOrderDependencies,
  { total, commissionBasisPoints, commissionTax }: OrderRecord,
  { texts }: KeptAgreement,
  now: Date,
): Quote {
  const offer = {
    total,
    commissionBasisPoints,
    commissionTax,
    financingProvider: financingProvider.name,
    annualCost,
    now,
  };
  return shownQuote(offer, texts);
}

/**
 * Asks the processor about an attempt whose patient may be back from the challenge, and charges the card if they are;
 * not while charges are switched off, until when the issuer keeps the proof. Other attempts wait for their timer.
 */
async function resume(
  dependencies: PayOrderDependencies,
  request: Resumed,
  attempt: PaymentAttempt,
): Promise<RanPayment> {
  const { db, clock, ids } = dependencies;
  if (attempt.state !== "challenged") return { attempt, order: null };
  if (await isSwitchedOff(db, "charges", attempt.providerId)) throw new ApiError("service_unavailable");
  const lease = leaseFrom(clock.now(), ids.uuid());
  const key = { providerId: attempt.providerId, orderId: attempt.orderId, attemptId: attempt.id };
  const claim = await claimAttempt(db, key, lease, clock.now());
  if (!("attempt" in claim)) return { attempt: (await findAttempt(db, request.order, "last")) ?? attempt, order: null };
  return runInTime(dependencies, request, { attempt: claim.attempt, lease, mayHaveArrived: true });
}

interface BegunRun extends Pick<PaymentRun, "attempt" | "mayHaveArrived"> {
  readonly lease: Lease;
}

/** Runs an attempt for as long as a request may take and returns its state then; the run continues after the answer. */
async function runInTime(
  dependencies: PayOrderDependencies,
  { provider, order }: Resumed,
  { lease, ...begun }: BegunRun,
): Promise<RanPayment> {
  const run = runPayment(dependencies, {
    ...begun,
    provider,
    leaseId: lease.id,
    isInquiry: false,
    endTimer: null,
  });
  const tracked = dependencies.background.track("payment.run_failed", run);
  const { db, answerWithinMs } = dependencies;
  const ran = await resultWithin(tracked, answerWithinMs);
  return ran ?? { attempt: (await findAttempt(db, order, "last")) ?? begun.attempt, order: null };
}

const NOTHING_RUN = { attempt: null, order: null };

async function answerFor(
  dependencies: PayOrderDependencies,
  request: PaymentRequest,
  { attempt, order: changed }: { readonly attempt: PaymentAttempt | null; readonly order: OrderRecord | null },
): Promise<PayOrderResponse> {
  const order = changed ?? (await requireOrder(dependencies.db, request.order));
  const view = await showToPatient(dependencies, order, request.now);
  if (wasPaid(order.state)) return { order: view, payment: { status: "succeeded" } };
  if (attempt !== null && hasEnded(attempt.state)) throw refusal(attempt, order);
  if (publishedStatus(order.state) === "cancelled") throw new ApiError("order_not_payable");
  if (attempt?.state !== "challenged" || attempt.challenge === null)
    return { order: view, payment: { status: "processing" } };
  const { url, expiresAt } = attempt.challenge;
  const action = { type: "challenge" as const, url, expires_at: expiresAt.toISOString() };
  return { order: view, payment: { status: "requires_action", action } };
}

/** A declined card may be tried again; a refused credit is final, with its written reasons. */
function refusal({ id, ending }: PaymentAttempt, { payments }: OrderRecord): ApiError {
  if (ending?.as === "declined") return new ApiError("card_declined", declinedBecause(ending));
  const payment = payments.find((made) => made.id === id);
  return new ApiError("credit_declined", {
    reasons: [...(ending?.reasons ?? [])],
    first_instalment: firstInstalmentOf(payment),
  });
}

/** What became of the first instalment of a payment whose credit was refused. */
export function firstInstalmentOf(payment: Pick<PaymentRecord, "status" | "chargeId"> | undefined): RefusedInstalment {
  if (payment === undefined || payment.chargeId === null) return "not_charged";
  return payment.status === "undone" ? "returned" : "not_returned";
}

function newAttempt(
  provider: Provider,
  order: OrderRecord & { readonly card: NonNullable<OrderRecord["card"]> },
  { id, startedAt }: Pick<PaymentAttempt, "id" | "startedAt">,
): PaymentAttempt {
  const { captureFirst } = provider.settings;
  return {
    providerId: provider.id,
    orderId: order.orderId,
    id,
    state: firstState(captureFirst),
    captureFirst,
    first: order.first,
    deferred: order.deferred,
    rut: order.customer.rut,
    card: order.card,
    loanId: null,
    authenticationId: null,
    challenge: null,
    chargeId: null,
    ending: null,
    isReturnTaken: false,
    inquiries: 0,
    startedAt,
  };
}
