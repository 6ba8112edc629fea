import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Resolving } from "../platform/exceptions.ts";
import { type ClaimTrigger, claimAfter, expenseStatusOf } from "./claim.ts";
import { type ClaimRecord, changeClaim, lockClaimOfOrder } from "./claim-store.ts";
import { scheduleFiling } from "./consider-claim.ts";
import { lockSubmittedExpense, setExpenseStatus } from "./expenses/expense-progress.ts";

/** Thrown when an operator asks for a transition that the claim's present state does not allow. */
export class ClaimResolutionRefused extends Error {
  override readonly name = "ClaimResolutionRefused";
}

interface ClaimOfOrder {
  readonly providerId: string;
  readonly orderId: OrderId;
}

/** Of the resolution: real time for timers, and when it is resolved, in the provider's time. */
type Dependencies = Pick<Resolving, "clock" | "at">;

/** An operator has a held claim filed again as it is; throws `ClaimResolutionRefused` if it is not held. */
export async function fileAgain(tx: Transaction, { clock, at }: Dependencies, order: ClaimOfOrder): Promise<void> {
  const claim = await move(tx, { at }, order, { trigger: "complete_documents", reason: null });
  await scheduleFiling(tx, claim, clock.now());
}

/** An operator gives up a claim before it is filed. Throws `ClaimResolutionRefused` if it cannot be stopped any more. */
export async function giveUpClaim(tx: Transaction, dependencies: Dependencies, order: ClaimOfOrder): Promise<void> {
  await move(tx, dependencies, order, { trigger: "stop", reason: "given_up" });
}

/**
 * An operator has withdrawn a filed claim at the insurer, so the insurer is not asked about it any more. Throws
 * `ClaimResolutionRefused` if it is not a filed claim.
 */
export async function noteWithdrawn(tx: Transaction, dependencies: Dependencies, order: ClaimOfOrder): Promise<void> {
  await move(tx, dependencies, order, { trigger: "withdraw", reason: "withdrawn_at_insurer" });
}

async function move(
  tx: Transaction,
  { at }: Pick<Dependencies, "at">,
  order: ClaimOfOrder,
  { trigger, reason }: { readonly trigger: ClaimTrigger; readonly reason: string | null },
): Promise<ClaimRecord> {
  const expense = await lockSubmittedExpense(tx, order);
  const claim = await lockClaimOfOrder(tx, order);
  const state = claim === null ? null : claimAfter(claim.state, trigger);
  if (expense === null || claim === null || state === null)
    throw new ClaimResolutionRefused("The claim does not take this act now.");
  await changeClaim(tx, claim, { state, at, reason, blockedSince: null });
  await setExpenseStatus(tx, expense, { to: expenseStatusOf(state), at });
  return claim;
}
