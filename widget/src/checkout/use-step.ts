import {
  type MutationKey,
  notifyManager,
  type QueryClient,
  type UseMutationOptions,
  useIsMutating,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";

/** Marks mutations that are a step of the patient. Only one runs at a time. */
const STEP_KEY: MutationKey = ["step"];

/** A mutation with an explicit retry rule. */
type StepOptions<Done, Given> = UseMutationOptions<Done, Error, Given> & { readonly retry: false };

/**
 * A step of the patient, as a mutation. It starts only while no other step is running, so that twenty presses are one
 * step. Its variables are dropped as soon as it has ended.
 */
export function useStep<Done, Given>(options: StepOptions<Done, Given>): (give: () => Given) => void {
  const queries = useQueryClient();
  const { mutate, reset } = useMutation({ ...options, mutationKey: STEP_KEY });
  return (give) => {
    if (!isStepPending(queries)) mutate(give(), { onSettled: reset });
  };
}

export function isStepPending(queries: QueryClient): boolean {
  return queries.isMutating({ mutationKey: STEP_KEY }) > 0;
}

/** The same for a component outside the client's provider, as an external store of React. */
export function stepPending(queries: QueryClient) {
  return {
    subscribe: (listener: () => void) => queries.getMutationCache().subscribe(notifyManager.batchCalls(listener)),
    read: () => isStepPending(queries),
  };
}

export function useIsStepPending(): boolean {
  return useIsMutating({ mutationKey: STEP_KEY }) > 0;
}
