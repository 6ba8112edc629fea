import { expect, it } from "vitest";
import type { UpcomingCharge } from "./orders.ts";
import { shownChargeOf } from "./upcoming-charge.ts";
import { clp } from "./vocabulary/clp.ts";

const due: UpcomingCharge = {
  status: "on_day",
  amount: clp(30_800),
  commission: clp(2_800),
  day: "2027-01-05",
  reason: "approved",
};

it("a page announces a charge on a day only once something has made it due", () => {
  expect(shownChargeOf(due)).toEqual({ amount: 30_800, on: "2027-01-05" });
  expect(shownChargeOf({ ...due, status: "due_now", day: null })).toEqual({ amount: 30_800, on: "now" });
  // The last day of an order whose claim has ended.
  expect(shownChargeOf({ ...due, reason: null })).toBeNull();
  expect(shownChargeOf({ ...due, status: "by_day", reason: null })).toBeNull();
});
