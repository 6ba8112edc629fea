import { expect, it } from "vitest";
import { isOrderEvent, kindsOf, type PublishedEvent, webhookBody, webhookIdOf } from "./webhook-body.ts";

const id = "5a4f0c1e-0000-4000-8000-000000000001";

it("an order event is delivered under its own kind and the generic one, which has a separate id", () => {
  expect(kindsOf({ kind: "order.paid" })).toEqual(["order.paid", "order.changed"]);
  expect(webhookIdOf(id, "order.paid")).toBe(id);
  const generic = webhookIdOf(id, "order.changed");
  expect(generic).not.toBe(id);
  expect(generic).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(webhookIdOf(id, "order.changed")).toBe(generic);
});

it("the generic kind's id is the same in every version", () => {
  expect(webhookIdOf(id, "order.changed")).toBe("0c703f65-2fba-8abe-8918-bda6dba22bb8");
  const another = "5a4f0c1e-0000-4000-8000-000000000003";
  expect(webhookIdOf(another, "order.changed")).toBe("35890b9b-9204-8ad8-908e-7654fe8e4468");
});

it("the webhook of a failed payment shows an unchanged status", () => {
  expect(kindsOf({ kind: "order.failed" })).toEqual(["order.failed"]);
});

it("an event that is not about an order is not delivered", () => {
  expect(kindsOf({ kind: "expense.received" })).toEqual([]);
  expect(kindsOf({ kind: "order.changed" })).toEqual([]);
});

it.each([
  ["of a logged kind with its payload", "order.paid", { reference: "r" }, true],
  ["of a kind that partners do not get", "expense.received", { reference: "r" }, false],
  ["without a payload", "order.paid", null, false],
  ["with a payload that is a text", "order.paid", "r", false],
])("only a logged kind with its payload is delivered to partners: an event %s", (_what, kind, payload, isReported) => {
  const facts = { id, providerId: "p", orderId: "o", sequence: 1, createdAt: new Date(0) };
  expect(isOrderEvent({ ...facts, kind, payload })).toBe(isReported);
});

it("a webhook has a reason only if the payment failed", () => {
  const payload = { reference: "r", order_hash: "o", status: "pending", order: {} };
  const bodyOf = (more: object, sequence: number | null = 3) =>
    webhookBody(
      { id, createdAt: new Date(0), sequence, payload: { ...payload, ...more } } as PublishedEvent,
      "order.failed",
    );
  const failure = { code: "credit_declined", reasons: ["No."] };
  expect(bodyOf({ failure })).toMatchObject({ failure, sequence: 3 });
  expect(bodyOf({})).not.toHaveProperty("failure");
  expect(bodyOf({}, null).sequence).toBe(0);
});
