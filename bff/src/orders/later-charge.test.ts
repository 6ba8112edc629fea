import { describe, expect, it } from "vitest";
import { clp, ZERO } from "../contract/vocabulary/clp.ts";
import { commissionOf, deferredDue } from "./later-charge.ts";
import { ORDER_STATES } from "./order.ts";

/** A total of 100.000, 70.000 of it deferred, at 7 %. */
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

describe("deferredDue", () => {
  it("is the uncollected rest plus the commission on the part that was not refunded", () => {
    expect(deferredDue(order)).toEqual({ price: 70_000, commission: 7_000 });
    const refunded = { ...order, refundAccepted: clp(20_000), deferredCancelled: clp(20_000) };
    expect(deferredDue(refunded)).toEqual({ price: 50_000, commission: 5_600 });
  });

  it("is zero for an order that was not paid, and after a write-off", () => {
    const owing = ORDER_STATES.filter((state) => deferredDue({ ...order, state }).price > 0);
    expect(owing).toEqual(["paid", "partially_refunded", "refunded"]);
    expect(deferredDue({ ...order, deferredWrittenOffAt: new Date(0) })).toEqual({ price: 0, commission: 0 });
  });

  it("includes no commission when no price is left", () => {
    expect(deferredDue({ ...order, deferredCollected: clp(70_000) })).toEqual({ price: 0, commission: 0 });
  });
});

describe("commissionOf", () => {
  it("is on the whole total until the order is paid or ends unpaid", () => {
    for (const state of ["awaiting_payment", "paying", "first_captured"] as const)
      expect(commissionOf({ ...order, ...nothingPaid, state })).toBe(7_000);
    for (const state of ["payment_failed", "cancelled", "expired", "credit_refused"] as const)
      expect(commissionOf({ ...order, ...nothingPaid, state })).toBe(0);
  });

  it("is the commission still to be charged, or charged by any method and not returned", () => {
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
