import { describe, expect, it } from "vitest";
import { webhookEventKindSchema } from "../contract/webhook-events.ts";
import { endpointExamples } from "./examples.ts";
import { webhookExample } from "./webhook-event-example.ts";

type Part = Readonly<Record<string, unknown>>;

const events = webhookEventKindSchema.options.map((kind): [string, unknown] => [kind, webhookExample(kind)]);
const answers = Object.entries(endpointExamples).flatMap(([id, { responses = {} }]) =>
  Object.values(responses).flatMap((examples) =>
    Object.entries(examples).map(([name, { value }]): [string, unknown] => [`${id}: ${name}`, value]),
  ),
);

/** The value and every object and list in it. */
function partsOf(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(partsOf)];
}

function recordsOf(value: unknown): Part[] {
  return partsOf(value).filter((part): part is Part => !Array.isArray(part));
}

/** The times in the value at which something has happened. */
function pastOf(value: unknown): string[] {
  const past = new Set(["at", "since", "created_at", "updated_at", "paid_at", "issued_at", "filed_at", "received_at"]);
  const times = recordsOf(value).flatMap((part) => Object.entries(part).filter(([name]) => past.has(name)));
  return times.map(([, time]) => time).filter((time) => typeof time === "string");
}

const isAfter = (end: string) => (time: string) => Date.parse(time) > Date.parse(end);

describe("the examples", () => {
  it.each([...events, ...answers])("have no part that is newer than its own updated_at, in %s", (_name, value) => {
    for (const part of recordsOf(value)) {
      const { updated_at: updatedAt } = part;
      if (typeof updatedAt === "string") expect(pastOf(part).filter(isAfter(updatedAt))).toEqual([]);
    }
  });

  it.each(events)("have no time after the event, in %s", (_kind, value) => {
    const { created_at: createdAt } = value as { readonly created_at: string };
    expect(pastOf(value).filter(isAfter(createdAt))).toEqual([]);
  });

  it.each(answers)("list no order twice, in %s", (_name, value) => {
    for (const list of partsOf(value).filter((part) => Array.isArray(part))) {
      const orders = list.filter((item) => typeof item === "object" && item !== null && "hash" in item);
      expect(new Set(orders.map(({ hash }) => hash)).size).toBe(orders.length);
      expect(new Set(orders.map(({ reference }) => reference)).size).toBe(orders.length);
    }
  });

  it.each([
    ["validateIdentity: example", true, false],
    ["addPaymentMethod: example", true, true],
    ["openCardPage: open", true, false],
    ["openCardPage: added", true, true],
    ["verifyRecognition: example", true, true],
    ["payOrder: requires_action", true, true],
    ["payOrder: processing", true, true],
    ["payOrder: succeeded", true, true],
  ])("show the order with the steps that are complete, in %s", (name, isIdentified, hasCard) => {
    const [, value] = answers.find(([each]) => each === name) ?? [];
    expect(value).toHaveProperty("order.readiness", {
      identity_validated: isIdentified,
      payment_method_added: hasCard,
    });
  });

  it("register the patient between the creation and the payment of their order", () => {
    const data = answers.find(([name]) => name.startsWith("readPatientData"))?.[1] as {
      readonly exported_at: string;
      readonly patient: { readonly registered_at: string };
      readonly consents: readonly { readonly shown_at: string; readonly accepted_at: string }[];
      readonly orders: readonly [{ readonly created_at: string; readonly paid_at: string }];
    };
    const [{ created_at: createdAt, paid_at: paidAt }] = data.orders;
    for (const { shown_at: shownAt, accepted_at: acceptedAt } of data.consents) {
      const times = [createdAt, shownAt, acceptedAt, data.patient.registered_at, paidAt];
      expect(times).toEqual(times.toSorted());
    }
    expect(pastOf(data).filter(isAfter(data.exported_at))).toEqual([]);
  });
});
