/** This folder holds what needs two people: who asked for what, who may approve it, and how much one person may give away alone. */

import { DAY_MS } from "../../contract/vocabulary/durations.ts";

/** Everything that needs two people. The database has the same list. */
export type ApprovedAct =
  | "exception.resolve"
  | "operator.add"
  | "operator.change_role"
  | "operator.reissue_token"
  | "provider.set_support_email"
  | "credential.rotate";

/** A request that has not been approved for so long has to be made again. */
export const REQUEST_OPEN_DAYS = 7;

/** What needs a second person: an act, what it is about, and what exactly is to be done. */
export interface ApprovalSubject {
  readonly act: ApprovedAct;
  readonly subject: string;
  /** Two requests are for the same if these values are equal. */
  readonly request: Readonly<Record<string, string | number | null>>;
}

/** A request as it is stored: equal requests have equal texts. */
export function requestText(request: ApprovalSubject["request"]): string {
  return JSON.stringify(Object.fromEntries(Object.entries(request).toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

/** Requests that were made before this moment have lapsed. */
export function openSince(now: Date): Date {
  return new Date(now.getTime() - REQUEST_OPEN_DAYS * DAY_MS);
}
