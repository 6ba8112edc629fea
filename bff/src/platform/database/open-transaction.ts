import { AsyncLocalStorage } from "node:async_hooks";
import { QueryOutsideTransaction } from "./errors.ts";

/** Marks calls that are made inside an open transaction. */
const openTransaction = new AsyncLocalStorage<{ open: boolean }>();

/**
 * Runs a transaction of the embedded database so that a query sent outside of it, from inside, fails at once. Otherwise
 * the query would wait for the only session, which the transaction holds, while the transaction waits for the query.
 */
export async function asOpenTransaction<T>(run: () => Promise<T>): Promise<T> {
  const mark = { open: true };
  try {
    return await openTransaction.run(mark, run);
  } finally {
    mark.open = false;
  }
}

/** Throws `QueryOutsideTransaction` if the caller is inside a transaction that is still open. */
export function refuseInsideTransaction(): void {
  if (openTransaction.getStore()?.open !== true) return;
  throw new QueryOutsideTransaction("A query was sent to the database from inside a transaction, but not through it.");
}
