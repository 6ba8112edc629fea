import { declinedBecause } from "../contract/errors.ts";
import type { GivenConsent, PayOrderResponse } from "../contract/orders.ts";
import type { ChargeLimits } from "../contract/vocabulary/card.ts";
import { ZERO } from "../contract/vocabulary/clp.ts";
import type { LegalTextName } from "../contract/vocabulary/legal-text.ts";
import type { ChargeOutcome, ReturnOutcome } from "../gateways/card-processor.ts";
import type { ConfirmationOutcome, LoanOutcome, ReductionOutcome } from "../gateways/financing-provider.ts";
import { type Answered, type AttemptCall, GatewayUnavailable, inquiryAt } from "../gateways/gateway-call.ts";
import { listedCharge, listedConfirmation, listedLoan, listedReturn } from "../gateways/listed-calls.ts";
import { type AttemptCalls, type KeyedCall, readingAnswers, runCall } from "../gateways/run-call.ts";
import { type AuthenticationAnswer, authenticationCall } from "../gateways/strong-authentication.ts";
import type { Beneficiary } from "../patients/beneficiary.ts";
import { consentFigures } from "../patients/consent-texts.ts";
import { consentsMissing, consentsRecordedWith, localeOf } from "../patients/consents.ts";
import { countdown, resultWithin } from "../platform/background-work.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { type Lease, leaseFrom } from "../platform/lease.ts";
import { type Provider, providerNow } from "../platform/provider.ts";
import { isSwitchedOff } from "../platform/switch-store.ts";
import { orderPayload } from "../platform/timers/order-payload.ts";
import { agreementAt } from "./agreement.ts";
import { askToRemove } from "./card-removals.ts";
import type { AttemptConnectors, OrdersDependencies, PaymentGateways } from "./dependencies.ts";
import { writeUnrecognised } from "./identity/identity-store.ts";
import { requireTexts } from "./legal-texts.ts";
import { moveOrder } from "./lifecycle/move-order.ts";
import { isPayable, isRefused, publishedStatus, requireTransition, wasPaid } from "./order.ts";
import { findOrder } from "./order-reads.ts";
import type { OrderCard, OrderRecord } from "./order-record.ts";
import { requireFound } from "./order-store.ts";
import { shownPage } from "./order-view.ts";
import {
  attemptAfter,
  type CallingState,
  effectsOf,
  firstInstalmentOf,
  type GatewayAnswer,
  hasEnded,
  isWaiting,
  newAttempt,
  nextStep,
  orderDuring,
  type PaymentAttempt,
  type PaymentTrigger,
  SETTLE_PAYMENT_TIMER,
  type Step,
  type StepEffects,
  waitsFor,
} from "./payments/payment-attempt.ts";
import {
  claimAttempt,
  findAttempt,
  findEarlierAttempt,
  insertAttempt,
  releaseAttempt,
  type TimerChange,
  writeStep,
} from "./payments/payment-store.ts";
import { paymentProblem } from "./readiness.ts";
import { takeRemovedCardOff } from "./saved-cards/saved-card-store.ts";

/*
 * The path of a payment: check, create the attempt, authorize the loan, authenticate the patient, capture, confirm the
 * loan, complete. `payment-attempt.ts` decides which step follows an answer. A timer continues a payment that a request
 * leaves open.
 */

export type RunPaymentDependencies = Pick<
  OrdersDependencies,
  | "db"
  | "clock"
  | "ids"
  | "related"
  | "within"
  | "cardProcessor"
  | "financingProvider"
  | "connectors"
  | "returnUrl"
  | "logger"
>;

export type PayOrderDependencies = RunPaymentDependencies &
  Pick<OrdersDependencies, "background" | "answerWithinMs" | "annualCost" | "stampTax" | "patient">;

export interface PaymentRequest {
  readonly provider: Provider;
  readonly order: OrderRecord;
  /** The names of the operator's current texts. */
  readonly texts: readonly LegalTextName[] | null;
  /** The order's patient; null if they are not registered. */
  readonly beneficiary: Beneficiary | null;
  readonly consents: readonly GivenConsent[];
  /** The hash of the quote that the patient saw; null if the page did not send it. */
  readonly quoteSha256: string | null;
  /** The hash of the request's `Idempotency-Key`. A repeat returns the same attempt, whatever its outcome. */
  readonly keyHash: string | null;
  readonly ip: string;
  readonly userAgent: string | null;
  /** When the request arrived, in the provider's time. */
  readonly now: Date;
}

/** An order, and the state of its payment. */
interface OrderInPayment {
  readonly order: OrderRecord;
  readonly payment: PayOrderResponse["payment"];
}

/** How often a payment is retried while other requests change the order. */
const TRIES_MAX = 3;

/**
 * Pays the first instalment and has the loan for the rest authorized. Returns `succeeded` (also for an order already
 * paid), `requires_action` while the patient is at the issuer's challenge, or `processing` while the outcome is
 * unknown. Repeating the call reports the current state.
 * Throws `card_declined` (retry with another key), `credit_declined` (final), `quote_changed` if the patient saw
 * another quote, and the errors of `checkPayable`. Throws `service_unavailable` while charges are switched off, texts
 * are missing or other requests change the order.
 */
export async function payOrder(dependencies: PayOrderDependencies, request: PaymentRequest): Promise<OrderInPayment> {
  const timeLeft = countdown(dependencies.clock, dependencies.answerWithinMs);
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    if (wasPaid(request.order.state)) return { order: request.order, payment: { status: "succeeded" } };
    const leased =
      (await earlierAttempt(dependencies, request)) ??
      (await createAttempt(dependencies, request, await checkPayable(dependencies, request)));
    const ran = leased === "order_changed" ? null : await runInTime(dependencies, request.provider, leased, timeLeft());
    const order = ran?.order ?? requireFound(await findOrder(dependencies.db, request.order));
    if (ran !== null) return { order, payment: paymentStatus(order, ran.attempt) };
    request = { ...request, order };
  }
  throw new ApiError("service_unavailable");
}

/** An attempt, and the lease under which this process runs it; null if another one runs it. */
interface LeasedAttempt extends Pick<PaymentRun, "attempt" | "mayHaveArrived"> {
  readonly lease: Lease | null;
}

/** The attempt that the request repeats: the one with its key, the open one, or a final one. */
async function earlierAttempt(
  dependencies: PayOrderDependencies,
  { order, keyHash }: PaymentRequest,
): Promise<LeasedAttempt | null> {
  // Every attempt has a payment. `insertAttempt` detects one created after this check.
  if (order.payments.length === 0) return null;
  const attempt = await findEarlierAttempt(dependencies.db, order, { keyHash, isFinal: isRefused(order.state) });
  return attempt && leaseIfWaiting(dependencies, attempt);
}

/**
 * Leases an attempt whose patient may be back from the challenge, or whose loan may have been decided; every other
 * attempt waits for its timer. Throws `service_unavailable` while charges are switched off: the parties keep their
 * answers until charges are switched on again.
 */
async function leaseIfWaiting(
  { db, clock, ids, connectors }: PayOrderDependencies,
  attempt: PaymentAttempt,
): Promise<LeasedAttempt> {
  const unleased = { attempt, lease: null, mayHaveArrived: true };
  if (!isWaiting(attempt.state)) return unleased;
  if (await isSwitchedOff(db, "charges", attempt.providerId)) throw new ApiError("service_unavailable");
  const lease = leaseFrom(clock.now(), ids.uuid());
  const key = { ...attempt, attemptId: attempt.id };
  const claim = await claimAttempt(db, key, lease, { connectors, realNow: clock.now() });
  if ("attempt" in claim) return { attempt: claim.attempt, lease, mayHaveArrived: true };
  return { ...unleased, attempt: (await findAttempt(db, attempt, "last")) ?? attempt };
}

/**
 * Checks that the order can be paid, in the order in which the patient can fix the problems. Returns the card to
 * charge. Throws `order_not_payable`, the error of `paymentProblem`, and `RUT_OTHER_EMAIL` if the order names an e-mail
 * address other than its patient's proven one.
 */
async function checkPayable(dependencies: PayOrderDependencies, request: PaymentRequest): Promise<OrderCard> {
  const { order, beneficiary, consents, now } = request;
  // Checked first, because the patient cannot make such an order payable.
  if (!isPayable(order.state)) throw new ApiError("order_not_payable");
  await requireRecognised(dependencies, request);
  const limits = await requireChargeLimits(dependencies);
  const problem = paymentProblem(order, limits, consentsMissing("payment", consents).length === 0, now);
  if (problem !== null || order.card === null) throw new ApiError(problem ?? "processor_payment_method_not_found");
  await dependencies.patient.refuseCollision(dependencies.db, order, beneficiary);
  return order.card;
}

/**
 * Checks whether the recognition behind an order's identity is still valid. If not, reverts the identity and throws
 * `processor_customer_identity_not_validated`: the patient must prove it by document.
 */
async function requireRecognised(
  { db, patient }: PayOrderDependencies,
  { provider, order, now }: PaymentRequest,
): Promise<void> {
  if (!order.identityRecognised) return;
  const recognised = await patient.recognised(db, { provider, order, now });
  if (recognised?.isTrusted === true) return;
  await writeUnrecognised(db, order, now);
  throw new ApiError("processor_customer_identity_not_validated");
}

/** The processor's limits. Throws `service_unavailable` if it has never reported them: it takes no payments then. */
async function requireChargeLimits({
  cardProcessor,
}: Pick<PayOrderDependencies, "cardProcessor">): Promise<ChargeLimits> {
  try {
    return await cardProcessor.chargeLimits();
  } catch (error) {
    throw error instanceof GatewayUnavailable ? new ApiError("service_unavailable", {}, { cause: error }) : error;
  }
}

/**
 * If an attempt ended after the order was read as `paying`, the order is no longer in the state that this transition
 * needs.
 */
const START_PAYMENT = requireTransition("awaiting_payment", "start_payment");

/**
 * Stores a new attempt with what the patient accepts, leased to this process. Returns `order_changed`, with nothing
 * stored, if another request created an attempt or changed the card or the identity meanwhile.
 */
async function createAttempt(
  dependencies: PayOrderDependencies,
  { provider, order, texts, consents, quoteSha256, keyHash, ip, userAgent, now }: PaymentRequest,
  card: OrderCard,
): Promise<LeasedAttempt | "order_changed"> {
  const { db, clock, ids, patient, connectors } = dependencies;
  const { quote, agreement, stampTax } = await agreementAt(dependencies, {
    provider,
    order,
    locale: localeOf(consents),
    texts: requireTexts(texts ?? []),
    now,
  });
  if (quoteSha256 !== null && quoteSha256 !== quote.sha256) throw new ApiError("quote_changed", { quote });
  const { providerId, orderId } = order;
  const attempt = newAttempt(order, {
    card,
    stampTax: stampTax?.amount ?? ZERO,
    captureFirst: provider.settings.captureFirst,
    connectors,
    startedAt: now,
  });
  const lease = leaseFrom(clock.now(), ids.uuid());
  const outcome = await insertAttempt(db, {
    attempt,
    transition: START_PAYMENT,
    number: order.payments.length + 1,
    quote,
    agreement,
    consents: consentsRecordedWith("payment", ids, consents, {
      providerId,
      orderId,
      rut: order.customer.rut,
      shown: patient.shownTexts({ providerId, orderId }),
      acceptedAt: now,
      ip,
      userAgent,
      figures: consentFigures(quote, agreement.locale),
    }),
    keyHash,
    lease,
    timer: {
      kind: SETTLE_PAYMENT_TIMER,
      key: attempt.id,
      providerId,
      dueAt: inquiryAt(clock.now()),
      payload: orderPayload(orderId),
    },
  });
  if (outcome === "charges_switched_off") throw new ApiError("service_unavailable");
  return outcome === "created" ? { attempt, lease, mayHaveArrived: false } : outcome;
}

/** The attempt after a run, and the order if the run changed it. */
export interface RanPayment {
  readonly attempt: PaymentAttempt;
  readonly order: OrderRecord | null;
}

/** Runs an attempt for the time that a request has left, and returns its state then; the run continues. */
async function runInTime(
  dependencies: PayOrderDependencies,
  provider: Provider,
  { attempt, lease, mayHaveArrived }: LeasedAttempt,
  milliseconds: number,
): Promise<RanPayment> {
  if (lease === null) return { attempt, order: null };
  const { db, clock, background } = dependencies;
  const running = runPayment(dependencies, {
    attempt,
    now: () => providerNow(provider, clock.now()),
    leaseId: lease.id,
    mayHaveArrived,
    endTimer: null,
  });
  const ran = await resultWithin(background.track("payment.run_failed", running), milliseconds);
  return ran ?? { attempt: (await findAttempt(db, attempt, "last")) ?? attempt, order: null };
}

/**
 * The current state of one attempt; null if there is none with this id. Inquires if it waits for its patient or a
 * review; never creates an attempt. Throws as `payOrder` does while charges are switched off.
 */
export async function inquirePayment(
  dependencies: PayOrderDependencies,
  { provider, order, attemptId }: Pick<PaymentRequest, "provider" | "order"> & { readonly attemptId: string },
): Promise<PaymentAttempt | null> {
  const attempt = await findAttempt(dependencies.db, order, { id: attemptId });
  if (attempt === null) return null;
  const leased = await leaseIfWaiting(dependencies, attempt);
  return (await runInTime(dependencies, provider, leased, dependencies.answerWithinMs)).attempt;
}

export interface PaymentRun {
  readonly attempt: PaymentAttempt;
  /** The provider's time, which is read again after each call. */
  readonly now: () => Date;
  /** The caller's lease on the attempt. */
  readonly leaseId: string;
  /** True if the call of the attempt's state may have been made before. */
  readonly mayHaveArrived: boolean;
  /**
   * Ends the timer that the caller holds, in the transaction that ends the attempt. Null for a request, which does not
   * hold the timer; then the timer is cancelled, and inquiries do not count towards its growing delays.
   */
  readonly endTimer: ((tx: Transaction) => Promise<void>) | null;
}

/** A running attempt. */
interface RunningPayment extends RanPayment {
  /** The last step of this run; null before the first. */
  readonly step: Step | null;
}

/**
 * Runs an attempt until it ends, waits for the patient or a review, or the outcome of a call is unknown. Only the
 * holder of the lease writes steps.
 */
export async function runPayment(dependencies: RunPaymentDependencies, run: PaymentRun): Promise<RanPayment> {
  const { db, clock, logger } = dependencies;
  const { now } = run;
  const calls: AttemptCalls<RunningPayment, Step> = {
    nextCall: ({ attempt, step }) => {
      const { id, providerId, state, connectors } = attempt;
      if (hasEnded(state) || (step !== null && isWaiting(state))) return null;
      const [act, party, name] = ACTS[state];
      const under = { providerId, idempotencyKey: `${id}:${name}`, at: now(), connector: connectors[party] };
      return readingAnswers(act(dependencies, attempt, under), (answer) => nextStep(attempt, answer, now()));
    },
    accepts: {
      isTaken: ({ acceptedReturn }) => acceptedReturn !== undefined,
      wasTaken: ({ attempt }) => attempt.isReturnTaken,
    },
    isNoProgress: ({ attempt }, { state }) => state === attempt.state && isWaiting(state),
    settleAlone: (database, { attempt, order }, step) =>
      settleStep(database, dependencies, run, { attempt, order, step }),
    release: ({ attempt }, { wasInquired }) => {
      const lease = leaseFrom(clock.now(), run.leaseId);
      return releaseAttempt(db, attempt, lease, { isInquiry: run.endTimer !== null && wasInquired, at: now() });
    },
  };
  const ran = await runCall(db, calls, {
    attempt: { attempt: run.attempt, order: null, step: null },
    mayHaveArrived: run.mayHaveArrived,
  });
  const { attempt, order, step } = ran.attempt;
  if (step?.attention !== undefined)
    logger.error("payment.needs_attention", {
      order_id: attempt.orderId,
      reason: step.attention,
      refused_because: step.refusal,
    });
  if (ran.outcome === "lost") return { attempt, order: null };
  return { attempt: ran.outcome === "ran" ? attempt : { ...attempt, inquiries: ran.waited }, order };
}

/** An act: one call to a party, with the inquiry about it. */
type Act = (gateways: PaymentGateways, attempt: PaymentAttempt, under: AttemptCall) => KeyedCall<GatewayAnswer>;

/** The act of each state, the party that it calls, and the name of its call in the idempotency key. */
const ACTS: Readonly<Record<CallingState, readonly [act: Act, party: keyof AttemptConnectors, name: string]>> = {
  authorising_loan: [authorizeLoan, "financingProvider", "loan"],
  loan_under_review: [authorizeLoan, "financingProvider", "loan"],
  authenticating: [authenticatePatient, "cardProcessor", "authentication"],
  challenged: [authenticatePatient, "cardProcessor", "authentication"],
  capturing: [captureFirst, "cardProcessor", "charge"],
  confirming_loan: [confirmLoan, "financingProvider", "confirmation"],
  cancelling_loan: [cancelLoan, "financingProvider", "loan-cancellation"],
  returning_charge: [returnCharge, "cardProcessor", "return"],
};

function authorizeLoan(
  { financingProvider }: PaymentGateways,
  { rut, deferred: amount, orderId, startedAt }: PaymentAttempt,
  under: AttemptCall,
): KeyedCall<GatewayAnswer> {
  return readingAnswers<Answered<LoanOutcome>, GatewayAnswer>(
    {
      under,
      inquire: () => financingProvider.inquireLoan(under),
      call: () => financingProvider.authoriseLoan(under, { rut, amount, orderHash: orderId }),
      listed: listedLoan(financingProvider, under, startedAt),
    },
    (answer) => ({ to: "loan", answer }),
  );
}

function authenticatePatient(
  { cardProcessor, returnUrl }: PaymentGateways,
  { card, first: amount, providerId, orderId, id: attemptId }: PaymentAttempt,
  under: AttemptCall,
): KeyedCall<GatewayAnswer> {
  const call = authenticationCall(cardProcessor, under, {
    cardId: card.id,
    amount,
    orderHash: orderId,
    purpose: "payment",
    returnUrl: returnUrl({ kind: "payment", providerId, orderId, attemptId }),
  });
  return readingAnswers<AuthenticationAnswer, GatewayAnswer>(call, (answer) => ({ to: "authentication", answer }));
}

function captureFirst(
  { cardProcessor }: PaymentGateways,
  { card, first: amount, orderId, authenticationId, startedAt }: PaymentAttempt,
  under: AttemptCall,
): KeyedCall<GatewayAnswer> {
  const initiated = { initiator: "patient", initialChargeId: null } as const;
  const input = { cardId: card.id, amount, orderHash: orderId, authenticationId, ...initiated };
  return readingAnswers<Answered<ChargeOutcome>, GatewayAnswer>(
    {
      under,
      inquire: () => cardProcessor.inquireCharge(under),
      call: () => cardProcessor.charge(under, input),
      listed: listedCharge(cardProcessor, under, startedAt),
    },
    (answer) => ({ to: "charge", answer }),
  );
}

function confirmLoan(
  { financingProvider }: PaymentGateways,
  { loanId, startedAt }: PaymentAttempt,
  under: AttemptCall,
): KeyedCall<GatewayAnswer> {
  return readingAnswers<Answered<ConfirmationOutcome>, GatewayAnswer>(
    {
      under,
      inquire: () => financingProvider.inquireConfirmation(under),
      call: () => financingProvider.confirmLoan(under, { loanId: present(loanId) }),
      listed: listedConfirmation(financingProvider, under, startedAt, present(loanId)),
    },
    (answer) => ({ to: "confirmation", answer }),
  );
}

/** A loan is cancelled by reducing it by its whole amount. */
function cancelLoan(
  { financingProvider }: PaymentGateways,
  { loanId, deferred: amount }: PaymentAttempt,
  under: AttemptCall,
): KeyedCall<GatewayAnswer> {
  return readingAnswers<Answered<ReductionOutcome>, GatewayAnswer>(
    {
      under,
      inquire: () => financingProvider.inquireReduction(under),
      call: () => financingProvider.reduceLoan(under, { loanId: present(loanId), amount }),
    },
    (answer) => ({ to: "reduction", answer }),
  );
}

function returnCharge(
  { cardProcessor }: PaymentGateways,
  { chargeId, first: amount, orderId, startedAt }: PaymentAttempt,
  under: AttemptCall,
): KeyedCall<GatewayAnswer> {
  return readingAnswers<Answered<ReturnOutcome>, GatewayAnswer>(
    {
      under,
      inquire: () => cardProcessor.inquireReturn(under),
      call: () => cardProcessor.returnCharge(under, { chargeId: present(chargeId), amount, orderHash: orderId }),
      listed: listedReturn(cardProcessor, under, startedAt),
    },
    (answer) => ({ to: "return", answer }),
  );
}

/** Thrown when an earlier act has not stored the id that this one needs: a defect. */
class EarlierIdMissing extends Error {
  override readonly name = "EarlierIdMissing";
  readonly code = "earlier_id_missing";
}

function present<Value>(value: Value | null): Value {
  if (value === null) throw new EarlierIdMissing("an earlier act stored no id");
  return value;
}

/**
 * Stores a step: in one statement, or, if it moves the order, in one transaction with all consequences. Returns null,
 * with nothing stored, if the caller no longer holds the lease.
 */
async function settleStep(
  db: Database,
  dependencies: RunPaymentDependencies,
  { now, leaseId, endTimer }: PaymentRun,
  { attempt, order, step }: RanPayment & { readonly step: Step },
): Promise<RunningPayment | null> {
  const { clock, ids } = dependencies;
  const at = now();
  const { trigger, failure, ...effects } = effectsOf(attempt, step, at);
  const after = { attempt: attemptAfter(attempt, step), order, step };
  const timer = endTimer === null ? timerAfter(attempt, step, clock.now()) : null;
  const written = { step, ...effects, ids, lease: leaseFrom(clock.now(), leaseId), at, timer };
  if (trigger === null) return (await writeStep(db, attempt, written)) ? after : null;
  return inTransaction(db, async (tx) => {
    if (!(await writeStep(tx, attempt, written))) return null;
    const moved = await moveByPayment(tx, dependencies, attempt, { trigger, failure, at });
    if (hasEnded(step.state)) await endTimer?.(tx);
    return { ...after, order: moved };
  });
}

/**
 * The change that a request's step makes to the attempt's timer, which ends with the attempt. After an accepted return
 * the first inquiry comes later than after a lost answer. During a challenge inquiries become rare, so the calls that
 * follow it reset the timer to its first delay.
 */
function timerAfter(attempt: PaymentAttempt, { state, acceptedReturn }: Step, now: Date): TimerChange | null {
  const timer = { kind: SETTLE_PAYMENT_TIMER, key: attempt.id };
  if (hasEnded(state)) return { ...timer, dueAt: null };
  if (acceptedReturn !== undefined) return { ...timer, dueAt: inquiryAt(now, { isTaken: true }) };
  return isWaiting(attempt.state) && !isWaiting(state) ? { ...timer, dueAt: inquiryAt(now) } : null;
}

/** Moves the order as the result of its payment requires, with all consequences. Returns the order. */
async function moveByPayment(
  tx: Transaction,
  dependencies: RunPaymentDependencies,
  attempt: PaymentAttempt,
  { trigger, failure, at }: Pick<StepEffects, "failure"> & { readonly trigger: PaymentTrigger; readonly at: Date },
): Promise<OrderRecord> {
  if (trigger === "complete_payment") return completePayment(tx, dependencies, attempt, at);
  const order = orderDuring(attempt);
  // A removed saved card is not offered for a second attempt.
  if (trigger === "decline_payment" && (await takeRemovedCardOff(tx, order, at)))
    await askToRemove(tx, dependencies, order, { cardIds: [attempt.card.id], at });
  return moveOrder(tx, dependencies, order, { trigger, at, ...(failure && { failure }) });
}

/** Marks the order as paid, together with the work of other rooms in the same transaction. */
async function completePayment(
  tx: Transaction,
  dependencies: RunPaymentDependencies,
  attempt: PaymentAttempt,
  at: Date,
): Promise<OrderRecord> {
  // The due date counts from the moment when the patient paid, as shown, however late the payment is settled.
  const changes = { paid_at: attempt.startedAt, loan_id: attempt.loanId };
  const order = await moveOrder(tx, dependencies, orderDuring(attempt), { trigger: "complete_payment", at, changes });
  await dependencies.within(tx, { kind: "order_paid", providerId: order.providerId, orderId: order.orderId, at });
  return order;
}

/** The state of an order's payment. Throws the refusal of a failed one. */
function paymentStatus(order: OrderRecord, attempt: PaymentAttempt): PayOrderResponse["payment"] {
  if (wasPaid(order.state)) return { status: "succeeded" };
  if (hasEnded(attempt.state)) throw refusal(attempt, order);
  if (publishedStatus(order.state) === "cancelled") throw new ApiError("order_not_payable");
  const waiting = waitsFor(attempt.state);
  if (attempt.state !== "challenged" || attempt.challenge === null)
    return { status: "processing", ...(waiting && { waits_for: waiting }) };
  return { status: "requires_action", action: { type: "challenge", ...shownPage(attempt.challenge) } };
}

/** A declined card may be retried; a refused credit is final, with its written reasons. */
function refusal({ id, ending }: PaymentAttempt, { payments }: OrderRecord): ApiError {
  if (ending?.as === "declined") return new ApiError("card_declined", declinedBecause(ending));
  const payment = payments.find((made) => made.id === id);
  return new ApiError("credit_declined", {
    reasons: [...(ending?.reasons ?? [])],
    first_instalment: firstInstalmentOf(payment),
  });
}
