import { describe, expect, it } from "vitest";
import { openedLink, paymentPage, upcomingWith } from "../gallery/recorded-answers.ts";
import { offeredActions } from "./payment-actions.ts";

const { due } = openedLink();
const ALL = { give_access: true, pay_early: due, change_card: due };
const NO_ACTION = { give_access: false, pay_early: null, change_card: null };
const DECLINED = { at: "2026-12-03T14:10:00.000Z", amount: 1, card: { brand: "visa", last4: "6623" } } as const;

const offered = (payment: Parameters<typeof paymentPage>[0]) =>
  offeredActions(paymentPage(payment)).map(({ acting, kind }) => `${acting}: ${kind}`);

describe("actions of a payment", () => {
  it("begin with the one that the payment waits for, filled", () => {
    expect(offered({ actions: ALL })).toEqual(["give_access: primary", "pay_early: quiet", "change_card: quiet"]);
    const actions = { ...ALL, give_access: false };
    const needed = upcomingWith({ status: "card_needed", day: null });
    expect(offered({ actions: { ...actions, pay_early: null }, second_charge: { upcoming: needed } })).toEqual([
      "change_card: primary",
    ]);
    const declined = { ...DECLINED, reason: "insufficient_funds" } as const;
    expect(offered({ actions, second_charge: { declined } })).toEqual(["change_card: primary", "pay_early: quiet"]);
  });

  it("begin with the early payment, and without a button if the rest is on hold", () => {
    expect(offered({ actions: { ...ALL, give_access: false } })).toEqual([
      "pay_early: secondary",
      "change_card: quiet",
    ]);
    expect(offered({ actions: { ...NO_ACTION, change_card: due } })).toEqual(["change_card: quiet"]);
    expect(offered({ actions: NO_ACTION })).toEqual([]);
  });
});
