import { inTransaction } from "../../platform/database/transaction.ts";
import { santiagoDay } from "../../platform/santiago-time.ts";
import { type BookAndReconcileDependencies, bookAndReconcile } from "./book-and-reconcile.ts";
import type { Reconciled } from "./reconcile.ts";
import { keepRun } from "./reconciliation-store.ts";

/** Books what was settled and compares everything of a provider since a moment, in the provider's time, and keeps the differences as exceptions. */
export async function reconcileSince(
  dependencies: BookAndReconcileDependencies,
  { providerId, from, now }: { readonly providerId: string; readonly from: Date; readonly now: Date },
): Promise<Reconciled> {
  // The period includes the present millisecond.
  const period = { from, to: new Date(now.getTime() + 1) };
  const found = await bookAndReconcile(dependencies, { providerId, ...period }, now);
  const { differences, unavailable } = found;
  const run = { providerId, day: santiagoDay(now), at: now, periods: [period], differences, unavailable };
  await inTransaction(dependencies.db, (tx) => keepRun(tx, { ...run, unresolved: [...found.unresolved] }));
  return found;
}
