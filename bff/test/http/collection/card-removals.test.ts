import { describe, expect, test, vi } from "vitest";
import { writeOffCollection } from "../../../src/collection/collection-resolutions.ts";
import { removeCard } from "../../../src/collection/remove-cards.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { GatewayUnavailable } from "../../../src/gateways/gateway-call.ts";
import { REMOVE_CARD_TIMER } from "../../../src/orders/card-removals.ts";
import { tenantOf } from "../../../src/patients/beneficiary.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { eraseUnregistered } from "../../../src/self-service/unregistered.ts";
import { untilTestEnds } from "../../put-back.ts";
import { rowsOfOrder } from "../../rows-of-order.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  HOUR_MS,
  LATER,
  PATIENTS,
  WITHOUT_CLINICS_MONEY,
} from "../after-paid/after-paid-world.ts";
import { present } from "../orders/orders-world.ts";

/*
 * Cards to which nothing more can be charged are removed at the processor, each once, despite lost answers and crashes.
 * Cards that may still be charged stay.
 */

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ options: () => WITHOUT_CLINICS_MONEY }, (beginning) => {
  ({ world, clinic } = beginning);
});

const now = () => world.bff.clock.now();
const advance = (milliseconds: number) => world.bff.advance(milliseconds);

/** The order's cards at the processor, oldest first, with their states. */
async function cardsOf(hash: string): Promise<string[]> {
  const rows = await world.bff.database.db
    .selectFrom("sandbox_cards")
    .select(["last4", "removed_at"])
    .where("order_hash", "=", clinic.key(hash).orderId)
    .orderBy("registered_at")
    .execute();
  return rows.map(({ last4, removed_at: at }) => `${last4} ${at === null ? "there" : "removed"}`);
}

/** How often the processor answered a request to remove a card of this clinic. */
async function removals(): Promise<number> {
  const rows = await world.bff.database.db
    .selectFrom("sandbox_calls")
    .select("operation")
    .where("provider_id", "=", clinic.clinic.provider.id)
    .where("operation", "=", "removeCard")
    .where("answer", "is not", null)
    .execute();
  return rows.length;
}

/** The unanswered calls, as the operator sees them. */
async function listed() {
  return (await clinic.exceptions()).filter(({ kind }) => kind === "outcome_unknown").map(({ facts }) => facts);
}

async function giveCard(hash: string, number: string): Promise<void> {
  await advance(1_000);
  await clinic.giveCard(hash, number);
  await world.bff.runDue();
}

/** A paid order whose later charge was declined, so that its patient can add another card. */
async function declinedOrder(): Promise<string> {
  const hash = await clinic.justPaid(LATER.declined);
  await clinic.approve(hash);
  await world.bff.runDue();
  expect(await cardsOf(hash)).toEqual(["0065 there"]);
  return hash;
}

const removed = (last4: string) => [`${last4} removed`];

describe("a replaced card", () => {
  test("is removed before the payment, and the new one pays", async () => {
    const hash = await clinic.readyOrder({ card: LATER.debit });
    await advance(1_000);
    await clinic.addCard(hash, LATER.captured);
    // A removal that was not requested yet is not listed as unanswered.
    world.bff.clock.set(new Date(now().getTime() + 7 * HOUR_MS));
    expect([await removalsOf(hash), await listed()]).toEqual([1, []]);
    await world.bff.runDue();
    expect(await cardsOf(hash)).toEqual(["7763 removed", "6623 there"]);
    expect((await clinic.pay(hash)).status).toBe(200);
    await advance(DAY_MS);
    expect([await cardsOf(hash), await removals()]).toEqual([["7763 removed", "6623 there"], 1]);
  });

  test("is removed once after the payment, and the new one is charged", async () => {
    const hash = await declinedOrder();
    await giveCard(hash, LATER.captured);
    expect(await cardsOf(hash)).toEqual(["0065 removed", "6623 there"]);
    expect(await removals()).toBe(1);
    await advance(DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
    expect([await cardsOf(hash), await removals()]).toEqual([["0065 removed", "6623 removed"], 2]);
  });

  test.each(["fail_before", "fail_after", "slow", "twice", "kill_after"] as const)(
    "is removed once after any failure of the call (%s)",
    async (kind) => {
      const hash = await declinedOrder();
      await clinic.fault("card-processor", "removeCard", kind);
      const removeCard = untilTestEnds(vi.spyOn(world.bff.context.parties.cardProcessor, "removeCard"));
      await giveCard(hash, LATER.debit);
      await advance(HOUR_MS);
      expect([(await cardsOf(hash))[0], await removals()]).toEqual(["0065 removed", 1]);
      // A call that may have arrived is inquired about, not repeated.
      expect(removeCard).toHaveBeenCalledTimes(kind === "fail_before" ? 2 : 1);
      const rows = await world.bff.database.db
        .selectFrom("card_removals")
        .select(["state", "card_id"])
        .where("order_id", "=", clinic.key(hash).orderId)
        .where("asked_at", "is not", null)
        .execute();
      // Not even the id of a removed card is kept.
      expect(rows[0]).toEqual({ state: "removed", card_id: null });
    },
  );

  test("is removed if its charge is declined during a full refund", async () => {
    const hash = await clinic.justPaid(LATER.declined);
    await clinic.fault("card-processor", "charge", "fail_after");
    await clinic.approve(hash);
    await world.bff.runDue();
    expect((await clinic.refund(hash)).body.refund.status).toBe("processing");
    await advance(HOUR_MS);
    expect(await clinic.collectionStatus(hash)).toBe("cancelled approved");
    expect(await cardsOf(hash)).toEqual(["0065 removed"]);
  });

  test("is removed after an outage, during which an operator sees it", async () => {
    const hash = await declinedOrder();
    await clinic.fault("card-processor", "removeCard", "fail_before", 100);
    await giveCard(hash, LATER.declinedTwice);
    // Separates the two inquiries in time.
    await advance(5_000);
    await clinic.refund(hash);
    await advance(HOUR_MS);
    expect([await cardsOf(hash), await listed()]).toEqual([["0065 there", "0013 there"], []]);
    await advance(6 * HOUR_MS);
    expect(await listed()).toEqual([{ of: "card_removal" }, { of: "card_removal" }]);
    await clinic.fault("card-processor", "removeCard", "fail_before", 0);
    await advance(4 * HOUR_MS);
    expect(await cardsOf(hash)).toEqual(["0065 removed", "0013 removed"]);
    expect([await removals(), await listed()]).toEqual([2, []]);
  });
});

describe("the card of an ended order", () => {
  test("is removed after its collection, and its charges are returned as before", async () => {
    const hash = await clinic.justPaid();
    await clinic.approve(hash);
    await world.bff.runDue();
    expect([await clinic.collectionStatus(hash), await cardsOf(hash)]).toEqual(["collected approved", removed("6623")]);
    expect((await clinic.refund(hash)).body.status).toBe("refunded");
    expect(await removals()).toBe(1);
  });

  test("is removed after a full refund", async () => {
    const hash = await clinic.justPaid();
    await clinic.refund(hash);
    await world.bff.runDue();
    expect(await cardsOf(hash)).toEqual(removed("6623"));
  });

  test("is removed if the order ends unpaid", async () => {
    const hash = await clinic.readyOrder();
    expect((await clinic.call("cancelOrder", hash)).status).toBe(200);
    await world.bff.runDue();
    expect((await cardsOf(hash))[0]).toMatch(/ removed$/);
  });

  test("is removed after a write-off", async () => {
    const hash = await clinic.justPaid(LATER.stolen);
    await clinic.approve(hash);
    await world.bff.runDue();
    expect([await clinic.collectionStatus(hash), await cardsOf(hash)]).toEqual([
      expect.stringMatching(/^failed/),
      ["0021 there"],
    ]);
    await inTransaction(world.bff.database.db, (tx) => writeOffCollection(tx, clinic.resolving(), clinic.key(hash)));
    await world.bff.runDue();
    expect(await cardsOf(hash)).toEqual(removed("0021"));
  });
});

describe("a needed card", () => {
  test("stays while it waits, after a partial refund, after a decline, and while it may be charged again", async () => {
    const waiting = await clinic.justPaid();
    await clinic.refund(waiting, { amount: 1_000 });
    const declined = await declinedOrder();
    const stolen = await clinic.justPaid(LATER.stolen);
    await clinic.approve(stolen);
    const unpaid = await clinic.readyOrder();
    await advance(HOUR_MS);
    for (const hash of [waiting, declined, stolen, unpaid]) expect((await cardsOf(hash))[0]).toMatch(/ there$/);
    expect(await removals()).toBe(0);
  });

  test("stays during its charge, and a new one stays during its authentication", async () => {
    const asked = await clinic.justPaid();
    await giveCard(asked, LATER.challenged);
    await clinic.refund(asked, { amount: 1_000 });
    await world.bff.runDue();
    expect(await cardsOf(asked)).toEqual(["6623 there", "0115 there"]);
    const hash = await clinic.justPaid();
    await clinic.fault("card-processor", "charge", "fail_after");
    await clinic.approve(hash);
    await world.bff.runDue();
    await clinic.fault("card-processor", "inquireCharge", "fail_before", 100);
    await giveCard(hash, LATER.debit);
    await giveCard(hash, LATER.challenged);
    expect(await cardsOf(hash)).toEqual(["6623 there", "7763 there", "0115 there"]);
    await clinic.fault("card-processor", "inquireCharge", "fail_before", 0);
    await advance(HOUR_MS);
    expect(await cardsOf(hash)).toEqual(["6623 removed", "7763 removed", "0115 removed"]);
  });

  test("stays if it is needed again by the time of the removal", async () => {
    const hash = await clinic.justPaid();
    const { db } = world.bff.database;
    const { providerId, orderId } = clinic.key(hash);
    const card = present((await clinic.order(hash)).card);
    const id = systemIds.uuid();
    const asked = { provider_id: providerId, order_id: orderId, asked_at: now() };
    await db
      .insertInto("card_removals")
      .values([
        { ...asked, id, card_id: card.id, state: "removing", removed_at: null },
        // The removal of another card of the order is done.
        { ...asked, id: systemIds.uuid(), card_id: null, state: "removed", removed_at: now() },
      ])
      .execute();
    expect(await runRemoval(hash, id)).toBe("completed");
    expect([await cardsOf(hash), await removals(), await removalsOf(hash)]).toEqual([["6623 there"], 0, 1]);
  });
});

/** Runs the timer of a removal, with a processor that reports whether it removes cards. */
function runRemoval(hash: string, id: string, removesCards = async () => true) {
  const { providerId, orderId } = clinic.key(hash);
  const asked = { ...world.collection, cardProcessor: { ...world.collection.cardProcessor, removesCards } };
  const timer = { kind: REMOVE_CARD_TIMER, key: id, providerId, payload: { order_id: orderId } };
  const claimed = { ...timer, attempts: 0, leaseId: systemIds.uuid(), dueAt: now(), traceparent: null };
  return removeCard(asked, claimed, { finish: async () => undefined });
}

async function removalsOf(hash: string): Promise<number> {
  const rows = await world.bff.database.db
    .selectFrom("card_removals")
    .select("id")
    .where("order_id", "=", clinic.key(hash).orderId)
    .execute();
  return rows.length;
}

test("a processor that removes no cards is not asked to remove any", async () => {
  const hash = await declinedOrder();
  await clinic.fault("card-processor", "removeCard", "fail_before", 1);
  await giveCard(hash, LATER.captured);
  const [row] = await world.bff.database.db
    .selectFrom("card_removals")
    .select("id")
    .where("order_id", "=", clinic.key(hash).orderId)
    .execute();
  const { id } = present(row);
  // While the processor does not report whether it removes cards, the question is repeated.
  const later = { again: new Date(now().getTime() + 10 * 60_000) };
  const failing = (error: Error) => () => Promise.reject(error);
  expect(await runRemoval(hash, id, failing(new GatewayUnavailable("card-processor")))).toEqual(later);
  await expect(runRemoval(hash, id, failing(new Error("a defect")))).rejects.toThrow("a defect");
  expect(await removalsOf(hash)).toBe(1);
  expect(await runRemoval(hash, id, async () => false)).toBe("completed");
  await advance(HOUR_MS);
  expect([(await cardsOf(hash))[0], await removals()]).toEqual(["0065 there", 0]);
});

test("no removal waits at a processor that removes no cards, however often a card becomes unneeded", async () => {
  const { cardProcessor } = world.bff.context.parties;
  const there = { ...cardProcessor };
  Object.assign(cardProcessor, { removesCards: async () => false });
  try {
    const hash = await clinic.justPaid();
    await clinic.approve(hash);
    await world.bff.runDue();
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
    for (const amount of [1_000, 2_000]) {
      expect((await clinic.refund(hash, { amount })).body.refund.status).toBe("succeeded");
      await advance(HOUR_MS);
      expect(await removalsOf(hash)).toBe(0);
    }
    // Once the processor removes cards, the order's next change requests the removal.
    Object.assign(cardProcessor, there);
    await clinic.refund(hash, { amount: 3_000 });
    await world.bff.runDue();
    expect([await cardsOf(hash), await removals()]).toEqual([removed("6623"), 1]);
  } finally {
    Object.assign(cardProcessor, there);
  }
});

test("an erased patient's cards are removed, including those of orders older than card removal", async () => {
  const hash = await clinic.justPaid();
  const others = await clinic.paidOrder({ rut: PATIENTS.neverAnswered });
  for (const each of [hash, others]) await clinic.refund(each);
  await world.bff.runDue();
  const { db } = world.bff.database;
  const ended = [hash, others].map((each) => clinic.key(each).orderId);
  await db.deleteFrom("card_removals").where("order_id", "in", ended).execute();
  await db.updateTable("sandbox_cards").set({ removed_at: null }).where("order_hash", "in", ended).execute();
  await db.deleteFrom("sandbox_calls").where("operation", "=", "removeCard").execute();
  await db.deleteFrom("timers").where("kind", "=", REMOVE_CARD_TIMER).execute();
  const open = await clinic.readyOrder();
  const { provider } = clinic.clinic;
  const { rut } = (await clinic.order(hash)).customer;
  const dependencies = { db, ids: systemIds, clock: world.bff.clock };
  const person = { tenant: tenantOf(provider), rut: parseRut(rut), providerId: provider.id };
  const stillOpen = await rowsOfOrder(db, open);
  await eraseUnregistered(dependencies, { ...person, actor: "operator:camila", now: now() });
  // The cards of orders that can still be paid stay.
  expect(await rowsOfOrder(db, open)).toEqual(stillOpen);
  await world.bff.runDue();
  expect(await cardsOf(hash)).toEqual(removed("6623"));
  for (const kept of [open, others]) expect((await cardsOf(kept))[0]).toMatch(/ there$/);
  expect(await removals()).toBe(1);
});
