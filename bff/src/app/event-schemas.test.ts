import { describe, expect, it } from "vitest";
import { orderEventPayload } from "../../test/order-event-payload.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { publishEvent } from "../platform/event-store.ts";
import { createEventHandlers, type StoredEvent } from "../platform/outbox.ts";
import { eventSchemas } from "./worker.ts";

const tx = {} as Transaction;
const hash = "0b6f2f0c-5f0e-4c8a-9d3b-2f6f0f0d7a11";

function stored(kind: string, payload: unknown): StoredEvent {
  const createdAt = new Date("2026-11-21T12:00:00Z");
  return { id: hash, providerId: hash, orderId: hash, kind, sequence: null, payload, createdAt };
}

describe("an event from the log", () => {
  it("is parsed once for all subscribers, and its order stays unchanged", async () => {
    const events = createEventHandlers(eventSchemas);
    const seen: unknown[] = [];
    events.subscribe("order.paid", async (_tx, event) => void seen.push(event.payload));
    events.subscribe("order.paid", async (_tx, event) => void seen.push(event.payload));
    const { order, ...payload } = orderEventPayload(hash);
    const written = { ...payload, order: { ...order, of_an_earlier_version: true } };
    await events.dispatch(tx, [stored("order.paid", written)]);
    expect(seen).toEqual([written, written]);
    expect(seen[0]).toBe(seen[1]);
  });

  it("drops an event with an invalid payload before any subscriber", async () => {
    const events = createEventHandlers(eventSchemas);
    const seen: unknown[] = [];
    events.subscribe("insurer_access.given", async (_tx, event) => void seen.push(event));
    await expect(events.dispatch(tx, [stored("insurer_access.given", { beneficiary: hash })])).rejects.toThrow();
    expect(seen).toEqual([]);
  });

  it("passes an event of an unknown kind to no subscriber", async () => {
    await expect(createEventHandlers(eventSchemas).dispatch(tx, [stored("order.dreamt", {})])).resolves.toBeUndefined();
  });

  it.each([
    ["with a next try", "2026-12-01T12:00:00.000Z", "tried_again"],
    ["without one", null, "given_up"],
  ])("a declined charge of the previous version, %s, names the next step", async (_name, next_try_at, next) => {
    const events = createEventHandlers(eventSchemas);
    const seen: unknown[] = [];
    events.subscribe("collection.declined", async (_tx, event) => void seen.push(event.payload));
    const declined = { order_hash: hash, attempt_id: hash, amount: 30_800, reason: "declined", next_try_at };
    await events.dispatch(tx, [stored("collection.declined", declined)]);
    expect(seen).toEqual([{ ...declined, next, due_at: next_try_at }]);
  });
});

it("a mistyped kind or payload does not compile", () => {
  // This is never run: the compiler checks that each line is rejected.
  const mistyped = async (publish: typeof publishEvent) => {
    const events = createEventHandlers(eventSchemas);
    const { kind: _, ...envelope } = stored("", {});
    // @ts-expect-error no such kind
    events.subscribe("order.payed", async () => undefined);
    // @ts-expect-error no such field of this kind
    events.subscribe("order.paid", async (_tx, { payload }) => void payload.beneficiary_id);
    // @ts-expect-error no such kind
    await publish(tx, { ...envelope, kind: "order.payed", payload: orderEventPayload(hash) });
    // @ts-expect-error the payload of another kind
    await publish(tx, { ...envelope, kind: "order.paid", payload: { beneficiary_id: hash } });
  };
  expect(mistyped).toBeTypeOf("function");
});
