import { type Clp, shareRoundedHalfUp, ZERO } from "../../src/contract/vocabulary/clp.ts";
import { DAY_MS } from "../../src/contract/vocabulary/durations.ts";
import type { OrderId } from "../../src/contract/vocabulary/identifiers.ts";
import type { Unknown } from "../../src/gateways/gateway-call.ts";
import type { ClaimOutcome, FilingOutcome } from "../../src/gateways/insurer.ts";

/** How the sandbox's insurer handles a person's claims. Days are counted from the filing and last 24 hours each. */
export type InsurerBehaviour =
  | { readonly kind: "approved"; readonly afterDays: number }
  | { readonly kind: "rejected"; readonly afterDays: number }
  /**
   * The access is blocked after this many days, until the patient gives new access and the claim is filed again with
   * it.
   */
  | { readonly kind: "blocked"; readonly afterDays: number }
  | { readonly kind: "never" }
  /** The claim is held until a second document is sent. */
  | { readonly kind: "held" }
  | { readonly kind: "access_missing" }
  /** The portal is down for this many days from the first call. */
  | { readonly kind: "portal_down"; readonly days: number };

/** The share of the total that the sandbox's insurers reimburse, in basis points. */
const REIMBURSED_BASIS_POINTS = 6_000;
/** When a claim that was blocked, held or delayed is answered. */
const ANSWER_DAYS = 5;
/** After this many days without an inquiry about a claim, its password is forgotten (`docs/reference/gateways.md`). */
const PASSWORD_KEPT_DAYS = 7;

export const REJECTION_REASON = "La prestación no está cubierta por tu plan.";
const REJECTION_CODE = "not_covered";

/** A claim as the sandbox's insurer stores it. */
export interface StoredClaim {
  readonly id: string;
  readonly providerId: string;
  readonly orderHash: OrderId | null;
  readonly total: Clp | null;
  readonly behaviour: InsurerBehaviour;
  readonly accessSha256: string;
  readonly filedAt: Date;
  readonly accessRenewedAt: Date | null;
  /** The time of the last inquiry, or when its access was sent; null if unknown. */
  readonly askedAt: Date | null;
  /** Set through the sandbox's routes; they override the behaviour. */
  readonly blockedFrom: Date | null;
  readonly blockedUntil: Date | null;
  readonly verdict:
    | { readonly kind: "approved"; readonly at: Date; readonly reimbursed: Clp }
    | { readonly kind: "rejected"; readonly at: Date; readonly reason: string }
    | null;
}

export interface FilingFacts {
  readonly behaviour: InsurerBehaviour;
  /** Whether the sealed access could be opened and belongs to this person at this insurer. */
  readonly access: "usable" | "missing";
  readonly documents: number;
  /** When the portal was first used for this person. */
  readonly firstCalledAt: Date;
  /** Whether the access is still the one that was used first. */
  readonly isFirstAccess: boolean;
}

/** Why the portal refuses a filing; `null` if it is filed. */
export function filingRefusal(
  facts: FilingFacts,
  at: Date,
): Exclude<FilingOutcome, { outcome: "filed" } | Unknown> | null {
  const { behaviour } = facts;
  if (behaviour.kind === "portal_down" && at < addDays(facts.firstCalledAt, behaviour.days)) {
    return { outcome: "portal_down" };
  }
  if (facts.access === "missing" || behaviour.kind === "access_missing") return { outcome: "access_missing" };
  if (behaviour.kind === "blocked" && behaviour.afterDays === 0 && facts.isFirstAccess) {
    return { outcome: "access_blocked" };
  }
  if (behaviour.kind === "held" && facts.documents < 2) return { outcome: "held", missing: ["medical_order"] };
  return null;
}

/** The outcome of a claim at the moment `at`. */
export function claimAt(claim: StoredClaim, at: Date): ClaimOutcome {
  if (claim.askedAt === null || !isPasswordForgotten(claim, at)) return claimInPortal(claim, at);
  // Without the password, the claim keeps its earlier answer.
  const inPortal = claimInPortal(claim, claim.askedAt);
  return inPortal.outcome === "approved" || inPortal.outcome === "rejected" ? inPortal : { outcome: "access_blocked" };
}

function claimInPortal(claim: StoredClaim, at: Date): ClaimOutcome {
  const { verdict } = claim;
  if (verdict !== null && verdict.at <= at) {
    return verdict.kind === "approved"
      ? { outcome: "approved", reimbursed: verdict.reimbursed, at: verdict.at }
      : { outcome: "rejected", reason: verdict.reason, code: REJECTION_CODE };
  }
  if (claim.blockedFrom !== null && claim.blockedFrom <= at && (claim.blockedUntil === null || at < claim.blockedUntil))
    return { outcome: "access_blocked" };
  return claimByBehaviour(claim, at);
}

export function isPasswordForgotten({ askedAt }: Pick<StoredClaim, "askedAt">, at: Date): boolean {
  return askedAt !== null && at >= addDays(askedAt, PASSWORD_KEPT_DAYS);
}

/** The moments at which the outcome of a claim may change by itself, in any order. */
export function turningPoints({ behaviour, filedAt, accessRenewedAt, askedAt, ...set }: StoredClaim): Date[] {
  const after = "afterDays" in behaviour ? [addDays(filedAt, behaviour.afterDays)] : [];
  const renewed = accessRenewedAt === null ? [] : [accessRenewedAt, addDays(accessRenewedAt, ANSWER_DAYS)];
  const configured = [set.verdict?.at, set.blockedFrom, set.blockedUntil].filter((moment) => moment != null);
  const forgotten = askedAt === null ? [] : [addDays(askedAt, PASSWORD_KEPT_DAYS)];
  return [addDays(filedAt, ANSWER_DAYS), ...forgotten, ...after, ...renewed, ...configured];
}

function claimByBehaviour(claim: StoredClaim, at: Date): ClaimOutcome {
  const { behaviour, filedAt } = claim;
  switch (behaviour.kind) {
    case "never":
      return { outcome: "waiting" };
    case "approved":
      return approvedFrom(claim, addDays(filedAt, behaviour.afterDays), at);
    case "rejected":
      return at < addDays(filedAt, behaviour.afterDays)
        ? { outcome: "waiting" }
        : { outcome: "rejected", reason: REJECTION_REASON, code: REJECTION_CODE };
    case "blocked": {
      if (behaviour.afterDays === 0) return approvedFrom(claim, addDays(filedAt, ANSWER_DAYS), at);
      const blockedFrom = addDays(filedAt, behaviour.afterDays);
      if (at < blockedFrom) return { outcome: "waiting" };
      const renewedAt = claim.accessRenewedAt;
      if (renewedAt === null || renewedAt < blockedFrom || at < renewedAt) return { outcome: "access_blocked" };
      return approvedFrom(claim, addDays(renewedAt, ANSWER_DAYS), at);
    }
    case "held":
    case "access_missing":
    case "portal_down":
      return approvedFrom(claim, addDays(filedAt, ANSWER_DAYS), at);
  }
}

function approvedFrom(claim: StoredClaim, from: Date, at: Date): ClaimOutcome {
  if (at < from) return { outcome: "waiting" };
  return { outcome: "approved", reimbursed: usualReimbursement(claim.total), at: from };
}

/** The amount that the sandbox's insurers reimburse of a total; zero if the total is not known. */
export function usualReimbursement(total: Clp | null): Clp {
  return total === null ? ZERO : shareRoundedHalfUp(total, REIMBURSED_BASIS_POINTS);
}

function addDays(moment: Date, days: number): Date {
  return new Date(moment.getTime() + days * DAY_MS);
}
