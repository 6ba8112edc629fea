import { expect, test } from "vitest";
import * as z from "zod/mini";
import { collectionEvents } from "./collection-events.ts";

const declined = { order_hash: "1", attempt_id: "2", amount: 30_800, reason: "declined" };
const day = "2026-12-01T12:00:00.000Z";

test.each([
  ["is what the event says", { next: "as_before", due_at: day, next_try_at: null }, "as_before", day],
  ["is another try at its moment, in an event of the version before", { next_try_at: day }, "tried_again", day],
  ["is nothing where that has none", { next_try_at: null }, "given_up", null],
])("what follows a declined charge %s", (_, said, next, due) => {
  expect(z.parse(collectionEvents["collection.declined"], { ...declined, ...said })).toMatchObject({
    next,
    due_at: due,
  });
});
