import type { CardProcessor, ChargeOutcome, ReturnOutcome } from "../../gateways/card-processor.ts";
import type {
  ConfirmationOutcome,
  FinancingProvider,
  LoanOutcome,
  ReductionOutcome,
} from "../../gateways/financing-provider.ts";
import type { Answered, GatewayCall } from "../../gateways/gateway-call.ts";
import { type KeyedCall, readingAnswers } from "../../gateways/run-call.ts";
import { type AuthenticationAnswer, authenticationCall } from "../../gateways/strong-authentication.ts";
import type { GatewayAnswer, PaymentAttempt } from "../payment-attempt.ts";
import type { ReturnUrl } from "../redirect.ts";

export interface PaymentGateways {
  readonly cardProcessor: CardProcessor;
  readonly financingProvider: FinancingProvider;
  readonly returnUrl: ReturnUrl;
}

/** The gateway call that the attempt's state names. */
export function callOf(gateways: PaymentGateways, attempt: PaymentAttempt, at: Date): KeyedCall<GatewayAnswer> {
  const under = (operation: string): GatewayCall => ({
    providerId: attempt.providerId,
    idempotencyKey: `${attempt.id}:${operation}`,
    at,
  });
  switch (attempt.state) {
    case "authorising_loan":
    case "loan_under_review":
      return loanAuthorisation(gateways, attempt, under("loan"));
    case "authenticating":
    case "challenged":
      return authentication(gateways, attempt, under("authentication"));
    case "capturing":
      return capture(gateways, attempt, under("charge"));
    case "confirming_loan":
      return loanConfirmation(gateways, attempt, under("confirmation"));
    case "cancelling_loan":
      return loanCancellation(gateways, attempt, under("loan-cancellation"));
    case "returning_charge":
      return captureRefund(gateways, attempt, under("return"));
    case "succeeded":
    case "declined":
    case "failed":
      throw new NothingToAsk("an attempt that has ended waits for no gateway");
  }
}

type MakeCall = (gateways: PaymentGateways, attempt: PaymentAttempt, under: GatewayCall) => KeyedCall<GatewayAnswer>;

const loanAuthorisation: MakeCall = ({ financingProvider }, { rut, deferred: amount, orderId }, under) =>
  readingAnswers<Answered<LoanOutcome>, GatewayAnswer>(
    {
      under,
      inquire: () => financingProvider.inquireLoan(under),
      call: () => financingProvider.authoriseLoan(under, { rut, amount, orderHash: orderId }),
    },
    (answer) => ({ to: "loan", answer }),
  );

const authentication: MakeCall = ({ cardProcessor, returnUrl }, attempt, under) => {
  const { card, first: amount, providerId, orderId, id: attemptId } = attempt;
  const call = authenticationCall(cardProcessor, under, {
    cardId: card.id,
    amount,
    orderHash: orderId,
    purpose: "payment",
    returnUrl: returnUrl({ kind: "payment", providerId, orderId, attemptId }),
  });
  return readingAnswers<AuthenticationAnswer, GatewayAnswer>(call, (answer) => ({ to: "authentication", answer }));
};

const capture: MakeCall = ({ cardProcessor }, attempt, under) => {
  const { card, first: amount, orderId, authenticationId } = attempt;
  const initiated = { initiator: "patient", initialChargeId: null } as const;
  const input = { cardId: card.id, amount, orderHash: orderId, authenticationId, ...initiated };
  return readingAnswers<Answered<ChargeOutcome>, GatewayAnswer>(
    {
      under,
      inquire: () => cardProcessor.inquireCharge(under),
      call: () => cardProcessor.charge(under, input),
    },
    (answer) => ({ to: "charge", answer }),
  );
};

const loanConfirmation: MakeCall = ({ financingProvider }, { loanId }, under) =>
  readingAnswers<Answered<ConfirmationOutcome>, GatewayAnswer>(
    {
      under,
      inquire: () => financingProvider.inquireConfirmation(under),
      call: () => financingProvider.confirmLoan(under, { loanId: present(loanId) }),
    },
    (answer) => ({ to: "confirmation", answer }),
  );

/** A loan is cancelled by reducing it by all of it. */
const loanCancellation: MakeCall = ({ financingProvider }, { loanId, deferred: amount }, under) =>
  readingAnswers<Answered<ReductionOutcome>, GatewayAnswer>(
    {
      under,
      inquire: () => financingProvider.inquireReduction(under),
      call: () => financingProvider.reduceLoan(under, { loanId: present(loanId), amount }),
    },
    (answer) => ({ to: "reduction", answer }),
  );

const captureRefund: MakeCall = ({ cardProcessor }, { chargeId, first: amount, orderId }, under) =>
  readingAnswers<Answered<ReturnOutcome>, GatewayAnswer>(
    {
      under,
      inquire: () => cardProcessor.inquireReturn(under),
      call: () => cardProcessor.returnCharge(under, { chargeId: present(chargeId), amount, orderHash: orderId }),
    },
    (answer) => ({ to: "return", answer }),
  );

/** Thrown when a state has no call: a defect. */
class NothingToAsk extends Error {
  override readonly name = "NothingToAsk";
  readonly code = "nothing_to_ask";
}

/** Returns a value that an earlier step of the attempt must have stored, or throws. */
function present<Value>(value: Value | null): Value {
  if (value === null) throw new NothingToAsk("an earlier step left no id");
  return value;
}
