import { describe, expect, test } from "vitest";
import { arrivalOrder } from "./arrival-order.ts";

const paid = { id: "paid", at: "2026-01-01T10:00:02.000Z" };
const ready = { id: "ready", at: "2026-01-01T10:00:01.000Z" };
const created = { id: "created", at: "2026-01-01T10:00:00.000Z" };

const idsOf = (lines: readonly { readonly id: string }[]) => lines.map(({ id }) => id);

describe("events are read from top to bottom", () => {
  test("are first sorted by their time", () => {
    expect(idsOf(arrivalOrder([], [paid, created, ready]))).toEqual(["created", "ready", "paid"]);
  });

  test("late events are added below, so that no line moves once it was read", () => {
    expect(idsOf(arrivalOrder(["created", "paid"], [created, ready, paid]))).toEqual(["created", "paid", "ready"]);
  });

  test("are sorted by their time if several arrive at once", () => {
    expect(idsOf(arrivalOrder(["paid"], [paid, ready, created]))).toEqual(["paid", "created", "ready"]);
  });
});
