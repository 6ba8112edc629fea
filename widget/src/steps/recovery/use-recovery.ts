import { problemOf, valueOrThrow } from "../../api/problem.ts";
import type { Collision } from "../../checkout/checkout-state.ts";
import { credentialsOf } from "../../checkout/server-state.ts";
import { type StepContext, showProblem } from "../../checkout/step-context.ts";
import { useStep } from "../../checkout/use-step.ts";
import { takeRegistration, takeRegistrationProblem } from "../patient/registration.ts";

/** How the patient proves who they are where the registered e-mail is no longer theirs. */
interface Proof {
  readonly serial: string;
  readonly email: string;
}

/** Has the code of a recovery sent: to the registered e-mail, or with a proof of identity to a new one. */
export function useSendRecoveryCode(context: StepContext) {
  const { visit, api } = context;
  const start = useStep(visit, {
    mutationFn: async ({ rut, proof }: { readonly rut: string; readonly proof: Proof | null }) => {
      const way = proof === null ? ("email_code" as const) : ("identity" as const);
      const proven = proof === null ? {} : { document_serial: proof.serial, email: proof.email.trim() };
      const body = { widget_token: visit.token(), rut, way, ...proven };
      const answer = valueOrThrow(await api.startRecovery(credentialsOf(visit.session()), body));
      return { way, sentTo: answer.sent_to, resendAt: Date.parse(answer.resend_after) };
    },
    // Each request sends a code: the next one is sent when the patient asks for it.
    retry: false,
    onMutate: () => visit.send({ type: "submitted" }),
    onSuccess: (sent) => visit.send({ type: "code_sent", sent }),
    onError: (failure) => showProblem(context, problemOf(failure)),
  });
  return ({ rut }: Collision, proof: Proof | null): void => start(() => ({ rut, proof }));
}

/** Answers the code, and so registers the patient under the e-mail that was proven. */
export function useAnswerRecoveryCode(context: StepContext) {
  const { visit, api } = context;
  const start = useStep(visit, {
    mutationFn: async ({ rut, code }: { readonly rut: string; readonly code: string }) => {
      const body = { widget_token: visit.token(), rut, code, ...context.signUp };
      return valueOrThrow(await api.verifyRecovery(credentialsOf(visit.session()), body));
    },
    // Each request is one of the few tries that a code has.
    retry: false,
    onMutate: () => visit.send({ type: "submitted" }),
    onSuccess: (answer) => takeRegistration(context, answer),
    onError: (failure, { rut }) => takeRegistrationProblem(context, rut, problemOf(failure)),
  });
  return ({ rut }: Collision, code: string): void => start(() => ({ rut, code }));
}
