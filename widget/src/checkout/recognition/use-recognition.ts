import type { SavedCardView } from "bff/contract/orders";
import { CODE_RESEND_PAUSE_SECONDS } from "bff/contract/terms";
import { isRefusedAs, type Problem, problemOf, valueOrThrow } from "../../api/problem.ts";
import type { AskedCode } from "../recognition.ts";
import { credentialsOf } from "../server-state.ts";
import { type StepContext, showProblem } from "../step-context.ts";
import { useStep } from "../use-step.ts";

/**
 * Has a code sent to the patient of the order, if they are known, for the saved `card` if they chose one. The answer is
 * the same if they are not known.
 */
export function useAskCode(context: StepContext, before: AskedCode | null, card?: SavedCardView) {
  const { visit, api, clock } = context;
  const start = useStep(visit, {
    mutationFn: async (orderToken: string): Promise<AskedCode> => {
      const answer = await api.startRecognition(credentialsOf(visit.session()), orderToken, { stored_card: card?.id });
      const earlier = answer.ok || before !== null || card ? null : askedBefore(answer.problem, clock.now());
      return earlier ?? { resendAt: Date.parse(valueOrThrow(answer).resend_after), isEarlier: false, card };
    },
    // Each request may send a code: the next one is sent when the patient asks for it.
    retry: false,
    onMutate: () => visit.send({ type: "submitted" }),
    onSuccess: (asked) => visit.send({ type: "recognition_asked", asked }),
    onError: (failure) => showProblem(context, problemOf(failure)),
  });
  return (): void => {
    const { order_token: orderToken } = visit.session();
    if (orderToken !== null) start(() => orderToken);
  };
}

/**
 * Another page, or this one before it was loaded anew, has asked for a code; that one is the one that counts. A longer
 * wait than the pause between two codes says only that there were too many.
 */
function askedBefore(problem: Problem, now: number): AskedCode | null {
  if (!isRefusedAs(problem, "rate_limited")) return null;
  const { retry_after_seconds: seconds = 0 } = problem.additions;
  return seconds > CODE_RESEND_PAUSE_SECONDS ? null : { resendAt: now + seconds * 1_000, isEarlier: true };
}

/**
 * Answers the code. What the service knows of the patient then counts for the order, and one of the saved cards is on
 * it.
 */
export function useAnswerCode(context: StepContext) {
  const { visit, api } = context;
  const start = useStep(visit, {
    mutationFn: async ({ orderToken, code }: { readonly orderToken: string; readonly code: string }) =>
      valueOrThrow(await api.verifyRecognition(credentialsOf(visit.session()), orderToken, { code })),
    // Each request is one of the few tries that a code has.
    retry: false,
    onMutate: () => visit.send({ type: "submitted" }),
    onSuccess: ({ order, cards }) => {
      visit.keepOrder(order);
      visit.send({ type: "recognised", cards });
    },
    onError: (failure) => showProblem(context, problemOf(failure)),
  });
  return (code: string): void => {
    const { order_token: orderToken } = visit.session();
    if (orderToken !== null) start(() => ({ orderToken, code }));
  };
}

/** It was somebody else who was recognised: the order goes on as for anybody. */
export function useDisown(context: StepContext) {
  const { visit, api } = context;
  const start = useStep(visit, {
    mutationFn: async (orderToken: string) =>
      valueOrThrow(await api.disownRecognition(credentialsOf(visit.session()), orderToken)),
    // Once more would change nothing: whether to press again is the patient's decision.
    retry: false,
    onMutate: () => visit.send({ type: "submitted" }),
    onSuccess: (order) => {
      visit.keepOrder(order);
      visit.send({ type: "disowned" });
    },
    onError: (failure) => showProblem(context, problemOf(failure)),
  });
  return (): void => {
    const { order_token: orderToken } = visit.session();
    if (orderToken !== null) start(() => orderToken);
  };
}
