import { DAY_MS } from "../../contract/vocabulary/durations.ts";

/**
 * Acts that need two people: open requests, their permitted approvers, and the limit for one operator's own decisions.
 */

/** Every act that needs two people. The database has the same list. */
export type ApprovedAct =
  | "exception.resolve"
  | "operator.add"
  | "operator.change_role"
  | "operator.reissue_token"
  | "provider.set_support_email"
  | "credential.rotate";

/** A request lapses if it is not approved within this time. */
export const REQUEST_OPEN_DAYS = 7;

/** The subject of a second person's approval: an act, its subject, and its exact values. */
export interface ApprovalSubject {
  readonly act: ApprovedAct;
  readonly subject: string;
  /** Requests with equal values are the same request. */
  readonly request: Readonly<Record<string, string | number | null>>;
}

/** The stored form of a request: equal requests have equal texts. */
export function requestText(request: ApprovalSubject["request"]): string {
  return JSON.stringify(Object.fromEntries(Object.entries(request).toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

/** Requests made before this moment have lapsed. */
export function openSince(now: Date): Date {
  return new Date(now.getTime() - REQUEST_OPEN_DAYS * DAY_MS);
}

/** The facts about an operator that decide what they may approve. */
export interface Approver {
  /** When they may first approve; null if they always could. */
  readonly approvesFrom: Date | null;
  /** Every approved request that added them or changed their role. Its approver saw their token. */
  readonly makers: readonly { readonly askedBy: string; readonly approvedBy: string }[];
}

/** The reason why an operator may not approve another's request, for the operator; null if they may. */
export function whyNotApprove(
  { approver, approverActor }: { readonly approver: Approver | null; readonly approverActor: string },
  { asker, askerActor }: { readonly asker: Approver | null; readonly askerActor: string },
  now: Date,
): string | null {
  if (approverActor === askerActor) return "You made this request yourself. Another operator has to approve it.";
  if (approver !== null && approver.approvesFrom !== null && now < approver.approvesFrom)
    return `You are new: you may approve from ${approver.approvesFrom.toISOString()} on. Another operator has to approve it.`;
  if (approver?.makers.some(({ askedBy, approvedBy }) => [askedBy, approvedBy].includes(askerActor)) === true)
    return "You may not approve requests of the operators who added you or changed your role. Another operator has to approve it.";
  if (asker?.makers.some(({ approvedBy }) => approvedBy === approverActor) === true)
    return "You may not approve requests of an operator whom you added or whose role you changed. Another operator has to approve it.";
  return null;
}
