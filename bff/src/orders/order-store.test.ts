import { expect, it } from "vitest";
import { inLockingOrder } from "./order-store.ts";

it("orders are inserted in a fixed sequence, in any input order and with shared references", () => {
  const insertion = (providerId: string, reference: string) => ({ created: { order: { providerId, reference } } });
  const given = [
    insertion("b", "1"),
    insertion("a", "2"),
    insertion("a", "1"),
    insertion("b", "2"),
    insertion("c", "1"),
  ];
  const sorted = inLockingOrder(given);
  expect(sorted.map(({ created: { order } }) => order.providerId + order.reference)).toEqual([
    "a1",
    "a2",
    "b1",
    "b2",
    "c1",
  ]);
  expect(inLockingOrder(given.toReversed())).toEqual(sorted);
});
