/** Acts that need two people: open requests, who may approve them, and how much one operator may give away alone. */

import { DAY_MS } from "../../contract/vocabulary/durations.ts";

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

/** What a second person approves: an act, its subject, and its exact values. */
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
