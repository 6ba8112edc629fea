import { afterEach, describe, expect, test } from "vitest";
import {
  loseOrdersChargebacks,
  releaseCollection,
  winOrdersChargebacks,
} from "../../../src/collection/collection-resolutions.ts";
import { noteChargeback } from "../../../src/collection/daily-sync.ts";
import { revokeMandate } from "../../../src/collection/mandate.ts";
import { payEarly } from "../../../src/collection/pay-early.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { webhookEndpoints } from "../../../src/contract/webhook-endpoints.ts";
import { type WebhookEvent, webhookEventSchema } from "../../../src/contract/webhook-events.ts";
import type { CardProcessor } from "../../../src/gateways/card-processor.ts";
import { findOrder } from "../../../src/orders/order-reads.ts";
import { webhookExample } from "../../../src/partner-docs/webhook-event-example.ts";
import { inTransaction, type Transaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";

import { startReceiver } from "../../webhook-receiver.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  LATER,
  PATIENTS,
  START,
  WITHOUT_CLINICS_MONEY,
} from "../after-paid/after-paid-world.ts";
import { comparable } from "../comparable-event.ts";
import { present } from "../orders/orders-world.ts";

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ at: START, options: () => WITHOUT_CLINICS_MONEY }, (beginning) => {
  ({ world, clinic } = beginning);
});
const receivers: Awaited<ReturnType<typeof startReceiver>>[] = [];
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

/** The order's events in the log. */
async function eventsOf(hash: string): Promise<WebhookEvent[]> {
  const { body } = await world.bff.callSpotApi(webhookEndpoints.listEvents, { as: clinic.clinic });
  return body.events.filter((event: WebhookEvent) => event.order_hash === hash);
}
const kindsOf = async (hash: string) => (await eventsOf(hash)).map(({ event }) => event);
async function last(hash: string): Promise<WebhookEvent> {
  const event = (await eventsOf(hash)).at(-1);
  if (event === undefined) throw new Error("The order has no event.");
  return event;
}

/** Expects the event to be as the guide's example of its kind, without ids and days. */
function expectAsInTheGuide(event: WebhookEvent | undefined): void {
  const sent = webhookEventSchema.parse(event);
  expect(comparable(sent)).toEqual(comparable(webhookEventSchema.parse(webhookExample(sent.event))));
}

/** As `expectAsInTheGuide`, for an order without a claim. */
function expectMoneyAsInTheGuide(event: WebhookEvent | undefined): void {
  const sent = webhookEventSchema.parse(event);
  const example = comparable(webhookEventSchema.parse(webhookExample(sent.event)));
  const { sequence, expense, claim } = comparable(sent);
  expect(comparable(sent)).toEqual({ ...example, sequence, expense, claim });
}

async function endpointFor(kinds?: readonly string[]) {
  const receiver = await startReceiver(world.bff.clock);
  receivers.push(receiver);
  const body = { url: receiver.url, ...(kinds === undefined ? {} : { kinds }) };
  await world.bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, { as: clinic.clinic, body });
  return () => receiver.received.map(({ body: received }) => (received as WebhookEvent).event);
}

/** The patient's bank has taken back a part of the first instalment. */
async function dispute(hash: string): Promise<void> {
  const at = world.bff.clock.now();
  const chargeback = { ...clinic.key(hash), id: "1", chargeId: "charge", amount: clp(5_000), at };
  await inTransaction(world.bff.database.db, (tx) => noteChargeback(tx, systemIds, chargeback, at));
}

const revoke = (hash: string) =>
  inTransaction(world.bff.database.db, (tx) =>
    revokeMandate(tx, world.collection, clinic.key(hash), world.bff.clock.now()),
  );

describe("the course of a paid order", () => {
  test("is sent only to endpoints that subscribe to its kinds, each event once", async () => {
    const byDefault = await endpointFor();
    const asking = await endpointFor(["claim.filed", "claim.approved", "collection.collected"]);
    await clinic.claimedOrder(PATIENTS.approvedAfter5Days);
    await world.bff.advance(7 * DAY_MS);
    expect(asking()).toEqual(["claim.filed", "claim.approved", "collection.collected"]);
    expect(byDefault()).toEqual(["order.paid"]);
  });

  test("is logged in sequence, each event with the order as it was then", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.approvedAfter5Days);
    await world.bff.advance(7 * DAY_MS);
    const events = await eventsOf(hash);
    expect(events.map(({ event, sequence, status }) => [event, sequence, status])).toEqual([
      ["order.paid", 1, "paid"],
      ["claim.filed", 2, "paid"],
      ["claim.approved", 3, "paid"],
      ["collection.collected", 4, "paid"],
    ]);
    expect(events[1]?.data.order).toMatchObject({ claim: { status: "filed" }, expense: { status: "filed" } });
    expectAsInTheGuide(events[1]);
    expectAsInTheGuide(events[3]);
    expect(events[3]?.data.order).toMatchObject({
      claim: { status: "approved" },
      collection: { status: "collected", reason: "approved" },
    });
  });

  test.each([
    ["claim.rejected", PATIENTS.rejected, 30, { status: "rejected", rejection_code: "not_covered" }],
    ["claim.held", PATIENTS.held, 0, { status: "held" }],
    ["access.blocked", PATIENTS.blockedAtOnce, 0, { status: "access_blocked" }],
    ["access.blocked", PATIENTS.blockedOnDay2, 2, { status: "access_blocked" }],
  ])("has one %s with the state of the claim", async (kind, rut, days, claim) => {
    const hash = await clinic.claimedOrder(rut);
    await world.bff.advance(days * DAY_MS);
    const events = (await eventsOf(hash)).filter(({ event }) => event === kind);
    expect(events).toHaveLength(1);
    expect(events[0]?.data.order.claim).toMatchObject(claim);
    // The claim of the guide's example was filed before the access was blocked.
    if (rut !== PATIENTS.blockedAtOnce) expectAsInTheGuide(events[0]);
  });

  test.each(["before", "after"])(
    "has claim.held once for an exam's receipt without its medical order, submitted %s the payment",
    async (moment) => {
      const rut = PATIENTS.neverAnswered;
      await clinic.register(rut);
      const hash = moment === "before" ? await clinic.readyOrder({ rut }) : await clinic.paidOrder({ rut });
      await clinic.submitReceipt(hash, rut, 1, "exam");
      await world.bff.runDue();
      if (moment === "before") await clinic.pay(hash);
      await world.bff.runDue();
      expect(await kindsOf(hash)).toEqual(["order.paid", "claim.held"]);
      const { expense, claim } = (await last(hash)).data.order;
      expect([expense?.status, claim]).toMatchObject([
        "held",
        { status: "held", missing_document_types: ["medical_order"] },
      ]);
      // A repeated submission with another kind of service is processed again, and still lacks documents.
      await clinic.submitReceipt(hash, rut, 1, "medicine");
      await world.bff.runDue();
      expect(await kindsOf(hash)).toEqual(["order.paid", "claim.held"]);
      await clinic.submitReceipt(hash, rut, 3, "exam");
      await world.bff.runDue();
      expect(await kindsOf(hash)).toEqual(["order.paid", "claim.held", "claim.filed"]);
    },
  );

  test("has access.missing if the patient has given none, and claim.filed once they do", async () => {
    const rut = PATIENTS.neverAnswered;
    await clinic.register(rut, undefined, "not_given");
    const hash = await clinic.paidOrder({ rut });
    await clinic.submitReceipt(hash, rut);
    await world.bff.runDue();
    expect(await kindsOf(hash)).toEqual(["order.paid", "access.missing"]);
    expect((await last(hash)).data.order.missing_step).toBe("insurer_access");
    expectAsInTheGuide(await last(hash));
    await world.bff.advance(1_000);
    await clinic.register(rut);
    await world.bff.runDue();
    expect(await kindsOf(hash)).toEqual(["order.paid", "access.missing", "claim.filed"]);
  });

  test("has collection.declined for each decline, and collection.failed when the card is given up", async () => {
    const hash = await clinic.paidOrder({ card: LATER.stolen });
    await world.bff.runDue();
    await clinic.approve(hash);
    await world.bff.runDue();
    expect(await kindsOf(hash)).toEqual(["order.paid", "collection.declined", "collection.failed"]);
    const failed = await last(hash);
    expect(failed.data.order.collection).toMatchObject({ status: "failed" });
    expect(failed.data.order.payments.at(-1)).toMatchObject({ kind: "deferred", status: "declined" });
    expectMoneyAsInTheGuide(failed);
  });

  test("has collection.failed, without a decline, when the mandate of a due charge is revoked", async () => {
    const hash = await clinic.justPaid();
    await clinic.approve(hash);
    await revoke(hash);
    await world.bff.runDue();
    expect(await kindsOf(hash)).toEqual(["order.paid", "collection.failed"]);
    expect((await last(hash)).data.order.collection).toMatchObject({ status: "failed" });
  });

  test("has collection.failed only when the charge is due, if the mandate was revoked before", async () => {
    const hash = await clinic.justPaid();
    await revoke(hash);
    await world.bff.runDue();
    expect(await kindsOf(hash)).toEqual(["order.paid"]);
    await clinic.approve(hash);
    await world.bff.runDue();
    expect(await kindsOf(hash)).toEqual(["order.paid", "collection.failed"]);
  });

  test("has collection.failed only when the charge is due, if a stolen card declined an early payment", async () => {
    const hash = await clinic.justPaid(LATER.stolen);
    const now = world.bff.clock.now();
    await payEarly(world.collection, { provider: clinic.clinic.provider, key: clinic.key(hash), now });
    await world.bff.runDue();
    expect(await kindsOf(hash)).toEqual(["order.paid", "collection.declined"]);
    expect((await last(hash)).data.order.collection).toMatchObject({ status: "scheduled" });
    await clinic.approve(hash);
    await world.bff.runDue();
    expect(await kindsOf(hash)).toEqual(["order.paid", "collection.declined", "collection.failed"]);
  });

  test("has collection.failed again when a resumed collection gets back the card that was declined for good", async () => {
    const hash = await clinic.justPaid(LATER.stolen);
    await clinic.approve(hash);
    await world.bff.runDue();
    const { db } = world.bff.database;
    const order = present(await findOrder(db, clinic.key(hash)));
    await clinic.giveCard(hash, LATER.captured);
    expect(await clinic.collectionStatus(hash)).toBe("scheduled approved");
    const { cardProcessor } = world.collection;
    const registerCard: CardProcessor["registerCard"] = async (call, input) => {
      const registered = await cardProcessor.registerCard(call, input);
      if (registered.outcome !== "registered") throw new Error("The card must be registered.");
      return { ...registered, card: { ...registered.card, id: present(order.card).id } };
    };
    await clinic.giveCard(hash, LATER.stolen, { cardProcessor: { ...cardProcessor, registerCard } });
    expect(await clinic.collectionStatus(hash)).toBe("failed approved");
    await world.bff.runDue();
    const failed = (await kindsOf(hash)).filter((kind) => kind === "collection.failed");
    expect(failed).toHaveLength(2);
  });

  test("has collection.failed once for a collection that fails again without having been resumed", async () => {
    const hash = await clinic.justPaid(LATER.stolen);
    await clinic.approve(hash);
    await world.bff.runDue();
    await dispute(hash);
    await clinic.giveCard(hash, LATER.captured);
    await revoke(hash);
    const { db } = world.bff.database;
    const release = (tx: Transaction) => releaseCollection(tx, clinic.resolving(), clinic.key(hash));
    expect(await inTransaction(db, release)).toBe(null);
    await world.bff.runDue();
    const failed = (await kindsOf(hash)).filter((kind) => kind === "collection.failed");
    expect(failed).toHaveLength(1);
  });

  test("has collection.failed when a released collection has a card that can no longer be charged", async () => {
    const hash = await clinic.justPaid();
    await dispute(hash);
    await world.bff.runDue();
    await clinic.approve(hash);
    await revoke(hash);
    const { db } = world.bff.database;
    const release = (tx: Transaction) => releaseCollection(tx, clinic.resolving(), clinic.key(hash));
    expect(await inTransaction(db, release)).toBe(null);
    await world.bff.runDue();
    expect(await kindsOf(hash)).toEqual(["order.paid", "chargeback.opened", "collection.failed"]);
  });

  test.each(["won", "lost"] as const)("has chargeback.opened, and chargeback.closed as %s", async (outcome) => {
    const hash = await clinic.justPaid();
    const { db } = world.bff.database;
    await dispute(hash);
    await dispute(hash);
    await world.bff.runDue();
    expect(await kindsOf(hash)).toEqual(["order.paid", "chargeback.opened"]);
    expect((await last(hash)).chargeback).toEqual({ amount: 5_000, outcome: null });
    expectMoneyAsInTheGuide(await last(hash));
    const close = outcome === "won" ? winOrdersChargebacks : loseOrdersChargebacks;
    await inTransaction(db, async (tx) => void (await close(tx, clinic.resolving(), clinic.key(hash))));
    await world.bff.runDue();
    expect(await kindsOf(hash)).toEqual(["order.paid", "chargeback.opened", "chargeback.closed"]);
    expect((await last(hash)).chargeback).toEqual({ amount: 5_000, outcome });
    expectMoneyAsInTheGuide(await last(hash));
  });
});
