import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AapdError, AapdUnreachable } from "bff/partner-client/errors";
import type { PartnerClient } from "bff/partner-client/partner-client";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createClinic } from "./clinic.ts";
import { openJournal } from "./journal.ts";
import { journalEntrySchema } from "./purchase.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "clinic-"));
});
afterEach(() => rm(folder, { recursive: true }));

const NOON = Date.parse("2026-11-21T12:00:00.000Z");
const MINUTE = 60_000;

/** A clinic whose service gives these answers and whose time the test moves. */
async function clinicOf(service: Record<string, (...args: never[]) => Promise<unknown>>, startMs = NOON) {
  let nowMs = startMs;
  const client = {
    createOrder: ({ reference }: { reference: string }) => Promise.resolve({ hash: randomUUID(), reference }),
    mintWidgetToken: () => Promise.resolve({ url: "https://widget.test/", expires_at: "2026-11-21T13:00:00.000Z" }),
    ...service,
  };
  const clinic = createClinic({
    // Only the calls that this clinic needs are implemented.
    aapd: client as unknown as PartnerClient,
    journal: await openJournal(join(folder, "purchases.jsonl"), (value) => journalEntrySchema.parse(value)),
    now: () => new Date(nowMs),
    uuid: randomUUID,
    parentOrigin: () => "http://clinic.test",
  });
  const person = { rut: "40100000-3", firstName: "Camila", lastName: "Rojas", email: "c@example.com", phone: "9" };
  const wish = { ...person, serviceId: "traumatologia" };
  const kinds = () => clinic.purchases().flatMap(({ timeline }) => timeline.map(({ happening }) => happening.kind));
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { clinic, wish, kinds, pass };
}

/** A clinic with one order, whose service gives these answers to refunds, one after the other. */
async function clinicWhoseRefunds(...answers: readonly (() => Promise<unknown>)[]) {
  const keys: (string | undefined)[] = [];
  const refundOrder = (_hash: string, _refund: unknown, options: { idempotencyKey: string }) => {
    keys.push(options.idempotencyKey);
    return answers[keys.length - 1]?.() ?? Promise.reject(new Error("one too many"));
  };
  const { clinic, wish, kinds } = await clinicOf({ refundOrder });
  const { id } = await clinic.startCheckout(wish);
  return { clinic, id, keys, kinds };
}

const lost = () => Promise.reject(new AapdUnreachable("was not answered"));
const failed = () => Promise.reject(new AapdError(503, "service_unavailable", null, {}, "down"));
const refused = () => Promise.reject(new AapdError(409, "order_not_refundable", null, {}, "no"));
const given = () => Promise.resolve({ refund: { amount: 1_000, status: "succeeded" } });

it("the clinic repeats an unanswered refund under the same key", async () => {
  const { clinic, id, keys, kinds } = await clinicWhoseRefunds(lost, failed, given, given);
  for (let time = 0; time < 4; time += 1) await clinic.refund(id, 1_000);
  expect(kinds().slice(-4)).toEqual(["refund_unanswered", "refund_unanswered", "refund_asked", "refund_asked"]);
  expect(new Set(keys.slice(0, 3)).size).toBe(1);
  expect(keys[3]).not.toBe(keys[0]);
});

it("the clinic records a refused refund and sends the next one under a new key", async () => {
  const { clinic, id, keys, kinds } = await clinicWhoseRefunds(refused, given);
  await clinic.refund(id, 1_000);
  await clinic.refund(id, 1_000);
  expect(kinds().slice(-2)).toEqual(["refund_refused", "refund_asked"]);
  expect(new Set(keys).size).toBe(2);
});

const received = () => Promise.resolve({ id: "exp-1", status: "received", created: true });
const readsAs = (status: string) => () => Promise.resolve({ status, expense: null, collection: null });

it("the clinic reads an order whose webhook is missing after a minute, and submits its receipt", async () => {
  const { clinic, wish, kinds, pass } = await clinicOf({ getOrder: readsAs("paid"), submitExpense: received });
  const { id } = await clinic.startCheckout(wish);
  await clinic.catchUp();
  pass(MINUTE - 1);
  await clinic.catchUp();
  // The webhook may still arrive.
  expect(clinic.purchase(id)).toMatchObject({ paid: false, orderStatus: "pending" });
  pass(1);
  await clinic.catchUp();
  expect(clinic.purchase(id)).toMatchObject({ paid: true, orderStatus: "paid", receiptStatus: "received" });
  expect(kinds().slice(-2)).toEqual(["order_read", "receipt_submitted"]);
  await clinic.catchUp();
  expect(kinds().filter((kind) => kind === "order_read")).toHaveLength(1);
});

it("the clinic reads all its orders, even if the service does not know one of them", async () => {
  const orders = [() => Promise.reject(new AapdError(404, "order_not_found", null, {}, "no")), readsAs("paid")];
  let asked = 0;
  const service = { getOrder: () => (orders[asked++ % 2] ?? readsAs("pending"))(), submitExpense: received };
  const { clinic, wish, pass } = await clinicOf(service);
  await clinic.startCheckout(wish);
  const { id } = await clinic.startCheckout(wish);
  await clinic.catchUp();
  pass(MINUTE);
  await clinic.catchUp();
  expect(clinic.purchase(id)).toMatchObject({ paid: true });
});

async function payWithReceipts(...answers: readonly (() => Promise<unknown>)[]) {
  let sent = 0;
  const submitExpense = () => answers[sent++]?.() ?? Promise.reject(new Error("one too many"));
  const world = await clinicOf({ submitExpense });
  const { id } = await world.clinic.startCheckout(world.wish);
  const reference = world.clinic.purchase(id)?.reference ?? "";
  await world.clinic.takeWebhook({
    reference,
    eventId: randomUUID(),
    event: "order.paid",
    sequence: 1,
    status: "paid",
  });
  await world.clinic.submitDueReceipts();
  return { ...world, sent: () => sent };
}

it("the clinic resends a receipt that was not accepted, and records each reason once", async () => {
  const { clinic, kinds, sent } = await payWithReceipts(lost, lost, failed, received);
  for (let minute = 0; minute < 4; minute += 1) await clinic.catchUp();
  expect(sent()).toBe(4);
  expect(kinds().slice(-3)).toEqual(["receipt_unanswered", "receipt_unanswered", "receipt_submitted"]);
});

it("the clinic does not resend a receipt that was refused for good", async () => {
  const refusal = () => Promise.reject(new AapdError(400, "processing_error", null, {}, "another patient's"));
  const { clinic, kinds, sent } = await payWithReceipts(refusal);
  await clinic.catchUp();
  await clinic.submitDueReceipts();
  expect(sent()).toBe(1);
  expect(kinds().filter((kind) => kind === "receipt_refused")).toHaveLength(1);
});

it("the clinic does not treat an order as refused when minting its token fails", async () => {
  const { clinic, wish, kinds } = await clinicOf({ mintWidgetToken: refused });
  await expect(clinic.startCheckout(wish)).rejects.toThrow(AapdError);
  expect(kinds()).toEqual(["order_created", "widget_token_refused"]);
});

it("the clinic distinguishes an unanswered order from a refused one", async () => {
  const { clinic, wish, kinds } = await clinicOf({ createOrder: lost });
  await expect(clinic.startCheckout(wish)).rejects.toThrow(AapdUnreachable);
  expect(kinds()).toEqual(["order_unanswered"]);
});

it("the clinic dates the receipt by the day in Chile", async () => {
  const dates: unknown[] = [];
  const submitExpense = ({ date }: { date: string }) => {
    dates.push(date);
    return received();
  };
  // In Santiago this is 22:30 of the day before.
  const lateEvening = Date.parse("2026-11-22T01:30:00.000Z");
  const service = { getOrder: readsAs("paid"), submitExpense };
  const { clinic, wish, pass } = await clinicOf(service, lateEvening);
  await clinic.startCheckout(wish);
  await clinic.catchUp();
  pass(MINUTE);
  await clinic.catchUp();
  expect(dates).toEqual(["21/11/2026"]);
});
