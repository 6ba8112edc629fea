import type { PatientOrder, SavedCardView } from "bff/contract/orders";
import { CODE_RESEND_PAUSE_SECONDS } from "bff/contract/terms";
import { isRefusedAs, type Problem, problemOf, valueOrThrow } from "../../api/problem.ts";
import type { AskedCode } from "../recognition.ts";
import { credentialsOf } from "../server-state.ts";
import type { StepContext } from "../step-context.ts";
import { useStep } from "../use-step.ts";
import type { Visit } from "../visit.ts";

/** Starts a call about the order. */
function useOrderCall<Done, Given>(
  visit: Visit,
  {
    call,
    onSuccess,
  }: {
    readonly call: (orderToken: string, given: Given) => Promise<Done>;
    readonly onSuccess: (done: Done) => void;
  },
) {
  const start = useStep({
    mutationFn: ({ orderToken, given }: { orderToken: string; given: Given }) => call(orderToken, given),
    // Each request sends a code, or is one of the few attempts, so the patient decides whether to repeat it.
    retry: false,
    onMutate: () => visit.send({ type: "submitted" }),
    onSuccess,
    onError: (failure) => visit.send({ type: "failed", problem: problemOf(failure) }),
  });
  return (given: Given): void => {
    const { order_token: orderToken } = visit.session();
    if (orderToken !== null) start(() => ({ orderToken, given }));
  };
}

/**
 * Requests a code for the patient of the order, for the saved `card` if they chose one. The answer is the same if the
 * service does not know the patient.
 */
export function useAskCode({ visit, api, clock }: StepContext, before: AskedCode | null, card?: SavedCardView) {
  return useOrderCall<AskedCode, void>(visit, {
    call: async (orderToken) => {
      const answer = await api.startRecognition(credentialsOf(visit.session()), orderToken, { stored_card: card?.id });
      const earlier = answer.ok || before !== null || card ? null : askedBefore(answer.problem, clock.now());
      return earlier ?? { resendAt: Date.parse(valueOrThrow(answer).resend_after), isEarlier: false, card };
    },
    onSuccess: (asked) => visit.send({ type: "recognition_asked", asked }),
  });
}

/**
 * Sends the code. If it is right, the patient's stored data counts for the order, and one of the saved cards is put on
 * it.
 */
export function useAnswerCode({ visit, api }: StepContext) {
  return useOrderCall(visit, {
    call: async (orderToken, code: string) =>
      valueOrThrow(await api.verifyRecognition(credentialsOf(visit.session()), orderToken, { code })),
    onSuccess: ({ order, cards }) => {
      visit.keepOrder(order);
      visit.send({ type: "recognised", cards });
    },
  });
}

/** The code recognised another person, so the order continues without recognition. */
export function useDisown({ visit, api }: StepContext) {
  return useOrderCall<PatientOrder, void>(visit, {
    call: async (orderToken) => valueOrThrow(await api.disownRecognition(credentialsOf(visit.session()), orderToken)),
    onSuccess: (order) => {
      visit.keepOrder(order);
      visit.send({ type: "disowned" });
    },
  });
}

/**
 * Another page, or this one before a reload, has requested a code, and that one counts. A wait longer than the pause
 * between two codes only means that there were too many.
 */
function askedBefore(problem: Problem, now: number): AskedCode | null {
  if (!isRefusedAs(problem, "rate_limited")) return null;
  const { retry_after_seconds: seconds = 0 } = problem.additions;
  return seconds > CODE_RESEND_PAUSE_SECONDS ? null : { resendAt: now + seconds * 1_000, isEarlier: true };
}
