import { expect, it } from "vitest";
import { webhookEventKindSchema, webhookEventSchema } from "../../../../src/contract/webhook-events.ts";
import { webhookExample } from "../../../../src/partner-docs/webhook-event-example.ts";
import { EVENT_KINDS, offlineEvent } from "./offline-event.ts";

const ID = "7d0a3c1e-2f4b-4a8e-9b57-0c6d1e2f3a45";
const now = new Date("2029-03-04T05:06:07.000Z");

it("the offline events include the guide's example of each kind", async () => {
  const examples = webhookEventKindSchema.options.map((kind) => [kind, webhookExample(kind)]);
  const text = `${JSON.stringify(Object.fromEntries(examples), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("./example-events.json");
  expect(EVENT_KINDS).toEqual(webhookEventKindSchema.options);
});

it.each(EVENT_KINDS)("an offline event %s has the contract's shape and happened just now", (kind) => {
  const event = webhookEventSchema.parse(offlineEvent(kind, { id: ID, reference: "sale-1", now }));
  expect(event).toMatchObject({ event_id: ID, event: kind, created_at: now.toISOString(), reference: "sale-1" });
  expect(event.data.order).toMatchObject({ hash: event.order_hash, reference: "sale-1", status: event.status });
  expect(event.data.order.plan.data.installments).toContainEqual(
    expect.objectContaining({ latest_due_date: expect.stringMatching(/^2029-04-/) }),
  );
});

it("there is no offline event of an unknown kind", () => {
  expect(offlineEvent("order.unknown", { id: ID, now })).toBeNull();
});
