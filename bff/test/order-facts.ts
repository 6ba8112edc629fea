import type { Clp } from "../src/contract/vocabulary/clp.ts";
import type { UnapprovedBecause } from "../src/notifications/kinds/charge-announced.ts";
import type { Upcoming } from "../src/notifications/kinds/upcoming.ts";
import type { CalendarDay } from "../src/platform/santiago-time.ts";

export const UNAPPROVED: readonly UnapprovedBecause[] = [
  "rejected",
  "no_answer",
  "no_access",
  "no_receipt",
  "no_document",
  "access_blocked",
  "portal_down",
  "withdrawn",
];

export type UpcomingExample = Upcoming;

/** Each state of a coming charge. */
export function upcomingExamples(
  left: { readonly amount: Clp; readonly commission: Clp },
  day: CalendarDay,
): readonly UpcomingExample[] {
  return [
    { kind: "none" },
    { kind: "in_flight", ...left },
    { kind: "on_hold", ...left },
    { kind: "card_needed", ...left },
    { kind: "by_day", day, ...left },
  ];
}
