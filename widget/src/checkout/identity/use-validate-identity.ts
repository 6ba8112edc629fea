import { problemOf } from "../../api/problem.ts";
import type { IdentityDocument } from "../patient/patient-values.ts";
import { type StepContext, showProblem } from "../step-context.ts";
import { useStep } from "../use-step.ts";
import { validateIdentity } from "./validate-identity.ts";

/** The step that validates the identity of a registered patient. */
export function useValidateIdentity(context: StepContext) {
  const { visit } = context;
  const start = useStep({
    mutationFn: (document: IdentityDocument) => validateIdentity(context, document),
    retry: false,
    onMutate: () => visit.send({ type: "submitted" }),
    onSuccess: () => visit.send({ type: "continued" }),
    onError: (failure) => showProblem(context, problemOf(failure)),
  });
  return (serial: string, type: IdentityDocument["type"]): void => start(() => ({ serial, type }));
}
