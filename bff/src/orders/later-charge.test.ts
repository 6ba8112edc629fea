import { describe, expect, it } from "vitest";
import { clp, ZERO } from "../contract/vocabulary/clp.ts";
import { commissionOf, deferredDue } from "./later-charge.ts";
import { ORDER_STATES } from "./order.ts";

/** 100.000 in all, of which 70.000 later, with 7 %. */
const order = {
  state: "paid",
  total: clp(100_000),
  commissionBasisPoints: 700,
  deferred: clp(70_000),
  deferredCancelled: ZERO,
  deferredCollected: ZERO,
  refundAccepted: ZERO,
  deferredWrittenOffAt: null,
} as const;
const nothingPaid = { payments: [], paidOtherwise: null } as const;
const paid = (commission: number, returned = 0) => ({
  commission: clp(commission),
  commissionReturnAccepted: clp(returned),
});

describe("what a later charge would take now", () => {
  it("is the rest with the commission on what was not refunded", () => {
    expect(deferredDue(order)).toEqual({ price: 70_000, commission: 7_000 });
    const refunded = { ...order, refundAccepted: clp(20_000), deferredCancelled: clp(20_000) };
    expect(deferredDue(refunded)).toEqual({ price: 50_000, commission: 5_600 });
  });

  it("is nothing of an order that was not paid, and nothing once it is written off", () => {
    const owing = ORDER_STATES.filter((state) => deferredDue({ ...order, state }).price > 0);
    expect(owing).toEqual(["paid", "partially_refunded", "refunded"]);
    expect(deferredDue({ ...order, deferredWrittenOffAt: new Date(0) })).toEqual({ price: 0, commission: 0 });
  });

  it("is no commission where nothing of the price is left", () => {
    expect(deferredDue({ ...order, deferredCollected: clp(70_000) })).toEqual({ price: 0, commission: 0 });
  });
});

describe("the commission that an order shows", () => {
  it("is on the whole total until it is decided whether it is paid", () => {
    for (const state of ["awaiting_payment", "paying", "first_captured"] as const)
      expect(commissionOf({ ...order, ...nothingPaid, state })).toBe(7_000);
    for (const state of ["payment_failed", "cancelled", "expired", "credit_refused"] as const)
      expect(commissionOf({ ...order, ...nothingPaid, state })).toBe(0);
  });

  it("is what is still to be charged, or what was charged by whatever way and not given back", () => {
    expect(commissionOf({ ...order, ...nothingPaid })).toBe(7_000);
    const collected = { ...order, deferredCollected: clp(70_000) };
    const charge = { kind: "deferred", ...paid(7_000, 1_400) } as const;
    for (const status of ["captured", "processing"] as const)
      expect(commissionOf({ ...collected, paidOtherwise: null, payments: [{ ...charge, status }] })).toBe(5_600);
    const ofNoDeferred = [
      { ...charge, status: "failed" },
      { ...charge, kind: "first", status: "captured" },
    ] as const;
    expect(commissionOf({ ...collected, paidOtherwise: null, payments: ofNoDeferred })).toBe(0);
    expect(commissionOf({ ...collected, payments: [], paidOtherwise: paid(7_000, 700) })).toBe(6_300);
  });
});
