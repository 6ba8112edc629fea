import { describe, expect, it } from "vitest";
import { drawOrderStates } from "../../test/order-diagram.ts";
import { orderStatusSchema } from "../contract/orders.ts";
import {
  findTransition,
  isPayable,
  ORDER_STATES,
  ORDER_TRANSITIONS,
  ORDER_TRIGGERS,
  type OrderState,
  type OrderTrigger,
  publishedStatus,
  requireTransition,
  TransitionImpossible,
  wasPaid,
} from "./order.ts";

/** The whole matrix is repeated here on purpose: a change of the table must be deliberate. */
const expected: Record<OrderState, Partial<Record<OrderTrigger, string>>> = {
  awaiting_payment: {
    start_payment: "paying",
    cancel: "cancelled order.cancelled",
    expire: "expired order.cancelled",
  },
  paying: {
    decline_payment: "awaiting_payment",
    fail_payment: "payment_failed order.failed",
    capture_first: "first_captured order.partially_paid",
    complete_payment: "paid order.paid",
  },
  payment_failed: { cancel: "cancelled order.cancelled", expire: "expired order.cancelled" },
  first_captured: {
    complete_payment: "paid order.paid",
    fail_payment: "credit_refused order.failed order.cancelled",
  },
  paid: { refund_part: "partially_refunded order.refunded", refund_rest: "refunded order.refunded" },
  partially_refunded: { refund_part: "partially_refunded order.refunded", refund_rest: "refunded order.refunded" },
  refunded: {},
  cancelled: {},
  expired: {},
  credit_refused: {},
};

describe("the order's states", () => {
  it.each(ORDER_STATES.flatMap((state) => ORDER_TRIGGERS.map((trigger) => ({ state, trigger }))))(
    "$state moves by $trigger as the matrix says, or not at all",
    ({ state, trigger }) => {
      const transition = findTransition(state, trigger);
      const found = transition === null ? undefined : [transition.to, ...transition.events].join(" ");
      expect(found).toBe(expected[state][trigger]);
      if (transition === null) expect(() => requireTransition(state, trigger)).toThrow(TransitionImpossible);
      else expect(requireTransition(state, trigger)).toBe(transition);
    },
  );

  it("have one table row per step", () => {
    const steps = ORDER_TRANSITIONS.map(({ from, trigger }) => `${from} ${trigger}`);
    expect(new Set(steps).size).toBe(steps.length);
  });

  it("define which orders can be paid and which count as paid after returns", () => {
    expect(ORDER_STATES.filter(isPayable)).toEqual(["awaiting_payment", "paying"]);
    expect(ORDER_STATES.filter(wasPaid)).toEqual(["paid", "partially_refunded", "refunded"]);
  });

  it("publish exactly the states of the interface", () => {
    expect(new Set(ORDER_STATES.map(publishedStatus))).toEqual(new Set(orderStatusSchema.options));
  });

  it("publish an event to partners for every change of the published state", () => {
    for (const { from, to, events } of ORDER_TRANSITIONS) {
      if (publishedStatus(from) !== publishedStatus(to)) expect(events.length).toBeGreaterThan(0);
    }
  });

  it("have no way back from paid, so that an order is paid once", () => {
    const afterPaid = new Set(["paid", "partially_refunded", "refunded"]);
    for (const { from, to } of ORDER_TRANSITIONS) if (afterPaid.has(from)) expect(afterPaid).toContain(to);
    expect(ORDER_TRANSITIONS.filter(({ from, to }) => from === "paid" && to === "paid")).toEqual([]);
  });

  it("are drawn in the docs from the table", async () => {
    await expect(drawOrderStates()).toMatchFileSnapshot("../../docs/reference/order-states.md");
  });
});
