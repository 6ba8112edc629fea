import { AapdError, AapdUnreachable } from "bff/partner-client/errors";

/**
 * Whether it is certain that the service did not carry out the call. Otherwise it may have, so the call is repeated
 * with the same key.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof AapdError && error.status < 500;
}

/** Statuses that do not concern the request itself, so the same request may be accepted later. */
const MAY_PASS_LATER: readonly number[] = [401, 403, 408, 429];

/** Whether the same receipt would be refused every time. */
export function isRefusedForGood(error: unknown): boolean {
  return error instanceof AapdError && error.status < 500 && !MAY_PASS_LATER.includes(error.status);
}

/** An explanation for the clinic's staff. Rethrows any error that is not from a call. */
export function explain(error: unknown): string {
  if (error instanceof AapdError) return `${error.code ?? error.status}: ${error.message}`;
  if (error instanceof AapdUnreachable) return error.message;
  throw error;
}

/** Processes the items one after the other, continues after a failure, and throws the first failure at the end. */
export async function forEach<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) await act(item).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
