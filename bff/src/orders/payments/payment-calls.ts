import type { CardProcessor } from "../../gateways/card-processor/port.ts";
import type { FinancingProvider } from "../../gateways/financing-provider/port.ts";
import type { Answered, GatewayCall, Unknown } from "../../gateways/gateway-call.ts";
import type { GatewayAnswer, PaymentAttempt } from "./payment-attempt.ts";

export interface PaymentGateways {
  readonly cardProcessor: CardProcessor;
  readonly financingProvider: FinancingProvider;
  /** Where strong authentication sends the patient when it is done. */
  readonly challengeReturnUrl: (orderId: PaymentAttempt["orderId"]) => string;
}

/**
 * Makes the call that the attempt's state names; `null` when the answer is unknown. `asked` says that the call may have been
 * made before: then the party is asked what became of it, and called only if the call never arrived.
 */
export async function askGateway(
  parties: PaymentGateways,
  attempt: PaymentAttempt,
  { at, asked }: { readonly at: Date; readonly asked: boolean },
): Promise<GatewayAnswer | null> {
  const { cardProcessor, financingProvider } = parties;
  const { orderId: orderHash, deferred } = attempt;
  const call = (operation: string): GatewayCall => ({
    providerId: attempt.providerId,
    idempotencyKey: `${attempt.id}:${operation}`,
    at,
  });
  switch (attempt.state) {
    case "authorising_loan":
    case "loan_under_review": {
      const loan = call("loan");
      const answer = await settle(asked && (() => financingProvider.inquireLoan(loan)), () =>
        financingProvider.authoriseLoan(loan, { rut: attempt.rut, amount: deferred, orderHash }),
      );
      return answer && { to: "loan", answer };
    }
    case "authenticating":
    case "challenged":
      return authenticate(parties, attempt, call("authentication"), asked);
    case "capturing":
      return capture(cardProcessor, attempt, call("charge"), asked);
    case "confirming_loan": {
      const confirmation = call("confirmation");
      const answer = await settle(asked && (() => financingProvider.inquireConfirmation(confirmation)), () =>
        financingProvider.confirmLoan(confirmation, { loanId: present(attempt.loanId) }),
      );
      return answer && { to: "confirmation", answer };
    }
    case "cancelling_loan": {
      const reduction = call("loan-cancellation");
      const answer = await settle(asked && (() => financingProvider.inquireReduction(reduction)), () =>
        financingProvider.reduceLoan(reduction, { loanId: present(attempt.loanId), amount: deferred }),
      );
      return answer && { to: "reduction", answer };
    }
    case "returning_charge":
      return refundCapture(cardProcessor, attempt, call("return"), asked);
    case "succeeded":
    case "declined":
    case "failed":
      throw new NothingToAsk("an attempt that has ended waits for no party");
  }
}

async function authenticate(
  { cardProcessor, challengeReturnUrl }: PaymentGateways,
  attempt: PaymentAttempt,
  call: GatewayCall,
  asked: boolean,
): Promise<GatewayAnswer | null> {
  const { cardId, first: amount, orderId: orderHash } = attempt;
  const returnUrl = challengeReturnUrl(orderHash);
  const answer = await settle(asked && (() => cardProcessor.inquireAuthentication(call)), () =>
    cardProcessor.authenticate(call, { cardId, amount, orderHash, returnUrl }),
  );
  return answer && { to: "authentication", answer };
}

async function capture(
  cardProcessor: CardProcessor,
  attempt: PaymentAttempt,
  call: GatewayCall,
  asked: boolean,
): Promise<GatewayAnswer | null> {
  const { cardId, first: amount, orderId: orderHash, authenticationId } = attempt;
  const answer = await settle(asked && (() => cardProcessor.inquireCharge(call)), () =>
    cardProcessor.charge(call, { cardId, amount, orderHash, authenticationId, initiator: "patient" }),
  );
  return answer && { to: "charge", answer };
}

async function refundCapture(
  cardProcessor: CardProcessor,
  attempt: PaymentAttempt,
  call: GatewayCall,
  asked: boolean,
): Promise<GatewayAnswer | null> {
  const { first: amount, orderId: orderHash } = attempt;
  const answer = await settle(asked && (() => cardProcessor.inquireReturn(call)), () =>
    cardProcessor.returnCharge(call, { chargeId: present(attempt.chargeId), amount, orderHash }),
  );
  return answer && { to: "return", answer };
}

/** Inquires first where `inquire` is given; calls where the call never arrived; `null` where nobody knows. */
export async function settle<Outcome extends { readonly outcome: string }>(
  inquire: (() => Promise<Outcome | Unknown | { readonly outcome: "not_found" }>) | false,
  make: () => Promise<Outcome | Unknown>,
): Promise<Answered<Outcome> | null> {
  const known = inquire === false ? ({ outcome: "not_found" } as const) : await inquire();
  const answer = known.outcome === "not_found" ? await make() : known;
  return isAnswered(answer) ? answer : null;
}

function isAnswered<Outcome extends { readonly outcome: string }>(
  answer: Outcome | Unknown | { readonly outcome: "not_found" },
): answer is Answered<Outcome> {
  return answer.outcome !== "unknown" && answer.outcome !== "not_found";
}

/** Thrown when there is no call that belongs to a state: a defect. */
class NothingToAsk extends Error {
  override readonly name = "NothingToAsk";
  readonly code = "nothing_to_ask";
}

/** What an earlier step of the attempt must have left. */
function present<Value>(value: Value | null): Value {
  if (value === null) throw new NothingToAsk("an earlier step left no id");
  return value;
}
