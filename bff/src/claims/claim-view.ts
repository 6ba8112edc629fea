import { type MissingDocument, missingDocumentSchema } from "../contract/expenses.ts";
import type { ClaimStatus, OrderClaim } from "../contract/orders.ts";
import type { ClaimState } from "./claim.ts";
import { isClaimable, missingDocuments } from "./expenses/expense.ts";
import type { FilingFacts } from "./unfiled.ts";

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
