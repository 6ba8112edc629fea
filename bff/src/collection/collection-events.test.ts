import { expect, test } from "vitest";
import * as z from "zod/mini";
import { collectionEvents } from "./collection-events.ts";

const declined = { order_hash: "1", attempt_id: "2", amount: 30_800, reason: "declined" };
const day = "2026-12-01T12:00:00.000Z";

test.each([
  ["equals the event's `next`", { next: "as_before", due_at: day, next_try_at: null }, "as_before", day],
  ["is a retry at its time, in an event of an earlier version", { next_try_at: day }, "tried_again", day],
  ["is nothing, in an event of an earlier version without a next try", { next_try_at: null }, "given_up", null],
])("the next step after a declined charge %s", (_, fields, next, due) => {
  expect(z.parse(collectionEvents["collection.declined"], { ...declined, ...fields })).toMatchObject({
    next,
    due_at: due,
  });
});
