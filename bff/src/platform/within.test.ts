import { describe, expect, it } from "vitest";
import type { Transaction } from "./database/transaction.ts";
import { type Within, type WithinEvent, type WithinListeners, withinOf } from "./within.ts";

const tx = {} as Transaction;
const paid = { kind: "order_paid", providerId: "p", orderId: "o", at: new Date(0) } as unknown as WithinEvent;

function listening(order_paid: WithinListeners["order_paid"]): Within {
  const unheard = [() => Promise.reject(new Error("not its kind"))];
  return withinOf({
    identity_matched: unheard,
    order_paid,
    refund_without_return: unheard,
    patient_registered_again: unheard,
  });
}

describe("an event inside a transaction", () => {
  it("reaches the listeners of its kind one after the other, with the transaction", async () => {
    const calls: unknown[] = [];
    const within = listening([
      async (given, { orderId }) => {
        await Promise.resolve();
        calls.push(["first", given === tx, orderId]);
      },
      async (given, { orderId }) => void calls.push(["second", given === tx, orderId]),
    ]);
    await within(tx, paid);
    expect(calls).toEqual([
      ["first", true, "o"],
      ["second", true, "o"],
    ]);
  });

  it("is rejected with what a listener throws, and reaches no further one", async () => {
    const calls: string[] = [];
    const within = listening([() => Promise.reject(new Error("on purpose")), async () => void calls.push("second")]);
    await expect(within(tx, paid)).rejects.toThrow("on purpose");
    expect(calls).toEqual([]);
  });
});
