import type { ExpenseStatus, MissingDocument } from "../contract/expenses.ts";
import type { OrderStatus } from "../contract/orders.ts";
import type { UnapprovedBecause } from "../notifications/kinds/charge-announced.ts";
import type { ClaimState } from "./claim.ts";
import { isClaimable } from "./expenses/expense.ts";

/**
 * Why the claim of a paid order is not filed or not approved. The deferred part is charged either way, so the patient
 * learns the true cause while it can still be corrected.
 */

export interface FilingFacts {
  readonly order: OrderStatus;
  readonly expense: ExpenseStatus | null;
  readonly claim: { readonly state: ClaimState; readonly wasFiled: boolean; readonly isBlocked: boolean } | null;
  /** The documents that the clinic must still send besides the stored expense. */
  readonly documents: readonly MissingDocument[];
  /** The insurer's code of a rejected claim. */
  readonly rejectionCode: string | null;
  /** Null if no patient is registered under the order's RUT. */
  readonly hasAccess: boolean | null;
  /** The patient has withdrawn a required consent. */
  readonly isWithdrawn: boolean;
}

/** What a claim still needs before it can be filed, by sender: the patient or the clinic. */
export interface Lacking {
  readonly access: boolean;
  readonly paper: "receipt" | "document" | null;
}

/** What the claim of an order lacks; null if it was filed, will not be filed, or lacks nothing. */
export function lackingOf({ order, expense, claim, hasAccess, isWithdrawn }: FilingFacts): Lacking | null {
  if (!isClaimable(order) || isWithdrawn || claim?.wasFiled === true || claim?.state === "stopped") return null;
  const access = hasAccess === false || claim?.state === "access_missing";
  const paper = expense === null ? "receipt" : expense === "held" ? "document" : null;
  return access || paper !== null ? { access, paper } : null;
}

/** Whether the claim of an order is neither approved nor blocked any more: refused, or not filed or followed. */
export function hasClaimEnded({ claim, isWithdrawn }: Pick<FilingFacts, "claim" | "isWithdrawn">): boolean {
  return isWithdrawn || claim?.state === "rejected" || claim?.state === "stopped";
}

/** Why no approval has come, for the notice of the charge on the last day. */
export function unapprovedBecause(facts: FilingFacts): UnapprovedBecause {
  const { claim, isWithdrawn } = facts;
  if (claim?.state === "rejected") return "rejected";
  const lacking = lackingOf(facts);
  if (lacking !== null) return lacking.paper === null ? "no_access" : `no_${lacking.paper}`;
  if (claim?.wasFiled === true && claim.state === "stopped") return "taken_back";
  if (isWithdrawn) return claim?.wasFiled === true ? "not_followed" : "withdrawn";
  if (claim?.state === "stopped") return "given_up";
  // Without a registered patient there is no access either.
  if (facts.hasAccess === null && claim === null) return "no_access";
  if (claim?.isBlocked === true) return "access_blocked";
  return claim?.wasFiled === true ? "no_answer" : "portal_down";
}
