import { expect, it } from "vitest";
import { isOrderId } from "../../contract/vocabulary/identifiers.ts";
import { orderPayload, readOrderId } from "./order-payload.ts";

const hash = "0b8f6a52-6f0e-4c67-9d0e-1f6f3f4f8a11";

it("a timer names its order", () => {
  if (!isOrderId(hash)) throw new Error("It is not a hash.");
  expect(readOrderId(JSON.parse(JSON.stringify(orderPayload(hash))))).toBe(hash);
});

it.each([null, undefined, "text", hash, {}, { order_id: null }, { order_id: 7 }, { order_id: "text" }, { id: hash }])(
  "a timer with payload %j throws, because it names no order",
  (payload) => {
    expect(() => readOrderId(payload)).toThrow("A timer of an order does not name it.");
  },
);
