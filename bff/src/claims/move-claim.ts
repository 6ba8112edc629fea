import type { Clock } from "../platform/clock.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import { providerNow } from "../platform/provider.ts";
import { requireProvider } from "../tenants/providers.ts";
import { type ClaimState, type ClaimTrigger, claimAfter, expenseStatusOf } from "./claim.ts";
import { type ClaimRecord, changeClaim, lockClaimOfOrder } from "./claim-store.ts";
import { lockSubmittedExpense, type SubmittedExpense, setExpenseStatus } from "./expenses/expense-progress.ts";

/** A claim whose state allows a trigger, locked with its expense, and the state that follows. */
export interface MovableClaim {
  readonly claim: ClaimRecord;
  readonly expense: SubmittedExpense;
  readonly state: ClaimState;
}

/** Locks an order's claim with its expense; null if none allows this trigger. */
export async function lockMovableClaim(
  tx: Transaction,
  order: Pick<ClaimRecord, "providerId" | "orderId">,
  trigger: ClaimTrigger,
): Promise<MovableClaim | null> {
  const expense = await lockSubmittedExpense(tx, order);
  const claim = await lockClaimOfOrder(tx, order);
  if (expense === null || claim === null) return null;
  const state = claimAfter(claim.state, trigger);
  return state === null ? null : { claim, expense, state };
}

/** Moves a locked claim, and its expense with it. */
export async function moveClaim(
  tx: Transaction,
  { claim, expense, state }: MovableClaim,
  change: { readonly at: Date; readonly reason: string | null; readonly blockedSince?: null },
): Promise<void> {
  await changeClaim(tx, claim, { state, ...change });
  await setExpenseStatus(tx, expense, { to: expenseStatusOf(state), at: change.at });
}

/** The current time of the claim's provider. `clock`: real time. */
export async function claimNow({ clock }: { readonly clock: Clock }, db: Database, providerId: string): Promise<Date> {
  return providerNow(await requireProvider(db, providerId), clock.now());
}
