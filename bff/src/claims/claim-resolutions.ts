import type { Transaction } from "../platform/database/transaction.ts";
import { ResolutionRefused, type Resolving } from "../platform/exceptions.ts";
import type { ClaimTrigger } from "./claim.ts";
import type { ClaimRecord } from "./claim-store.ts";
import { type ClaimedOrder, scheduleFiling } from "./consider-claim.ts";
import { lockMovableClaim, moveClaim } from "./move-claim.ts";

/** Of the resolution: real time for timers, and when it is resolved, in the provider's time. */
type Dependencies = Pick<Resolving, "clock" | "at">;

/** An operator has a held claim filed again as it is; throws `ResolutionRefused` if it is not held. */
export async function fileAgain(tx: Transaction, { clock, at }: Dependencies, order: ClaimedOrder): Promise<void> {
  const claim = await move(tx, { at }, order, { trigger: "complete_documents", reason: null });
  await scheduleFiling(tx, claim, clock.now());
}

/** An operator gives up a claim before it is filed. Throws `ResolutionRefused` if it cannot be stopped any more. */
export async function giveUpClaim(tx: Transaction, dependencies: Dependencies, order: ClaimedOrder): Promise<void> {
  await move(tx, dependencies, order, { trigger: "stop", reason: "given_up" });
}

/**
 * An operator has withdrawn a filed claim at the insurer, so the insurer is not asked about it any more. Throws
 * `ResolutionRefused` if it is not a filed claim.
 */
export async function noteWithdrawn(tx: Transaction, dependencies: Dependencies, order: ClaimedOrder): Promise<void> {
  await move(tx, dependencies, order, { trigger: "withdraw", reason: "withdrawn_at_insurer" });
}

async function move(
  tx: Transaction,
  { at }: Pick<Dependencies, "at">,
  order: ClaimedOrder,
  { trigger, reason }: { readonly trigger: ClaimTrigger; readonly reason: string | null },
): Promise<ClaimRecord> {
  const movable = await lockMovableClaim(tx, order, trigger);
  if (movable === null) throw new ResolutionRefused("The claim does not take this as it stands now.");
  await moveClaim(tx, movable, { at, reason, blockedSince: null });
  return movable.claim;
}
