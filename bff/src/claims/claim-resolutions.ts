import { findOrder } from "../orders/order-reads.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { type Exception, ResolutionRefused, type Resolving, type UnknownCall } from "../platform/exceptions.ts";
import { type ClaimTrigger, filingKey } from "./claim.ts";
import { type ClaimRecord, readClaim } from "./claim-store.ts";
import { type ClaimedOrder, scheduleFiling } from "./consider-claim.ts";
import { takeFromConnector } from "./hand-worked-claims.ts";
import { lockMovableClaim, moveClaim } from "./move-claim.ts";

/** The resolution's clocks: real time for timers, the provider's time for the moment of resolution. */
type Dependencies = Pick<Resolving, "clock" | "at">;

/** Files a held claim again as it is, for an operator. Throws `ResolutionRefused` if it is not held. */
export async function fileAgain(tx: Transaction, { clock, at }: Dependencies, order: ClaimedOrder): Promise<void> {
  const claim = await move(tx, { at }, order, { trigger: "complete_documents", reason: null });
  await scheduleFiling(tx, claim, clock.now());
}

/** Gives up a claim before it is filed, for an operator. Throws `ResolutionRefused` if it can no longer be stopped. */
export async function giveUpClaim(tx: Transaction, dependencies: Dependencies, order: ClaimedOrder): Promise<void> {
  await move(tx, dependencies, order, { trigger: "stop", reason: "given_up" });
}

/**
 * Records that an operator has withdrawn a filed claim at the insurer, so that it is no longer polled. Throws
 * `ResolutionRefused` if the claim is not filed.
 */
export async function noteWithdrawn(tx: Transaction, dependencies: Dependencies, order: ClaimedOrder): Promise<void> {
  await move(tx, dependencies, order, { trigger: "withdraw", reason: "withdrawn_at_insurer" });
}

/**
 * The call that files a claim, as one whose outcome is unknown; null if it has ended. The connector knows the claim
 * under another id than the portal's number, so operators finish one that only the portal shows.
 */
export async function unknownFiling(
  tx: Transaction,
  { kind, providerId, subject: id, facts }: Exception,
): Promise<UnknownCall | null> {
  if (kind !== "outcome_unknown" || facts.of !== "filing") return null;
  const claim = await readClaim(tx, { providerId, id });
  const order = claim?.state === "filing" ? await findOrder(tx, claim) : null;
  if (claim === null || order === null) return null;
  return {
    idempotencyKey: filingKey(claim),
    amount: order.total,
    whenDone: (number) => takeFromConnector(tx, claim, { number, filedAt: claim.updatedAt }),
  };
}

async function move(
  tx: Transaction,
  { at }: Pick<Dependencies, "at">,
  order: ClaimedOrder,
  { trigger, reason }: { readonly trigger: ClaimTrigger; readonly reason: string | null },
): Promise<ClaimRecord> {
  const movable = await lockMovableClaim(tx, order, trigger);
  if (movable === null) throw new ResolutionRefused("The claim's current state does not allow this.");
  await moveClaim(tx, movable, { at, reason, blockedSince: null });
  return movable.claim;
}
