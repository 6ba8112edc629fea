import { problemOf, valueOrThrow } from "../../api/problem.ts";
import type { Collision } from "../checkout-state.ts";
import { goOn, takeRegistrationProblem } from "../patient/registration.ts";
import { credentialsOf } from "../server-state.ts";
import { type StepContext, showProblem } from "../step-context.ts";
import { useStep } from "../use-step.ts";
import { type Proof, sendCode } from "./send-code.ts";

/** Sends the code of a recovery: to the registered e-mail, or with a proof of identity to a new one. */
export function useSendRecoveryCode(context: StepContext) {
  const { visit } = context;
  const start = useStep({
    mutationFn: (asked: { readonly rut: string; readonly proof: Proof | null }) => sendCode(context, asked),
    // Each request sends a code, so the next one is only sent when the patient asks for it.
    retry: false,
    onMutate: () => visit.send({ type: "submitted" }),
    onSuccess: (sent) => visit.send({ type: "code_sent", sent }),
    onError: (failure) => showProblem(context, problemOf(failure)),
  });
  return ({ rut }: Collision, proof: Proof | null): void => start(() => ({ rut, proof }));
}

/** Answers the code, which registers the patient under the proven e-mail. */
export function useAnswerRecoveryCode(context: StepContext) {
  const { visit, api } = context;
  const start = useStep({
    mutationFn: async ({
      collision: { rut, ways },
      code,
    }: {
      readonly collision: Collision;
      readonly code: string;
    }) => {
      // A code that verifies this visit's own sign-up needs no data, because the sign-up has already sent it.
      const typed = ways.length === 0 ? {} : context.signUp;
      const body = { widget_token: visit.token(), rut, code, ...typed };
      return valueOrThrow(await api.verifyRecovery(credentialsOf(visit.session()), body));
    },
    // Each request is one of the few attempts for a code.
    retry: false,
    onMutate: () => visit.send({ type: "submitted" }),
    onSuccess: ({ event_type }) => {
      visit.updateSession({ event_type });
      goOn(context);
    },
    onError: (failure, { collision: { rut } }) => takeRegistrationProblem(context, rut, problemOf(failure)),
  });
  return (collision: Collision, code: string): void => start(() => ({ collision, code }));
}
