import { type UseMutationOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { STEP_KEY, type Visit } from "./visit.ts";

/** A mutation whose retry rule is said. */
type StepOptions<Done, Given> = UseMutationOptions<Done, Error, Given> & { readonly retry: false };

/**
 * A step of the patient, as a mutation. It starts only while no other step is under way, so that twenty presses are
 * one, and what it was given is let go as soon as it has ended.
 */
export function useStep<Done, Given>(visit: Visit, options: StepOptions<Done, Given>): (give: () => Given) => void {
  const { mutate, reset } = useMutation({ ...options, mutationKey: STEP_KEY });
  return (give) => {
    if (!visit.isStepPending()) mutate(give(), { onSettled: reset });
  };
}

export function useIsStepPending(): boolean {
  const client = useQueryClient();
  const subscribe = useCallback((onChange: () => void) => client.getMutationCache().subscribe(onChange), [client]);
  const isPending = () => client.isMutating({ mutationKey: STEP_KEY }) > 0;
  return useSyncExternalStore(subscribe, isPending, isPending);
}
