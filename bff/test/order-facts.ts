import fc from "fast-check";
import { INSURERS } from "../src/contract/onboarding.ts";
import type { Clp } from "../src/contract/vocabulary/clp.ts";
import type { UnapprovedBecause } from "../src/notifications/kinds/charge-announced.ts";
import type { Upcoming } from "../src/notifications/notification-definition.ts";
import { addCalendarDays, type CalendarDay } from "../src/platform/santiago-time.ts";

export const UNAPPROVED: readonly UnapprovedBecause[] = [
  "rejected",
  "no_answer",
  "no_access",
  "no_receipt",
  "no_document",
  "access_blocked",
  "portal_down",
  "withdrawn",
  "not_followed",
  "taken_back",
  "given_up",
];

/** Each state of a coming charge. */
export function upcomingExamples(
  left: { readonly amount: Clp; readonly commission: Clp },
  day: CalendarDay,
): readonly Upcoming[] {
  return [
    { kind: "none" },
    { kind: "in_flight", ...left },
    { kind: "on_hold", ...left },
    { kind: "owed_on_hold", ...left },
    { kind: "card_needed", ...left },
    { kind: "by_day", day, ...left },
  ];
}

/** The facts of a random order. */
export interface RandomOrder {
  readonly clinic: string;
  readonly reference: string;
  readonly total: number;
  readonly basisPoints: number;
  readonly refundShare: number;
  readonly reimbursedShare: number;
  readonly paidOn: CalendarDay;
  readonly chargedAfterDays: number;
  readonly insurer: (typeof INSURERS)[keyof typeof INSURERS];
  readonly cardEnding: string;
  readonly code: string;
}

export const randomOrders: fc.Arbitrary<RandomOrder> = fc.record({
  clinic: fc.constantFrom("Clínica Ñuñoa", "Centro", `Clínica ${"Médica del Niño y la Familia ".repeat(4)}SpA`),
  reference: fc.stringMatching(/^[A-Z]{3,12}-\d{1,20}$/),
  total: fc.oneof(fc.integer({ min: 10, max: 2_000_000 }), fc.constant(999_999_999)),
  basisPoints: fc.constantFrom(0, 1, 295, 700, 1_999, 3_000),
  refundShare: fc.double({ min: 0, max: 1, noNaN: true }),
  reimbursedShare: fc.double({ min: 0, max: 1.3, noNaN: true }),
  paidOn: fc.integer({ min: 0, max: 1_200 }).map((days) => addCalendarDays("2026-01-01", days)),
  chargedAfterDays: fc.integer({ min: 1, max: 60 }),
  insurer: fc.constantFrom(...Object.values(INSURERS)),
  cardEnding: fc.stringMatching(/^\d{4}$/),
  code: fc.stringMatching(/^[1-9]\d{5}$/),
});

/** An order's figures, computed by the rules of the interface and not by the service. */
export function figuresOf({ total, basisPoints, refundShare, reimbursedShare, paidOn, chargedAfterDays }: RandomOrder) {
  const first = Math.floor((30 * total + 50) / 100);
  const commissionOn = (price: number) => Math.floor((2 * price * basisPoints + 10_000) / 20_000);
  const refund = Math.floor((total - first) * refundShare);
  const commission = commissionOn(total);
  const left = total - first - refund;
  const commissionLeft = left === 0 ? 0 : commissionOn(total - refund);
  return {
    first,
    commission,
    later: total - first + commission,
    vat: commission - Math.floor((200 * commission + 119) / 238),
    refund,
    off: refund + commission - commissionLeft,
    offCommission: commission - commissionLeft,
    leftCharge: left + commissionLeft,
    commissionLeft,
    reimbursed: Math.floor(total * reimbursedShare),
    latest: addCalendarDays(paidOn, 45),
    charged: addCalendarDays(paidOn, chargedAfterDays),
  };
}
