import { type UseMutationOptions, useIsMutating, useMutation } from "@tanstack/react-query";
import { STEP_KEY, type Visit } from "./visit.ts";

/** A mutation with an explicit retry rule. */
type StepOptions<Done, Given> = UseMutationOptions<Done, Error, Given> & { readonly retry: false };

/**
 * A step of the patient, as a mutation. It starts only while no other step is running, so that twenty presses are one
 * step. Its variables are dropped as soon as it has ended.
 */
export function useStep<Done, Given>(visit: Visit, options: StepOptions<Done, Given>): (give: () => Given) => void {
  const { mutate, reset } = useMutation({ ...options, mutationKey: STEP_KEY });
  return (give) => {
    if (!visit.isStepPending()) mutate(give(), { onSettled: reset });
  };
}

export function useIsStepPending(): boolean {
  return useIsMutating({ mutationKey: STEP_KEY }) > 0;
}
