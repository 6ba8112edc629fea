import { describe, expect, it } from "vitest";
import {
  awaitsPayment,
  type Happening,
  happen,
  hasSeenEvent,
  owesReceipt,
  type Purchase,
  startPurchase,
} from "./purchase.ts";

const START = startPurchase({
  id: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
  serviceId: "traumatologia",
  rut: "40.100.000-3",
  firstName: "Camila",
  lastName: "Rojas Fuentes",
  email: "camila.rojas@example.com",
  phone: "+56 9 1234 5678",
  reference: "CLA-1",
  startedAt: "2026-11-21T12:00:00.000Z",
});

function having(...happenings: readonly Happening[]): Purchase {
  return happenings.reduce((purchase, happening) => happen(purchase, "2026-11-21T12:00:01.000Z", happening), START);
}

const CREATED: Happening = { kind: "order_created", orderHash: "h", reference: "CLA-1" };
const PAID: Happening = { kind: "webhook_received", eventId: "e1", event: "order.paid", sequence: 1, status: "paid" };
const REFUNDED: Happening = {
  kind: "webhook_received",
  eventId: "e2",
  event: "order.refunded",
  sequence: 2,
  status: "refunded",
};

describe("a purchase", () => {
  it("is paid when the service reports it, by webhook or on request", () => {
    expect(having(CREATED).paid).toBe(false);
    const read: Happening = { kind: "order_read", status: "paid" };
    expect(having(CREATED, read)).toMatchObject({ paid: true, orderStatus: "paid" });
    expect(having(CREATED, PAID)).toMatchObject({ paid: true, orderStatus: "paid" });
  });

  it("keeps the later status when webhooks come in the wrong order", () => {
    expect(having(CREATED, REFUNDED, PAID)).toMatchObject({ paid: true, orderStatus: "refunded" });
  });

  it("keeps the newer status when an older webhook arrives late", () => {
    expect(having(CREATED, { kind: "order_read", status: "refunded" }, PAID)).toMatchObject({
      orderStatus: "refunded",
    });
  });

  it("is read while it may be paid, until a month has passed without news", () => {
    const days = (count: number) => new Date(Date.parse("2026-11-21T12:00:01.000Z") + count * 86_400_000);
    expect(awaitsPayment(START, days(0))).toBe(false);
    expect(awaitsPayment(having(CREATED), days(29))).toBe(true);
    expect(awaitsPayment(having(CREATED), days(30))).toBe(false);
    expect(awaitsPayment(having(CREATED, PAID), days(0))).toBe(false);
  });

  it("recognises a repeated webhook", () => {
    expect(hasSeenEvent(having(CREATED), "e1")).toBe(false);
    expect(hasSeenEvent(having(CREATED, PAID), "e1")).toBe(true);
  });

  it("owes its receipt from the payment until the receipt is submitted", () => {
    const submitted: Happening = { kind: "receipt_submitted", expenseId: "x", status: "received", created: true };
    expect(owesReceipt(having(CREATED))).toBe(false);
    expect(owesReceipt(having(CREATED, PAID))).toBe(true);
    expect(owesReceipt(having(CREATED, PAID, submitted))).toBe(false);
    expect(owesReceipt(having(CREATED, PAID, { kind: "receipt_unanswered", message: "down" }))).toBe(true);
    expect(owesReceipt(having(CREATED, PAID, { kind: "receipt_refused", message: "no" }))).toBe(false);
  });
});
