import type { DocumentType } from "bff/contract/orders";
import { isDefinite, problemOf, valueOrThrow } from "../../api/problem.ts";
import { credentialsOf } from "../server-state.ts";
import { type StepContext, showProblem } from "../step-context.ts";
import { useStep } from "../use-step.ts";

interface IdentityDocument {
  readonly orderToken: string;
  readonly serial: string;
  readonly type: DocumentType;
}

/** Has the patient's identity document validated. */
export function useValidateIdentity(context: StepContext) {
  const { visit, api, identityKey } = context;
  const start = useStep(visit, {
    mutationFn: async ({ orderToken, serial, type }: IdentityDocument) => {
      const body = { document_serial: serial, document_type: type };
      const key = identityKey.of(`${type} ${serial}`);
      return valueOrThrow(await api.validateIdentity(credentialsOf(visit.session()), orderToken, body, key));
    },
    // The patient has few tries: pressed again after a lost answer, the request has the key of the first and is the
    // same try.
    retry: false,
    onMutate: () => visit.send({ type: "submitted" }),
    onSuccess: (order) => {
      identityKey.renew();
      visit.keepOrder(order);
      visit.send({ type: "continued" });
    },
    onError: (failure) => {
      const problem = problemOf(failure);
      if (isDefinite(problem)) identityKey.renew();
      showProblem(context, problem);
    },
  });
  return (serial: string, type: DocumentType): void => {
    const { order_token: orderToken } = visit.session();
    if (orderToken !== null) start(() => ({ orderToken, serial, type }));
  };
}
