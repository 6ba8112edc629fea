import { type ExpenseStatus, type MissingDocument, missingDocumentSchema } from "../contract/expenses.ts";
import type { ClaimStatus, OrderClaim, OrderStatus } from "../contract/orders.ts";
import type { UnapprovedBecause } from "../notifications/kinds/charge-announced.ts";
import type { ClaimState } from "./claim.ts";
import { isClaimable, missingDocuments } from "./expenses/expense.ts";

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

/** After this a filed claim is no longer polled: insurers do not answer later. */
export const POLLED_DAYS_MAX = 365;

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

const CLAIM_STATUS: Readonly<Record<ClaimState, ClaimStatus>> = {
  ready: "queued",
  filing: "queued",
  filed: "filed",
  approved: "approved",
  rejected: "rejected",
  held: "held",
  access_missing: "access_missing",
  access_blocked: "access_blocked",
  stopped: "stopped",
};

/** The claim of an order as its clinic sees it; null before there is a receipt, and for an order without a claim. */
export function claimView({ order, expense, claim, documents, rejectionCode }: FilingFacts): OrderClaim | null {
  if (claim === null) {
    if (expense === null || !isClaimable(order)) return null;
    const status = expense === "held" ? "held" : "queued";
    return { status, missing_document_types: status === "held" ? [...documents] : [], rejection_code: null };
  }
  const status = claim.state === "filed" && claim.isBlocked ? "access_blocked" : CLAIM_STATUS[claim.state];
  return {
    status,
    missing_document_types: status === "held" ? [...documents] : [],
    rejection_code: rejectionCode,
  };
}

/**
 * The documents that an expense lacks: by our own rules, or by the insurer's answer to the filing. The insurer's answer
 * counts until a new file arrives, which files the claim again.
 */
export function documentsMissingOf(
  {
    subtypes,
    files,
  }: {
    readonly subtypes: Parameters<typeof missingDocuments>[0];
    readonly files: Parameters<typeof missingDocuments>[1];
  },
  claim: { readonly state: ClaimState; readonly reason: string | null } | null,
): MissingDocument[] {
  const own = missingDocuments(subtypes, files);
  const named = claim?.state === "held" ? documentsNamedIn(claim.reason ?? "") : [];
  return [...new Set([...own, ...named])];
}

/** A held claim's reason lists the missing documents, in the insurer's words or in ours. */
function documentsNamedIn(reason: string): MissingDocument[] {
  return reason.split(",").map((name) => {
    if (name === "unreadable_picture") return "readable_photo";
    const known = missingDocumentSchema.safeParse(name);
    return known.success ? known.data : "other_document";
  });
}
