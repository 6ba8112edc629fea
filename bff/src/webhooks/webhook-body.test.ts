import { expect, it } from "vitest";
import { kindsOf, webhookIdOf } from "./webhook-body.ts";

const id = "5a4f0c1e-0000-4000-8000-000000000001";

it("an event goes out under its own kind and the generic one, which has an id of its own", () => {
  expect(kindsOf({ kind: "order.paid" })).toEqual(["order.paid", "order.changed"]);
  expect(webhookIdOf(id, "order.paid")).toBe(id);
  const generic = webhookIdOf(id, "order.changed");
  expect(generic).not.toBe(id);
  expect(generic).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(webhookIdOf(id, "order.changed")).toBe(generic);
});

it("the generic kind's id stays what it is from one version to the next", () => {
  expect(webhookIdOf(id, "order.changed")).toBe("0c703f65-2fba-8abe-8918-bda6dba22bb8");
});

it("a failed payment changes no status", () => {
  expect(kindsOf({ kind: "order.failed" })).toEqual(["order.failed"]);
});

it("what is no order event is not told", () => {
  expect(kindsOf({ kind: "expense.received" })).toEqual([]);
  expect(kindsOf({ kind: "order.changed" })).toEqual([]);
});
