import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import { isClaimOver } from "../../../src/claims/claim-reads.ts";
import { takeUpAttempt } from "../../../src/collection/charge/open-charge.ts";
import { retryDecision } from "../../../src/collection/charge/retry-decision.ts";
import { settleEarlyPayment } from "../../../src/collection/charge/run-collection.ts";
import {
  acknowledgeChargebacks,
  loseOrdersChargebacks,
  recoverFromClinic,
  releaseCollection,
  retryCollection,
  winOrdersChargebacks,
  writeOffCollection,
} from "../../../src/collection/collection-resolutions.ts";
import { chargeTimer, DAILY_TIMER, SETTLE_EARLY_TIMER } from "../../../src/collection/collection-timers.ts";
import { noteChargeback, syncDaily } from "../../../src/collection/daily-sync.ts";
import { revokeMandate } from "../../../src/collection/mandate.ts";
import { settledChargebacks } from "../../../src/collection/operations.ts";
import { inquireEarly, payEarly } from "../../../src/collection/pay-early.ts";
import { pullTrigger } from "../../../src/collection/trigger-charge.ts";
import { owedNow, readUpcomingInNotification } from "../../../src/collection/upcoming-charge.ts";
import { CHARGE_TRIES_MAX, CHARGE_TRIES_WINDOW_DAYS } from "../../../src/contract/terms.ts";
import { clp, formatClp } from "../../../src/contract/vocabulary/clp.ts";
import { MINUTE_MS } from "../../../src/contract/vocabulary/durations.ts";
import type { OrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { webhookEndpoints } from "../../../src/contract/webhook-endpoints.ts";
import type { CardProcessor, ProcessorMovement } from "../../../src/gateways/card-processor.ts";
import { tenantOf } from "../../../src/patients/beneficiary.ts";
import { block, unblock } from "../../../src/patients/blocked.ts";
import { findBeneficiary } from "../../../src/patients/patients.ts";
import { readMigrations } from "../../../src/platform/database/migrate.ts";
import { inTransaction, type Transaction } from "../../../src/platform/database/transaction.ts";
import { dayInWords } from "../../../src/platform/day-in-words.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { dispatchKind } from "../../../src/platform/outbox.ts";
import { addCalendarDays, santiagoDay, santiagoMoment } from "../../../src/platform/santiago-time.ts";
import { SPREAD_MS } from "../../../src/platform/spread.ts";
import { scheduleTimer } from "../../../src/platform/timers/timer-store.ts";
import { rowsOfOrder } from "../../rows-of-order.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  HOUR_MS,
  LATER,
  PATIENTS,
  START,
  WITHOUT_CLINICS_MONEY,
} from "../after-paid/after-paid-world.ts";
import { held } from "../orders/hanging-call.ts";
import { CARDS, present, RETURN_REFUSED } from "../orders/orders-world.ts";

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ at: START, options: () => WITHOUT_CLINICS_MONEY }, (beginning) => {
  ({ world, clinic } = beginning);
});

const now = () => world.bff.clock.now();
const advance = (milliseconds: number) => world.bff.advance(milliseconds);

/** An order of $40.000 that was just paid: $12.000 now, $28.000 and a commission of $2.800 later. */
const paidOrder = (card?: string) => clinic.justPaid(card);

/** The charges of the deferred part on the processor's own list. */
async function laterCharges(hash: string): Promise<number[]> {
  const { cardProcessor } = clinic.sandbox;
  const [from, to] = [new Date("2026-01-01"), new Date("2100-01-01")];
  const list = await cardProcessor.listMovements(clinic.clinic.provider.id, from, to);
  return list
    .filter(({ orderHash: orderId, idempotencyKey }) => orderId === hash && idempotencyKey.endsWith(":collection"))
    .map(({ amount }) => amount);
}

/** The reports to the lender about the end of an order's loan, oldest first. */
async function loanEnds(hash: string): Promise<string[]> {
  const reports = world.bff.database.db.selectFrom("loan_reports").select("loan_end").orderBy("number");
  return (await reports.where("order_id", "=", clinic.key(hash).orderId).execute()).map(({ loan_end }) => loan_end);
}

/** Claims a timer of an order, to run it now. */
function claimed(hash: string, timer: { readonly kind: string; readonly key: string }) {
  const { providerId, orderId } = clinic.key(hash);
  return {
    ...timer,
    providerId,
    payload: { order_id: orderId },
    attempts: 0,
    leaseId: "",
    dueAt: now(),
    traceparent: null,
  };
}

/** The kinds of timers that an order's collection still has. */
async function timersLeft(hash: string): Promise<string[]> {
  const timers = world.bff.database.db.selectFrom("timers").select("kind").where("kind", "like", "collection.%");
  const left = timers.where("done_at", "is", null).where(sql`payload ->> 'order_id'`, "=", clinic.key(hash).orderId);
  return (await left.orderBy("kind").execute()).map(({ kind }) => kind);
}

describe("a paid order", () => {
  test("is due at 09:00 of day 45, and shows it", async () => {
    const paidOn = santiagoDay(now());
    const hash = await paidOrder();
    const shown = await clinic.read(hash);
    const latest = shown.plan.data.installments[1].latest_due_date;
    expect(shown.collection).toEqual({
      status: "scheduled",
      due_at: santiagoMoment(latest, 9).toISOString(),
      reason: null,
    });
    expect(Date.parse(latest) - Date.parse(paidOn)).toBe(45 * DAY_MS);
  });

  test("stays due on the same day after a card change, and nothing happens before", async () => {
    const hash = await paidOrder();
    const before = [await clinic.read(hash), await timersLeft(hash)];
    await clinic.giveCard(hash, LATER.debit);
    expect([await clinic.read(hash), await timersLeft(hash)]).toEqual(before);
    const audited = world.bff.database.db.selectFrom("audit_log").select("act").where("subject_id", "=", hash);
    // Only acts by a link are recorded as the patient's.
    expect(await audited.where("act", "=", "collection.card_changed").execute()).toEqual([]);
  });

  test("is collected on that day, with the commission, and not before", async () => {
    const hash = await paidOrder();
    const due = new Date((await clinic.dueAt(hash)) ?? "");
    await advance(due.getTime() - now().getTime() - 1_000);
    expect(await laterCharges(hash)).toEqual([]);
    // Orders due at the same time are charged within the hour.
    await advance(SPREAD_MS + 1_000);
    expect(await laterCharges(hash)).toEqual([30_800]);
    const shown = await clinic.read(hash);
    expect(shown.collection).toEqual({ status: "collected", due_at: null, reason: "day_45" });
    expect(shown.plan.data.installments[1].status).toBe("collected");
    expect(shown).toMatchObject({ status: "paid", captured_amount: 42_800 });
  });
});

describe("the later charge of a card whose issuer challenges the patient", () => {
  test("names the patient's own charge, with which the mandate was given", async () => {
    const hash = await paidOrder();
    await challengeFor(hash);
    await clinic.approve(hash);
    await world.bff.runDue();
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
    // The sandbox declines a charge that names another network id than it reported.
    const [first] = (await clinic.order(hash)).payments;
    expect(first?.voucher.networkTransactionId).toMatch(/^0\d{14}$/);
    expect(await namesOfTheNetwork(hash)).toEqual([first?.voucher.networkTransactionId]);
  });

  test("names the captured charge, not an earlier declined one of the same card", async () => {
    const hash = await clinic.readyOrder({ card: CARDS.noFunds });
    expect((await clinic.pay(hash)).body.code).toBe("card_declined");
    const { db } = world.bff.database;
    const { orderId } = clinic.key(hash);
    await db.updateTable("sandbox_cards").set({ behaviour: "approved" }).where("order_hash", "=", orderId).execute();
    expect((await clinic.pay(hash)).status).toBe(200);
    await world.bff.runDue();
    await challengeFor(hash);
    await clinic.approve(hash);
    await world.bff.runDue();
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
    const captured = (await clinic.order(hash)).payments.find(
      ({ kind, status }) => `${kind} ${status}` === "first captured",
    );
    expect(await namesOfTheNetwork(hash)).toEqual([present(captured).voucher.networkTransactionId]);
  });

  test("names the charge of the mandate, while the patient's own charge names none", async () => {
    const [mandated, early] = [await paidOrder(), await paidOrder()];
    const { cardProcessor } = world.bff.context.parties;
    const named: unknown[] = [];
    const charge: CardProcessor["charge"] = (call, input) => {
      named.push([input.orderHash, input.initialChargeId, input.initialNetworkTransactionId]);
      return there.charge(call, input);
    };
    const there = { ...cardProcessor };
    Object.assign(cardProcessor, { charge });
    try {
      await clinic.approve(mandated);
      await world.bff.runDue();
      const { provider } = clinic.clinic;
      const asked = { provider, key: clinic.key(early), now: now() };
      await payEarly({ ...world.collection, cardProcessor: { ...there, charge } }, asked);
    } finally {
      Object.assign(cardProcessor, there);
    }
    const [first] = (await clinic.order(mandated)).payments;
    expect(named).toEqual([
      [mandated, first?.chargeId, first?.voucher.networkTransactionId],
      [early, null, undefined],
    ]);
  });

  test("is made without a network id if the processor reported none", async () => {
    const hash = await paidOrder();
    const { db } = world.bff.database;
    await db
      .updateTable("order_payments")
      .set({ network_transaction_id: null })
      .where("order_id", "=", clinic.key(hash).orderId)
      .execute();
    await challengeFor(hash);
    await clinic.approve(hash);
    await world.bff.runDue();
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
    expect(await namesOfTheNetwork(hash)).toEqual([null]);
  });

  /** Gives a card whose issuer challenges the patient. */
  async function prove(hash: string, choice: "approve" | "reject", cardProcessor?: CardProcessor): Promise<void> {
    const given = await clinic.giveCard(hash, CARDS.challenge, cardProcessor && { cardProcessor });
    if (given.outcome !== "requires_action") throw new Error("The issuer must challenge.");
    await clinic.press(given.challenge.url, choice);
    await advance(60_000);
  }

  /** The network ids of the mandates given with a card, oldest first. */
  async function namesOfMandates(hash: string) {
    const rows = await world.bff.database.db
      .selectFrom("card_attempts")
      .select("network_transaction_id as name")
      .where("order_id", "=", clinic.key(hash).orderId)
      .where("purpose", "=", "new_card")
      .orderBy("number")
      .execute();
    return rows.map(({ name }) => name);
  }

  test("names the patient's last proof if the card was given more than once", async () => {
    const hash = await paidOrder();
    await prove(hash, "approve");
    const { cardProcessor } = world.collection;
    const { card } = await clinic.collection(hash);
    // A processor may reuse a card's id when the card is given again.
    const naming: CardProcessor = {
      ...cardProcessor,
      async registerCard(call, input) {
        const registered = await cardProcessor.registerCard(call, input);
        if (registered.outcome !== "registered") return registered;
        return { ...registered, card: { ...registered.card, id: present(card).id } };
      },
    };
    await prove(hash, "approve", naming);
    await prove(hash, "reject", naming);
    const [first, last, none] = await namesOfMandates(hash);
    expect([last === first, none]).toEqual([false, null]);
    // Another order's card may have the same id.
    const otherOrder = await paidOrder();
    await prove(otherOrder, "approve");
    const proofs = world.bff.database.db.updateTable("card_attempts").set({ card_id: present(card).id, number: 9 });
    await proofs.where("order_id", "=", clinic.key(otherOrder).orderId).execute();
    await clinic.approve(hash);
    await world.bff.runDue();
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
    expect(await namesOfTheNetwork(hash)).toEqual([last]);
  });

  test("is confirmed by this version if an earlier one started it, and both can read it", async () => {
    const hash = await paidOrder();
    const given = await clinic.giveCard(hash, CARDS.challenge);
    if (given.outcome !== "requires_action") throw new Error("The issuer must challenge.");
    const { db } = world.bff.database;
    const { orderId } = clinic.key(hash);
    const viewed = async () =>
      (await sql<Record<string, unknown>>`select * from card_authentications where order_id = ${orderId}`.execute(db))
        .rows;
    const [begun] = await viewed();
    expect(begun).toMatchObject({ purpose: "card_change", state: "challenged", challenge_url: given.challenge.url });
    await db.deleteFrom("card_attempts").where("order_id", "=", orderId).execute();
    await sql`insert into card_authentications select * from
      jsonb_populate_record(null::card_authentications, ${JSON.stringify(begun)}::jsonb)`.execute(db);
    await sql`update card_authentications set inquiries = inquiries + 1 where order_id = ${orderId}`.execute(db);
    expect(await viewed()).toEqual([{ ...begun, inquiries: 1 }]);
    await clinic.press(given.challenge.url, "approve");
    await advance(60_000);
    expect(await viewed()).toMatchObject([
      { purpose: "card_change", state: "proven", card: null, challenge_url: null },
    ]);
    expect(await namesOfMandates(hash)).toHaveLength(1);
  });

  test("names the mandate, not the proof of a declined early payment", async () => {
    const hash = await paidOrder();
    await prove(hash, "approve");
    const declined = { outcome: "declined", reason: "declined", hard: false } as const;
    const cardProcessor: CardProcessor = { ...world.collection.cardProcessor, charge: async () => declined };
    const early = { provider: clinic.clinic.provider, key: clinic.key(hash) };
    for (const choice of ["reject", "approve"] as const) {
      const asked = await payEarly({ ...world.collection, cardProcessor }, { ...early, now: now() });
      if (asked.outcome !== "requires_action") throw new Error("The issuer must challenge.");
      await clinic.press(asked.challenge.url, choice);
      const { outcome } = await inquireEarly({ ...world.collection, cardProcessor }, early);
      expect(outcome).toBe("declined");
    }
    await clinic.approve(hash);
    await advance(2 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
    const [mandate] = await namesOfMandates(hash);
    expect(mandate).not.toBeNull();
    const asked = world.bff.database.db.selectFrom("sandbox_authentications").select("purpose").orderBy("purpose");
    const purposes = await asked.where("order_hash", "=", clinic.key(hash).orderId).execute();
    expect(purposes.map(({ purpose }) => purpose)).toEqual(["mandate", "payment", "payment"]);
    expect(await namesOfTheNetwork(hash)).toEqual([null, mandate]);
  });

  async function namesOfTheNetwork(hash: string) {
    const rows = await world.bff.database.db
      .selectFrom("collection_attempts")
      .select("initial_network_transaction_id as name")
      .where("order_id", "=", clinic.key(hash).orderId)
      .orderBy("started_at")
      .execute();
    return rows.map(({ name }) => name);
  }
});

describe("a trigger", () => {
  test("charges at once in the afternoon, and at 09:00 if it comes at night", async () => {
    const afternoon = await paidOrder();
    await clinic.approve(afternoon);
    await world.bff.runDue();
    expect(await clinic.collectionStatus(afternoon)).toBe("collected approved");

    const night = await paidOrder();
    await advance(11 * HOUR_MS);
    await clinic.approve(night);
    await world.bff.runDue();
    expect(await clinic.collectionStatus(night)).toBe("scheduled approved");
    expect(await clinic.dueAt(night)).toBe(santiagoMoment(santiagoDay(now()), 9).toISOString());
    await advance(7 * HOUR_MS);
    expect(await clinic.collectionStatus(night)).toBe("collected approved");
  });

  test("stays the first one for good; of many concurrent triggers exactly one wins", async () => {
    const hash = await paidOrder();
    const pulls = ["approved", "access_blocked", "day_45", "approved"].map((reason) =>
      inTransaction(world.bff.database.db, (tx) =>
        pullTrigger(tx, clinic.key(hash), { reason: reason as "approved", at: now(), evidence: { reason } }),
      ),
    );
    expect((await Promise.all(pulls)).filter(Boolean)).toHaveLength(1);
    await advance(50 * DAY_MS);
    expect(await laterCharges(hash)).toHaveLength(1);
    const triggers = await world.bff.database.db
      .selectFrom("collection_triggers")
      .select(["reason", "evidence"])
      .where("order_id", "=", clinic.key(hash).orderId)
      .execute();
    expect(triggers).toHaveLength(1);
    expect(triggers[0]?.evidence).toEqual({ reason: triggers[0]?.reason });
  });
});

test("a trigger before its order's collection starts, or after it has ended, makes nothing due", async () => {
  const [early, refunded] = [await paidOrder(), await paidOrder()];
  await payEarly(world.collection, { provider: clinic.clinic.provider, key: clinic.key(early), now: now() });
  await clinic.refund(refunded);
  await world.bff.runDue();
  const unprocessed = await clinic.paidOrder();
  for (const hash of [early, refunded, unprocessed]) expect(await clinic.approve(hash)).toBe(false);
  expect([await clinic.collectionStatus(early), await clinic.collectionStatus(refunded)]).toEqual([
    "collected paid_early",
    "cancelled null",
  ]);
  expect(await timersLeft(refunded)).toEqual([]);
});

test("a charge timer without anything to charge changes nothing", async () => {
  const [waiting, failed, collected] = [await paidOrder(), await paidOrder(LATER.stolen), await paidOrder()];
  const hashes = [waiting, failed, collected];
  for (const hash of [failed, collected]) await clinic.approve(hash);
  await world.bff.runDue();
  const { db } = world.bff.database;
  const rows = () => Promise.all(hashes.map((hash) => rowsOfOrder(db, clinic.key(hash).orderId)));
  const before = await rows();
  for (const hash of hashes) {
    const collection = await clinic.collection(hash);
    const timer = chargeTimer(clinic.clinic.provider, collection, now());
    await scheduleTimer(db, { ...timer, key: `${timer.key}:again` });
  }
  await world.bff.runDue();
  const again = db.selectFrom("timers").select("done_at").where("key", "like", "%:again");
  const ofClinic = again.where("provider_id", "=", clinic.clinic.provider.id);
  expect(await ofClinic.execute()).toEqual(hashes.map(() => ({ done_at: now() })));
  expect(await rows()).toEqual(before);
});

describe("a declined charge", () => {
  test("is retried four times in ten days, then left to operators; the order stays paid", async () => {
    const hash = await paidOrder(LATER.declined);
    await clinic.approve(hash);
    await world.bff.runDue();
    expect(await clinic.tries(hash)).toEqual(["declined"]);
    expect(await clinic.collectionStatus(hash)).toBe("scheduled approved");
    const dueAt = await clinic.dueAt(hash);
    expect(await declines(hash)).toEqual([{ next: "tried_again", due_at: dueAt, next_try_at: dueAt }]);
    await advance(20 * DAY_MS);
    expect(await clinic.tries(hash)).toEqual(["declined", "declined", "declined", "declined"]);
    const shown = await clinic.read(hash);
    expect(shown.collection).toEqual({ status: "failed", due_at: null, reason: "approved" });
    expect(shown.status).toBe("paid");
    expect(shown.plan.data.installments[1].status).toBe("failed");
    const [first, ...later] = (await clinic.order(hash)).payments.filter(({ kind }) => kind === "deferred");
    const hoursAfter = later.map(
      ({ createdAt }) => (createdAt.getTime() - (first?.createdAt.getTime() ?? 0)) / HOUR_MS,
    );
    expect(hoursAfter).toEqual([42, 114, 210]);
  });

  test("twice, then captured, is collected once", async () => {
    const hash = await paidOrder(LATER.declinedTwice);
    await clinic.approve(hash);
    await advance(12 * DAY_MS);
    expect(await clinic.tries(hash)).toEqual(["declined", "declined", "captured"]);
    expect(await laterCharges(hash)).toEqual([30_800]);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
  });

  test("is never retried with a stolen card, until the patient gives another one", async () => {
    const hash = await paidOrder(LATER.stolen);
    await clinic.approve(hash);
    await advance(12 * DAY_MS);
    expect(await clinic.tries(hash)).toEqual(["declined"]);
    expect(await clinic.collectionStatus(hash)).toBe("failed approved");
    await clinic.giveCard(hash, LATER.captured);
    expect(await clinic.collectionStatus(hash)).toBe("scheduled approved");
    expect((await clinic.read(hash)).plan.data.installments[1].status).toBe("scheduled");
    await world.bff.runDue();
    expect(await clinic.tries(hash)).toEqual(["declined", "captured"]);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
  });

  test("stays failed for a stolen card when another card is given during a chargeback", async () => {
    const hash = await paidOrder(LATER.stolen);
    await clinic.approve(hash);
    await advance(12 * DAY_MS);
    await noteChargedBack(hash);
    await clinic.giveCard(hash, LATER.captured);
    expect((await clinic.read(hash)).plan.data.installments[1].status).toBe("failed");
    await advance(12 * DAY_MS);
    expect(await clinic.tries(hash)).toEqual(["declined"]);
  });

  test("is not retried after a full refund, and the lender gets one report that the loan is over", async () => {
    const hash = await paidOrder();
    await clinic.approve(hash);
    await clinic.refund(hash);
    // The charge's timer runs before the refund's event.
    const { db } = world.bff.database;
    const later = { due_at: new Date(now().getTime() + HOUR_MS) };
    await db.updateTable("timers").set(later).where("kind", "=", dispatchKind).where("done_at", "is", null).execute();
    await world.bff.runDue();
    expect(await clinic.collectionStatus(hash)).toBe("cancelled approved");
    const cards = db.selectFrom("sandbox_cards").select("id").where("removed_at", "is", null);
    expect(await cards.where("order_hash", "=", clinic.key(hash).orderId).execute()).toEqual([]);
    await advance(2 * HOUR_MS);
    expect(await laterCharges(hash)).toEqual([]);
    expect(await loanEnds(hash)).toEqual(["refunded"]);
  });

  test("is retried with another card only after 24 hours", async () => {
    const hash = await paidOrder(LATER.declined);
    await clinic.approve(hash);
    await advance(HOUR_MS);
    await clinic.giveCard(hash, LATER.captured);
    await advance(22 * HOUR_MS);
    expect(await clinic.tries(hash)).toEqual(["declined"]);
    await advance(2 * HOUR_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
  });

  test("is announced a day before an operator's retry, which counts towards the four promised tries", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.neverAnswered, LATER.declined);
    await clinic.approve(hash);
    await advance(3 * DAY_MS);
    expect(await clinic.tries(hash)).toHaveLength(2);
    // The patient's data is blocked until the ten days are over.
    const { db } = world.bff.database;
    const rut = parseRut(PATIENTS.neverAnswered);
    const patient = present(await findBeneficiary(db, { tenant: tenantOf(clinic.clinic.provider), rut }));
    await inTransaction(db, (tx) => block(tx, patient, now()));
    await advance(12 * DAY_MS);
    await inTransaction(db, (tx) => unblock(tx, patient));
    expect(await clinic.collectionStatus(hash)).toBe("failed approved");
    const retry = () =>
      inTransaction(world.bff.database.db, (tx) => retryCollection(tx, clinic.resolving(), clinic.key(hash)));
    const { dueAt: again } = await retry();
    expect(again.getTime()).toBeGreaterThanOrEqual(now().getTime() + DAY_MS);
    expect((await clinic.read(hash)).plan.data.installments[1].status).toBe("scheduled");
    const made = async () => (await clinic.tries(hash)).filter((state) => state === "declined").length;
    await advance(again.getTime() - now().getTime() - 1_000);
    expect(await made()).toBe(2);
    await advance(20 * DAY_MS);
    expect(await made()).toBe(CHARGE_TRIES_MAX);
    await expect(retry()).rejects.toMatchObject({ code: "tries_exhausted" });
  });

  test("cannot be retried by an operator if its card will never work or the collection was written off", async () => {
    const stolen = await paidOrder(LATER.stolen);
    await clinic.approve(stolen);
    await world.bff.runDue();
    await expect(
      inTransaction(world.bff.database.db, (tx) => retryCollection(tx, clinic.resolving(), clinic.key(stolen))),
    ).rejects.toMatchObject({ code: "hard_decline" });
    await expect(release(stolen)).rejects.toMatchObject({ code: "not_stopped" });
    await inTransaction(world.bff.database.db, (tx) => writeOffCollection(tx, clinic.resolving(), clinic.key(stolen)));
    await world.bff.runDue();
    const writtenOff = `Ya no haremos el segundo cobro de tu pago en ${clinic.clinic.provider.name}`;
    expect(await clinic.mailTexts(writtenOff)).toEqual([expect.stringContaining("Ya no se cobra: $30.800")]);
    await expect(
      inTransaction(world.bff.database.db, (tx) => retryCollection(tx, clinic.resolving(), clinic.key(stolen))),
    ).rejects.toMatchObject({ code: "not_failed" });
    await advance(15 * DAY_MS);
    expect(await clinic.tries(stolen)).toEqual(["declined"]);
  });
});

/** The next step in the event of each declined charge, in the fields that an earlier version reads too. */
async function declines(hash: string) {
  const events = world.bff.database.db.selectFrom("events").select("payload").where("kind", "=", "collection.declined");
  const found = await events.where("order_id", "=", clinic.key(hash).orderId).execute();
  return found.map(({ payload }) => {
    const { next, due_at, next_try_at } = payload as Record<string, unknown>;
    return { next, due_at, next_try_at };
  });
}

/** The subject of the mail about a declined charge. */
const DECLINED = "No pudimos hacer el segundo cobro";

describe("a charge without an answer", () => {
  test("is settled by inquiry, and made once", async () => {
    const hash = await paidOrder();
    await clinic.fault("card-processor", "charge", "fail_after");
    await clinic.approve(hash);
    await world.bff.runDue();
    expect(await clinic.collectionStatus(hash)).toBe("processing approved");
    await advance(15_000);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
    expect(await laterCharges(hash)).toEqual([30_800]);
  });

  test("is made if it never arrived", async () => {
    const hash = await paidOrder();
    await clinic.fault("card-processor", "charge", "fail_before", 2);
    await clinic.approve(hash);
    await advance(5 * 60_000);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
    expect(await laterCharges(hash)).toEqual([30_800]);
  });

  test("is made days later if it never arrived, and the next try follows at least 24 hours later", async () => {
    const hash = await paidOrder(LATER.declined);
    await clinic.approve(hash);
    await advance(42 * HOUR_MS - 1_000);
    await clinic.fault("card-processor", "charge", "fail_before");
    await advance(1_000);
    await clinic.fault("card-processor", "inquireCharge", "fail_before", 1_000);
    await advance(3 * DAY_MS);
    await clinic.fault("card-processor", "inquireCharge", "fail_before", 0);
    await advance(8 * DAY_MS);
    const { rows } = await sql<{ at: Date }>`
      select coalesce(called_at, started_at) as at from collection_attempts
      where order_id = ${clinic.key(hash).orderId} and state = 'declined' order by 1`.execute(world.bff.database.db);
    const moments = rows.map(({ at }) => new Date(at).getTime());
    const distances = moments.slice(1).map((at, index) => (at - (moments[index] ?? 0)) / HOUR_MS);
    expect(distances.length).toBeGreaterThan(1);
    // Each charge has its own count of inquiries.
    const [heard, unheard] = (await clinic.collection(hash)).attempts;
    expect([heard?.inquiries, present(unheard).inquiries > 1]).toEqual([0, true]);
    expect(Math.min(...distances)).toBeGreaterThanOrEqual(24);
  });

  test("is not made if it never arrived and everything was refunded meanwhile", async () => {
    const hash = await paidOrder();
    await clinic.fault("card-processor", "charge", "fail_before", 2);
    await clinic.approve(hash);
    await world.bff.runDue();
    expect((await clinic.refund(hash)).body.refund.status).toBe("processing");
    await advance(2 * HOUR_MS);
    expect(await laterCharges(hash)).toEqual([]);
    expect(await clinic.tries(hash)).toEqual(["failed"]);
    expect(await clinic.read(hash)).toMatchObject({ status: "refunded", captured_amount: 12_000 });
    expect(await clinic.collectionStatus(hash)).toBe("cancelled approved");
    expect([await loanEnds(hash), await timersLeft(hash)]).toEqual([["refunded"], []]);
  });

  test("is reduced by a partial refund if it never arrived, and the debit card returns nothing", async () => {
    const hash = await paidOrder(LATER.debit);
    await clinic.fault("card-processor", "charge", "fail_before");
    await clinic.approve(hash);
    await world.bff.runDue();
    expect((await clinic.refund(hash, { amount: 10_000 })).body.refund.status).toBe("processing");
    await advance(2 * HOUR_MS);
    expect((await clinic.read(hash)).refunds).toMatchObject([{ status: "succeeded", amount: 10_000 }]);
    expect(await laterCharges(hash)).toEqual([18_000 + 2_100]);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
  });

  test("is made if it never arrived, although a partial refund waits for the lender", async () => {
    const hash = await paidOrder();
    const lost = { kind: "fail_before", calls: 1 } as const;
    await inTransaction(world.bff.database.db, (tx) =>
      replaceFaults(tx, clinic.clinic.provider.id, [
        { party: "financing-provider", method: "reduceLoan", ...lost, calls: 100 },
        { party: "card-processor", method: "charge", ...lost },
      ]),
    );
    expect((await clinic.refund(hash, { amount: 10_000 })).body.refund.status).toBe("processing");
    await clinic.approve(hash);
    await advance(MINUTE_MS);
    expect(await clinic.tries(hash)).toEqual(["captured"]);
  });

  test("is not made over a chargeback if it never arrived, and does not count as a try", async () => {
    const hash = await paidOrder();
    await clinic.fault("card-processor", "charge", "fail_before", 14);
    await clinic.approve(hash);
    await world.bff.runDue();
    await noteChargedBack(hash);
    await advance(DAY_MS);
    expect(await laterCharges(hash)).toEqual([]);
    expect((await clinic.read(hash)).collection).toMatchObject({ status: "failed" });
    expect(await clinic.mails()).not.toContain("No pudimos hacer el segundo cobro");
    await clinic.fault("card-processor", "charge", "fail_before", 0);
    await inTransaction(world.bff.database.db, (tx) => releaseCollection(tx, clinic.resolving(), clinic.key(hash)));
    await advance(DAY_MS - 1_000);
    expect(await laterCharges(hash)).toEqual([]);
    await advance(1_000);
    expect(await laterCharges(hash)).toEqual([30_800]);
  });

  test("is skipped by a waiting refund if the bank took it back before its answer", async () => {
    const hash = await paidOrder();
    await clinic.fault("card-processor", "charge", "fail_after");
    await clinic.approve(hash);
    await world.bff.runDue();
    const chargeId = await noteChargedBack(hash, "later");
    expect((await clinic.refund(hash, { amount: 12_000 })).body.refund.status).toBe("processing");
    await advance(HOUR_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
    expect((await clinic.read(hash)).refunds).toMatchObject([{ status: "succeeded", amount: 12_000 }]);
    const returns = world.bff.database.db.selectFrom("sandbox_movements").select(["charge_id", "amount"]);
    const given = await returns
      .where("kind", "=", "return")
      .where("order_hash", "=", clinic.key(hash).orderId)
      .execute();
    expect(given.filter(({ charge_id }) => charge_id === chargeId)).toEqual([]);
    expect(given.reduce((sum, { amount }) => sum + amount, 0)).toBe(12_000);
  });

  test("is made by one of two workers that inquire at the same time", async () => {
    const hash = await paidOrder();
    await clinic.fault("card-processor", "charge", "fail_before");
    await clinic.approve(hash);
    await world.bff.runDue();
    world.bff.clock.advance(MINUTE_MS);
    const { db } = world.bff.database;
    const [attempt] = (await clinic.collection(hash)).attempts;
    const askedAt = now();
    const decide = () =>
      inTransaction(db, async (tx) => {
        const opened = await takeUpAttempt(tx, world.collection, clinic.key(hash), present(attempt).id);
        if (opened.outcome !== "charge") throw new Error("It must be open.");
        return retryDecision(tx, world.collection, opened.charge, askedAt);
      });
    expect([await decide(), await decide()]).toEqual(["call", "inquire_later"]);
  });

  test("is not made at night or unannounced on another day if it never arrived", async () => {
    const hash = await paidOrder();
    await clinic.fault("card-processor", "charge", "fail_before", 14);
    await clinic.approve(hash);
    await advance(17 * HOUR_MS);
    expect(await laterCharges(hash)).toEqual([]);
    const tomorrow = addCalendarDays(santiagoDay(now()), 1);
    expect(await clinic.dueAt(hash)).toBe(santiagoMoment(tomorrow, 9).toISOString());
    expect(await clinic.mails()).toContain(`El ${dayInWords(tomorrow, "es-CL")} haremos el segundo cobro`);
    await advance(DAY_MS);
    expect(await laterCharges(hash)).toEqual([]);
    await advance(2 * HOUR_MS);
    expect(await laterCharges(hash)).toEqual([30_800]);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
  });

  test("is made with the patient's new card if it never arrived", async () => {
    const hash = await paidOrder(LATER.declined);
    await clinic.fault("card-processor", "charge", "fail_before", 2);
    await clinic.approve(hash);
    await world.bff.runDue();
    await clinic.giveCard(hash, LATER.captured);
    expect(await clinic.collectionStatus(hash)).toBe("processing approved");
    await advance(HOUR_MS);
    expect(await clinic.tries(hash)).toEqual(["failed", "captured"]);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
  });

  test("is made once if the worker dies after it", async () => {
    const hash = await paidOrder();
    await clinic.fault("card-processor", "charge", "kill_after");
    await clinic.approve(hash);
    await world.bff.runDue();
    expect(await clinic.collectionStatus(hash)).toBe("processing approved");
    await advance(10 * 60_000);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
    expect(await laterCharges(hash)).toEqual([30_800]);
  });
});

describe("a refund and the collection", () => {
  test("end with nothing collected after a full refund", async () => {
    const hash = await paidOrder();
    await advance(10 * DAY_MS);
    expect((await clinic.refund(hash)).body.status).toBe("refunded");
    await world.bff.runDue();
    expect(await timersLeft(hash)).toEqual([]);
    await advance(40 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("cancelled null");
    expect(await laterCharges(hash)).toEqual([]);
  });

  test("end if one refund fails and another has left nothing to charge", async () => {
    const hash = await paidOrder(RETURN_REFUSED.pending);
    await clinic.fault("financing-provider", "reduceLoan", "fail_before");
    const both = [await clinic.refund(hash, { amount: 28_000 }), await clinic.refund(hash, { amount: 5_000 })];
    expect(both.map(({ body }) => body.refund.status)).toEqual(["processing", "processing"]);
    const { db } = world.bff.database;
    const { orderId } = clinic.key(hash);
    const stored = async () =>
      (await db.selectFrom("collections").select("state").where("order_id", "=", orderId).executeTakeFirstOrThrow())
        .state;
    await advance(HOUR_MS);
    expect((await clinic.read(hash)).refunds?.map(({ status }) => status)).toEqual(["succeeded", "processing"]);
    expect(await stored()).toBe("scheduled");
    await advance(3 * DAY_MS);
    expect((await clinic.read(hash)).refunds?.map(({ status }) => status)).toEqual(["succeeded", "failed"]);
    expect([await stored(), await clinic.collectionStatus(hash)]).toEqual(["cancelled", "cancelled null"]);
    const loans = db.selectFrom("sandbox_loans").select("reported_end").where("order_hash", "=", orderId);
    expect((await loans.executeTakeFirstOrThrow()).reported_end).toBe("refunded");
  });

  test("end with nothing collected if the refund's event comes before the payment's", async () => {
    const hash = await clinic.paidOrder({ card: LATER.captured });
    expect((await clinic.refund(hash)).body.status).toBe("refunded");
    const { db } = world.bff.database;
    const { orderId } = clinic.key(hash);
    const paid = db.selectFrom("events").select(sql<string>`id::text`.as("id")).where("order_id", "=", orderId);
    const later = new Date(now().getTime() + HOUR_MS);
    await db
      .updateTable("timers")
      .set({ due_at: later })
      .where("key", "in", paid.where("kind", "=", "order.paid"))
      .execute();
    await world.bff.runDue();
    await advance(2 * HOUR_MS);
    expect(await clinic.collectionStatus(hash)).toBe("cancelled null");
    expect(await clinic.dueAt(hash)).toBe(null);
  });

  test("collect the remainder after a partial refund, with the commission on the remainder", async () => {
    const hash = await paidOrder();
    await clinic.refund(hash, { amount: 10_000 });
    await advance(46 * DAY_MS);
    expect(await laterCharges(hash)).toEqual([18_000 + 2_100]);
  });

  test("collect nothing after a refund of exactly the deferred part", async () => {
    const hash = await paidOrder();
    await clinic.refund(hash, { amount: 28_000 });
    await advance(46 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("cancelled null");
    expect(await laterCharges(hash)).toEqual([]);
  });

  test("wait for each other: a refund during an unresolved charge is taken from that charge", async () => {
    const hash = await paidOrder();
    await clinic.fault("card-processor", "charge", "fail_after");
    await clinic.approve(hash);
    await world.bff.runDue();
    const { refund } = (await clinic.refund(hash)).body;
    expect(refund.status).toBe("processing");
    await advance(2 * HOUR_MS);
    const shown = await clinic.read(hash);
    expect(shown).toMatchObject({ status: "refunded", refunded_amount: 40_000, captured_amount: 42_800 });
    expect(shown.payments.map(({ returned_amount }) => returned_amount)).toEqual([12_000, 30_800]);
    expect(shown.collection?.status).toBe("collected");
  });
});

test("a refund's mail reports the running charge of the rest, and does not say that charges have ended", async () => {
  const hash = await paidOrder();
  const faults = [
    { party: "financing-provider", method: "reduceLoan", kind: "fail_after", calls: 1 },
    { party: "card-processor", method: "charge", kind: "fail_after", calls: 1 },
    { party: "card-processor", method: "inquireCharge", kind: "fail_before", calls: 100 },
  ] as const;
  const { id } = clinic.clinic.provider;
  await inTransaction(world.bff.database.db, (tx) => replaceFaults(tx, id, faults));
  expect((await clinic.refund(hash, { amount: 10_000 })).body.refund.status).toBe("processing");
  await clinic.approve(hash);
  await world.bff.runDue();
  await advance(2 * HOUR_MS);
  expect(await clinic.collectionStatus(hash)).toBe("processing approved");
  const [mail] = await clinic.mailTexts(`Devolución de tu pago en ${clinic.clinic.provider.name}`);
  expect(mail).toContain("El segundo cobro está en curso: te avisaremos cómo termina.");
  expect(mail).not.toContain("no habrá más cobros");
  await inTransaction(world.bff.database.db, (tx) => replaceFaults(tx, id, []));
  await advance(DAY_MS);
  expect(await clinic.collectionStatus(hash)).toBe("collected approved");
});

test("an approval during a block of the patient's data is announced only after the block", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.neverAnswered);
  const { db } = world.bff.database;
  const rut = parseRut(PATIENTS.neverAnswered);
  const patient = present(await findBeneficiary(db, { tenant: tenantOf(clinic.clinic.provider), rut }));
  await inTransaction(db, (tx) => block(tx, patient, now()));
  await clinic.approve(hash);
  await inTransaction(db, (tx) => unblock(tx, patient));
  await advance(2 * HOUR_MS);
  expect(await clinic.tries(hash)).toEqual([]);
  expect((await clinic.mails()).filter((subject) => subject.endsWith("haremos el segundo cobro"))).toHaveLength(1);
  await advance(2 * DAY_MS);
  expect(await clinic.collectionStatus(hash)).toBe("collected approved");
});

test("a full refund and a concurrent charge leave no money with us, whichever comes first", async () => {
  const hashes: string[] = [];
  for (let count = 0; count < 12; count += 1) hashes.push(await paidOrder());
  for (const hash of hashes) await clinic.approve(hash);
  await Promise.all([...hashes.map((hash) => clinic.refund(hash)), world.bff.runDue()]);
  await advance(3 * HOUR_MS);
  const { cardProcessor } = clinic.sandbox;
  const always = [new Date("2026-01-01"), new Date("2100-01-01")] as const;
  const movements = await cardProcessor.listMovements(clinic.clinic.provider.id, ...always);
  for (const hash of hashes) {
    const own = movements.filter(({ orderHash: orderId }) => orderId === hash);
    const kept = own.reduce((sum, { kind, amount }) => sum + (kind === "charge" ? amount : -amount), 0);
    expect(kept, `the rest of ${hash} at the processor`).toBe(0);
    const order = await clinic.order(hash);
    expect(order.deferredCancelled + order.deferredCollected).toBeLessThanOrEqual(order.deferred);
    expect((await clinic.read(hash)).status).toBe("refunded");
    expect(["cancelled approved", "collected approved"]).toContain(await clinic.collectionStatus(hash));
  }
});

/** Compares with the checkout's summary: words.summary.latePayment, .triggerLatest and .earlyPayment of the widget. */
describe("the checkout's summary of the later charge holds", () => {
  /** The later charge with its commission, and its last day, as the summary shows them. */
  async function shown(hash: string) {
    const { plan } = await clinic.read(hash);
    const { amount, latest_due_date } = plan.data.installments[1];
    return { later: amount + plan.data.commission.amount, latest: latest_due_date };
  }

  test("late: it is retried as often as stated, within the stated days, announced each time, and never grows", async () => {
    const hash = await paidOrder(LATER.declined);
    const { later } = await shown(hash);
    await clinic.approve(hash);
    await advance(30 * DAY_MS);
    const tries = (await clinic.order(hash)).payments.filter(({ kind }) => kind === "deferred");
    expect(tries).toHaveLength(CHARGE_TRIES_MAX);
    expect(new Set(tries.map(({ amount }) => amount))).toEqual(new Set([later]));
    const [first, last] = [tries[0]?.createdAt, tries.at(-1)?.createdAt];
    expect((last?.getTime() ?? 0) - (first?.getTime() ?? 0)).toBeLessThanOrEqual(CHARGE_TRIES_WINDOW_DAYS * DAY_MS);
    const mails = await clinic.mailTexts("No pudimos hacer el segundo cobro");
    expect(mails).toHaveLength(CHARGE_TRIES_MAX);
    for (const mail of mails) expect(mail).toContain(formatClp(clp(later)));
    expect(mails.at(-1)).toContain("el monto sigue pendiente. Para pagarlo, ingresa otra tarjeta");
    await clinic.giveCard(hash, LATER.captured);
    await advance(2 * DAY_MS);
    expect(await laterCharges(hash)).toEqual([later]);
  });

  test.each([
    ["refused", PATIENTS.rejected],
    ["did not answer", PATIENTS.neverAnswered],
  ])("latest: an isapre that %s leaves the charge to the shown day", async (_case, rut) => {
    const hash = await clinic.claimedOrder(rut);
    const { later, latest } = await shown(hash);
    await advance(santiagoMoment(latest).getTime() - now().getTime() - 1);
    expect(await laterCharges(hash)).toEqual([]);
    await advance(DAY_MS);
    expect(await laterCharges(hash)).toEqual([later]);
    expect(await clinic.collectionStatus(hash)).toBe("collected day_45");
  });

  test("early: the commission is the same", async () => {
    const hash = await paidOrder();
    const { later } = await shown(hash);
    await payEarly(world.collection, { provider: clinic.clinic.provider, key: clinic.key(hash), now: now() });
    expect(await laterCharges(hash)).toEqual([later]);
  });
});

describe("a patient who pays early", () => {
  const early = (hash: string) => ({ provider: clinic.clinic.provider, key: clinic.key(hash) });
  const pay = (hash: string) => payEarly(world.collection, { ...early(hash), now: now() });

  /** The patient asks to pay and answers the issuer's challenge, but has not come back yet. */
  async function confirm(hash: string, choice: "approve" | "reject" = "approve"): Promise<void> {
    const asked = await pay(hash);
    if (asked.outcome !== "requires_action") throw new Error("The issuer must challenge.");
    await clinic.press(asked.challenge.url, choice);
  }

  /** The timer that inquires about a charge. */
  const timerOf = (hash: string, attemptId: string) => claimed(hash, { kind: SETTLE_EARLY_TIMER, key: attemptId });

  test("is charged at once, at any hour, and never again", async () => {
    const hash = await paidOrder();
    await advance(10 * HOUR_MS);
    expect(await pay(hash)).toEqual({ outcome: "collected" });
    expect(await pay(hash)).toEqual({ outcome: "collected" });
    // No timer waits for day 45 or for a missing answer any more.
    expect(await timersLeft(hash)).toEqual(["collection.report_loan"]);
    await advance(46 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected paid_early");
    expect(await laterCharges(hash)).toEqual([30_800]);
  });

  test("is charged after the issuer's challenge, even after starting to give another card meanwhile", async () => {
    const hash = await paidOrder(LATER.challenged);
    await confirm(hash);
    expect((await clinic.giveCard(hash, CARDS.challenge)).outcome).toBe("requires_action");
    expect(await inquireEarly(world.collection, early(hash))).toEqual({ outcome: "collected" });
  });

  test.each(["authenticate", "charge"] as const)("is answered in time, and charged once, if %s hangs", async (name) => {
    const hash = await paidOrder();
    const { cardProcessor } = world.collection;
    const [charge, authenticate] = [held(cardProcessor.charge), held(cardProcessor.authenticate)];
    const { waits, goOn } = { charge, authenticate }[name];
    const waiting = { ...world.collection, cardProcessor: { ...cardProcessor, [name]: waits }, answerWithinMs: 20 };
    expect(await payEarly(waiting, { ...early(hash), now: now() })).toEqual({ outcome: "processing" });
    expect(await pay(hash)).toEqual({ outcome: "processing" });
    goOn.open();
    await world.collection.background.idle();
    expect(await inquireEarly(world.collection, early(hash))).toEqual({ outcome: "collected" });
    expect(await laterCharges(hash)).toEqual([30_800]);
  });

  test("is charged once for many presses, even during the day's charge", async () => {
    const hash = await paidOrder();
    await clinic.approve(hash);
    const outcomes = await Promise.all([pay(hash), pay(hash), world.bff.runDue(), pay(hash)]);
    expect(outcomes).toHaveLength(4);
    await advance(HOUR_MS);
    expect(await laterCharges(hash)).toEqual([30_800]);
    expect(await clinic.collectionStatus(hash)).toMatch(/^collected /);
  });

  test("owes the same amount at the same time after a decline", async () => {
    const hash = await paidOrder(LATER.declined);
    const due = await clinic.dueAt(hash);
    expect(await pay(hash)).toEqual({ outcome: "declined", reason: "declined" });
    expect(await clinic.collectionStatus(hash)).toBe("scheduled null");
    expect(await clinic.dueAt(hash)).toBe(due);
  });

  test("is notified after a decline that the due date stays the same", async () => {
    const hash = await paidOrder(LATER.declined);
    await pay(hash);
    await world.bff.runDue();
    const [mail] = await clinic.mailTexts(DECLINED);
    expect(mail).toContain("a más tardar el");
    expect(mail).toContain(dayInWords(santiagoDay(new Date((await clinic.dueAt(hash)) ?? "")), "es-CL"));
    expect(mail).not.toContain("No lo intentaremos");
    const dueAt = await clinic.dueAt(hash);
    expect(await declines(hash)).toEqual([{ next: "as_before", due_at: dueAt, next_try_at: null }]);
    await advance(46 * DAY_MS);
    expect(await clinic.tries(hash)).toHaveLength(2);
  });

  test("is notified that a card that will never work is not charged again", async () => {
    const hash = await paidOrder(LATER.stolen);
    await pay(hash);
    await world.bff.runDue();
    expect(await clinic.mailTexts(DECLINED)).toEqual([expect.stringContaining("No lo intentaremos de nuevo con esta")]);
    await advance(46 * DAY_MS);
    expect(await clinic.tries(hash)).toEqual(["declined"]);
  });

  test("is charged once if the answer is lost", async () => {
    const hash = await paidOrder();
    await clinic.fault("card-processor", "charge", "fail_after");
    expect(await pay(hash)).toEqual({ outcome: "processing" });
    await advance(60_000);
    expect(await pay(hash)).toEqual({ outcome: "collected" });
    expect(await laterCharges(hash)).toEqual([30_800]);
  });

  test("has an unanswered charge settled only by the timer of that charge", async () => {
    const hash = await paidOrder(LATER.declined);
    expect(await pay(hash)).toEqual({ outcome: "declined", reason: "declined" });
    await clinic.fault("card-processor", "charge", "fail_after");
    expect(await pay(hash)).toEqual({ outcome: "processing" });
    const { attempts } = await clinic.collection(hash);
    const settle = (state: "declined" | "charging") => {
      const { id } = present(attempts.find((attempt) => attempt.state === state));
      return settleEarlyPayment(world.collection, timerOf(hash, id));
    };
    expect([await settle("declined"), await clinic.collectionStatus(hash)]).toEqual(["done", "processing null"]);
    expect([await settle("charging"), await clinic.collectionStatus(hash)]).toEqual(["done", "scheduled null"]);
  });

  test("is not charged long after leaving if the charge never arrived", async () => {
    const hash = await paidOrder();
    const due = await clinic.dueAt(hash);
    await clinic.fault("card-processor", "charge", "fail_before", 5);
    expect(await pay(hash)).toEqual({ outcome: "processing" });
    await advance(3 * DAY_MS);
    expect(await laterCharges(hash)).toEqual([]);
    expect([await clinic.collectionStatus(hash), await clinic.dueAt(hash)]).toEqual(["scheduled null", due]);
    expect(await inquireEarly(world.collection, early(hash))).toEqual({ outcome: "none" });
    expect(await pay(hash)).toEqual({ outcome: "collected" });
  });

  test("is charged after confirming while the issuer's page is still open, however late", async () => {
    const hash = await paidOrder();
    await challengeFor(hash);
    await clinic.fault("card-processor", "authenticate", "fail_before", 100);
    expect(await pay(hash)).toEqual({ outcome: "processing" });
    await advance(10 * MINUTE_MS);
    await clinic.fault("card-processor", "authenticate", "fail_before", 0);
    await advance(6 * MINUTE_MS);
    const asked = await inquireEarly(world.collection, early(hash));
    if (asked.outcome !== "requires_action") throw new Error(`The outcome is ${asked.outcome}.`);
    await clinic.press(asked.challenge.url, "approve");
    expect(await inquireEarly(world.collection, early(hash))).toEqual({ outcome: "collected" });
  });

  test("has exactly fifteen minutes to return from the issuer", async () => {
    const [soon, late] = [await paidOrder(LATER.challenged), await paidOrder(LATER.challenged)];
    for (const hash of [soon, late]) await confirm(hash);
    const patience = 15 * MINUTE_MS;
    world.bff.clock.advance(patience - 1);
    expect(await inquireEarly(world.collection, early(soon))).toEqual({ outcome: "collected" });
    world.bff.clock.advance(1);
    expect(await inquireEarly(world.collection, early(late))).toEqual({ outcome: "none" });
  });

  test("is charged within exactly fifteen minutes if the charge never arrived, and not later", async () => {
    const [soon, late] = [await paidOrder(), await paidOrder()];
    await clinic.fault("card-processor", "charge", "fail_before", 2);
    for (const hash of [soon, late]) expect(await pay(hash)).toEqual({ outcome: "processing" });
    const settle = async (hash: string) => {
      const [attempt] = (await clinic.collection(hash)).attempts;
      await settleEarlyPayment(world.collection, timerOf(hash, present(attempt).id));
      return clinic.collectionStatus(hash);
    };
    world.bff.clock.advance(15 * MINUTE_MS - 1);
    expect(await settle(soon)).toBe("collected paid_early");
    world.bff.clock.advance(1);
    expect(await settle(late)).toBe("scheduled null");
  });

  test("is charged no more than the confirmed amount", async () => {
    const hash = await paidOrder(LATER.challenged);
    await confirm(hash);
    const asked = world.bff.database.db.updateTable("card_attempts").set({ amount: 30_799 });
    await asked.where("order_id", "=", clinic.key(hash).orderId).execute();
    expect(await inquireEarly(world.collection, early(hash))).toEqual({ outcome: "none" });
    expect(await clinic.tries(hash)).toEqual([]);
  });

  test("is notified of the issuer's refusal, not of the earlier declined charge", async () => {
    const hash = await paidOrder(LATER.declined);
    await clinic.approve(hash);
    await world.bff.runDue();
    await challengeFor(hash);
    await confirm(hash, "reject");
    expect(await inquireEarly(world.collection, early(hash))).toEqual({
      outcome: "declined",
      reason: "authentication_failed",
    });
  });

  test("has nothing to pay after a refund or a write-off", async () => {
    const [refunded, givenUp] = [await paidOrder(), await paidOrder(LATER.stolen)];
    await clinic.approve(givenUp);
    await clinic.refund(refunded);
    await world.bff.runDue();
    await inTransaction(world.bff.database.db, (tx) => writeOffCollection(tx, clinic.resolving(), clinic.key(givenUp)));
    // The event of the payment starts its collection.
    const unprocessed = await clinic.paidOrder();
    for (const hash of [refunded, givenUp, unprocessed]) {
      expect(await pay(hash)).toEqual({ outcome: "nothing_due" });
      expect(await inquireEarly(world.collection, early(hash))).toEqual({ outcome: "nothing_due" });
    }
  });

  test("is challenged for one order without effect on another", async () => {
    const [asked, other] = [await paidOrder(), await paidOrder()];
    await challengeFor(asked);
    expect(await pay(asked)).toMatchObject({ outcome: "requires_action" });
    expect(await inquireEarly(world.collection, early(other))).toEqual({ outcome: "none" });
    expect(await pay(other)).toEqual({ outcome: "collected" });
  });
});

describe("a charge whose decline arrives late", () => {
  const declinedUnheard = async () => {
    const hash = await paidOrder(LATER.declined);
    await clinic.fault("card-processor", "charge", "fail_after");
    await clinic.approve(hash);
    await world.bff.runDue();
    return hash;
  };

  test("is reported without a promise during a chargeback, and retried once an operator releases the collection", async () => {
    const hash = await declinedUnheard();
    await noteChargedBack(hash);
    await advance(60_000);
    const mails = await clinic.mailTexts(DECLINED);
    expect(mails).toEqual([expect.stringContaining("Si lo intentamos de nuevo, te avisaremos al menos el día antes.")]);
    await inTransaction(world.bff.database.db, (tx) => releaseCollection(tx, clinic.resolving(), clinic.key(hash)));
    await advance(2 * DAY_MS);
    expect(await clinic.tries(hash)).toHaveLength(2);
  });

  test("is reported as final during a chargeback if its card will never work", async () => {
    const hash = await paidOrder(LATER.stolen);
    await clinic.fault("card-processor", "charge", "fail_after");
    await clinic.approve(hash);
    await world.bff.runDue();
    await noteChargedBack(hash);
    await advance(60_000);
    expect(await clinic.mailTexts(DECLINED)).toEqual([expect.stringContaining("No lo intentaremos de nuevo con esta")]);
  });

  test("fails the refund that waited for it during a chargeback, with one event", async () => {
    const hash = await declinedUnheard();
    const refund = await clinic.refund(hash);
    expect([refund.status, refund.body.refund.status]).toEqual([200, "processing"]);
    await noteChargedBack(hash);
    await advance(2 * DAY_MS);
    expect((await clinic.read(hash)).refunds).toMatchObject([{ status: "failed" }]);
    const { body } = await world.bff.callSpotApi(webhookEndpoints.listEvents, { as: clinic.clinic });
    const ofOrder = body.events.filter(({ event }: { readonly event: string }) => event.startsWith("order."));
    expect(ofOrder).toMatchObject([
      { event: "order.paid" },
      { event: "order.refund_failed", order_hash: hash, status: "paid", refund_id: refund.body.refund.id },
    ]);
  });

  test("announces no next try during a full refund, because none follows", async () => {
    const hash = await declinedUnheard();
    expect((await clinic.refund(hash)).body.refund.status).toBe("processing");
    await clinic.fault("financing-provider", "reduceLoan", "fail_before", 5);
    await advance(60_000);
    const mails = await clinic.mailTexts(DECLINED);
    expect(mails).toEqual([expect.not.stringContaining("Lo intentaremos de nuevo el")]);
    await advance(3 * DAY_MS);
    expect(await clinic.tries(hash)).toEqual(["declined"]);
    expect([await loanEnds(hash), await timersLeft(hash)]).toEqual([["refunded"], []]);
  });
});

/** The patient's bank takes a charge back at a time of the processor's clock. Returns that charge. */
async function chargedBack(hash: string, at: Date, which: "first" | "later" = "first") {
  const { db } = world.bff.database;
  const { orderId } = clinic.key(hash);
  const first = await db
    .selectFrom("sandbox_movements")
    .selectAll()
    .where("order_hash", "=", orderId)
    .where("idempotency_key", which === "later" ? "like" : "not like", "%:collection")
    .executeTakeFirstOrThrow();
  await db
    .insertInto("sandbox_movements")
    .values({
      ...first,
      id: `chargeback of ${first.id}`,
      kind: "chargeback",
      idempotency_key: `none of ${first.id}`,
      at,
    })
    .execute();
  return first;
}

/** The same as `chargedBack`, reported to the service at once. Returns the charge's id. */
async function noteChargedBack(hash: string, which?: "later"): Promise<string> {
  const { id, charge_id: chargeId, amount } = await chargedBack(hash, now(), which);
  const chargeback = { ...clinic.key(hash), id: `chargeback of ${id}`, chargeId, amount: clp(amount), at: now() };
  expect(await inTransaction(world.bff.database.db, (tx) => noteChargeback(tx, systemIds, chargeback, now()))).toBe(
    true,
  );
  return chargeId;
}

describe("a chargeback", () => {
  test("is not recovered from the clinic if its charge was already refunded", async () => {
    const hash = await paidOrder();
    await clinic.refund(hash);
    await noteChargedBack(hash);
    const { db } = world.bff.database;
    const before = await rowsOfOrder(db, clinic.key(hash).orderId);
    const recovered = inTransaction(db, (tx) => recoverFromClinic(tx, clinic.resolving(), clinic.key(hash)));
    await expect(recovered).rejects.toMatchObject({ code: "nothing_to_recover" });
    expect(await rowsOfOrder(db, clinic.key(hash).orderId)).toEqual(before);
  });

  test("is returned once if it is older than the answer to the patient's charge, even by a refund", async () => {
    const hash = await clinic.readyOrder({ card: LATER.captured });
    await clinic.fault("card-processor", "charge", "fail_after");
    expect((await clinic.pay(hash)).body.payment).toEqual({ status: "processing", waits_for: "bank" });
    const chargeId = await noteChargedBack(hash);
    await advance(HOUR_MS);
    expect((await clinic.read(hash)).status).toBe("paid");
    const refused = await clinic.refund(hash);
    expect([refused.status, refused.body.reason]).toEqual([400, "charge_disputed"]);
    expect((await clinic.refund(hash, { amount: 28_000 })).body.refund.status).toBe("succeeded");
    const returned = await world.bff.database.db
      .selectFrom("sandbox_movements")
      .select(["amount"])
      .where("kind", "=", "return")
      .where("charge_id", "=", chargeId)
      .execute();
    expect(returned).toEqual([]);
  });

  test("is found even if it is older than the payment that started the first sync", async () => {
    // Either the processor's clock is behind ours, or this payment was reported long after it was made.
    const hash = await paidOrder();
    await chargedBack(hash, new Date(now().getTime() - 3 * DAY_MS));
    await advance(DAY_MS);
    expect((await clinic.read(hash)).collection).toMatchObject({ status: "failed" });
  });

  test("on the processor's list stops the collection until an operator releases it", async () => {
    const hash = await paidOrder();
    const { orderId, providerId } = clinic.key(hash);
    const first = await chargedBack(hash, now());
    await advance(46 * DAY_MS);
    expect(await laterCharges(hash)).toEqual([]);
    expect((await clinic.read(hash)).collection).toMatchObject({ status: "failed", reason: "day_45" });
    const known = { providerId, orderId, id: `chargeback of ${first.id}`, chargeId: first.charge_id, amount: clp(1) };
    expect(
      await inTransaction(world.bff.database.db, (tx) => noteChargeback(tx, systemIds, { ...known, at: now() }, now())),
    ).toBe(false);
    await release(hash);
    await advance(4 * DAY_MS);
    expect(await laterCharges(hash)).toEqual([30_800]);
  });

  test("counts as handled by the operator after a write-off", async () => {
    const hash = await paidOrder();
    await noteChargedBack(hash);
    const { db } = world.bff.database;
    await inTransaction(db, (tx) => writeOffCollection(tx, clinic.resolving(), clinic.key(hash)));
    const noted = db.selectFrom("chargebacks").select("released_at").where("order_id", "=", clinic.key(hash).orderId);
    expect(await noted.execute()).toEqual([{ released_at: now() }]);
  });

  test("affects only its own charge, and is released, won or lost once, whatever happens later", async () => {
    const hash = await paidOrder();
    await clinic.approve(hash);
    await world.bff.runDue();
    const { db } = world.bff.database;
    const [first, later] = (await clinic.order(hash)).payments;
    const noted = (charge: typeof first, id: string) => {
      const { chargeId, amount = clp(0) } = charge ?? {};
      const chargeback = { ...clinic.key(hash), id, chargeId: chargeId ?? "", amount, at: now() };
      return inTransaction(db, (tx) => noteChargeback(tx, systemIds, chargeback, now()));
    };
    const win = () => inTransaction(db, (tx) => winOrdersChargebacks(tx, clinic.resolving(), clinic.key(hash)));
    const acknowledge = () =>
      inTransaction(db, (tx) => acknowledgeChargebacks(tx, clinic.resolving(), clinic.key(hash)));
    const disputed = async () => (await clinic.order(hash)).payments.map((one) => [one.disputed, one.lost]);
    const ended = () => settledChargebacks(db, clinic.clinic.provider.id);
    await noted(first, "won");
    expect(await ended()).toEqual(new Set());
    expect(await disputed()).toEqual([
      [12_000, 0],
      [0, 0],
    ]);
    await win();
    await acknowledge();
    const wonAt = now();
    world.bff.clock.advance(DAY_MS);
    await noted(later, "lost");
    await inTransaction(db, (tx) => loseOrdersChargebacks(tx, clinic.resolving(), clinic.key(hash)));
    const lostAt = now();
    world.bff.clock.advance(DAY_MS);
    await win();
    await acknowledge();
    expect(await disputed()).toEqual([
      [0, 0],
      [30_800, 30_800],
    ]);
    expect(await ended()).toEqual(new Set(["lost", "won"]));
    expect(await settledChargebacks(db, (await world.newClinic()).clinic.provider.id)).toEqual(new Set());
    const rows = db.selectFrom("chargebacks").select(["id", "won_at", "lost_at", "released_at"]);
    expect(await rows.where("order_id", "=", clinic.key(hash).orderId).orderBy("id").execute()).toEqual([
      { id: "lost", won_at: null, lost_at: lostAt, released_at: now() },
      { id: "won", won_at: wonAt, lost_at: null, released_at: wonAt },
    ]);
  });
});

describe("the exceptions of a chargeback", () => {
  /** These tests do not concern the missing receipt. */
  const shown = async () => (await clinic.exceptions()).filter(({ kind }) => kind !== "receipt_missing");
  const noted = (hash: string, id: string, amount: number) => {
    const chargeback = { ...clinic.key(hash), id, chargeId: `charge of ${hash}`, amount: clp(amount), at: now() };
    return inTransaction(world.bff.database.db, (tx) => noteChargeback(tx, systemIds, chargeback, now()));
  };

  test("belong to its order, have the whole amount, and date from the last chargeback", async () => {
    const [stopped, twice, failed] = [await paidOrder(), await paidOrder(), await paidOrder(LATER.stolen)];
    await clinic.approve(failed);
    await world.bff.runDue();
    const since = now();
    world.bff.clock.advance(HOUR_MS);
    await noted(stopped, "1", 5);
    await noted(twice, "2", 7);
    await noted(failed, "3", 11);
    const first = now();
    world.bff.clock.advance(HOUR_MS);
    await noted(twice, "4", 9);
    const found = (await shown()).map((one) => [one.kind, one.orderId, one.facts.amount, one.since]);
    const expected = [
      ["collection_stopped", stopped, 5, first],
      ["collection_stopped", twice, 16, now()],
      ["collection_failed", failed, undefined, since],
      ["chargeback", failed, 11, first],
    ];
    expect(found).toHaveLength(expected.length);
    expect(found).toEqual(expect.arrayContaining(expected));
  });

  test.each([
    ["chargeback_won", /^Tu banco mantuvo el cobro que reclamaste$/],
    ["chargeback_lost", /^La devolución que te hizo tu banco es definitiva$/],
    ["recover_from_clinic", /^Devolución de tu pago en /],
  ] as const)(
    "block another card for a failed collection until a decision (%s), which one mail reports",
    async (decision, subject) => {
      const [undecided, decided] = [await paidOrder(LATER.stolen), await paidOrder(LATER.stolen)];
      for (const hash of [undecided, decided]) await clinic.approve(hash);
      await world.bff.runDue();
      for (const hash of [undecided, decided]) await noteChargedBack(hash);
      await clinic.giveCard(undecided, LATER.captured);
      await clinic.operatorDoes("chargeback", decision);
      const kinds = (await shown()).map(({ kind }) => kind);
      expect(kinds.toSorted()).toEqual(["collection_failed", "collection_stopped"]);
      await clinic.giveCard(decided, LATER.captured);
      expect([await clinic.collectionStatus(undecided), await clinic.collectionStatus(decided)]).toEqual([
        "failed approved",
        "scheduled approved",
      ]);
      await world.bff.runDue();
      const reports = (await clinic.mails()).filter((each) => /tu banco|devolución/i.test(each));
      expect(reports).toEqual([expect.stringMatching(subject)]);
    },
  );
});

test("a payment by another method is not booked without evidence, nor while a refund claims everything", async () => {
  const hash = await paidOrder(LATER.stolen);
  await clinic.approve(hash);
  await world.bff.runDue();
  const pay = (note: string) => clinic.operatorDoes("collection_failed", "paid_otherwise", note, 30_800);
  await expect(pay(" ")).rejects.toThrow("Say in --note");
  await clinic.fault("financing-provider", "reduceLoan", "fail_before", 100);
  expect((await clinic.refund(hash, { amount: 28_000 })).body.refund.status).toBe("processing");
  await expect(pay("cartola 24-11")).rejects.toThrow(/^Nothing is due\.$/);
});

test("work on one order changes no row of another order of the clinic", async () => {
  const { db } = world.bff.database;
  const { provider } = clinic.clinic;
  const key = (hash: string) => clinic.key(hash);
  const resolve = <Result>(run: (tx: Transaction) => Promise<Result>) => inTransaction(db, run);
  const otherOrder = await paidOrder();
  const [declined, stolen, collected] = [
    await paidOrder(LATER.declined),
    await paidOrder(LATER.stolen),
    await paidOrder(),
  ];
  const noted = async (hash: string) => {
    const [charge] = (await clinic.order(hash)).payments;
    const chargeback = { id: `of ${hash}`, chargeId: charge?.chargeId ?? "", amount: clp(12_000), at: now() };
    await resolve((tx) => noteChargeback(tx, systemIds, { ...key(hash), ...chargeback }, now()));
  };
  await challengeFor(otherOrder);
  expect(await payEarly(world.collection, { provider, key: key(otherOrder), now: now() })).toMatchObject({
    outcome: "requires_action",
  });
  expect((await clinic.giveCard(otherOrder, CARDS.challenge)).outcome).toBe("requires_action");
  await noted(otherOrder);
  // Lets its chargeback be published before the others begin.
  await world.bff.runDue();
  const before = await rowsOfOrder(db, key(otherOrder).orderId);
  expect(Object.keys(before)).toEqual(expect.arrayContaining(["card_attempts", "chargebacks", "collections"]));

  for (const hash of [declined, stolen, collected]) await clinic.approve(hash);
  await world.bff.runDue();
  expect(await clinic.collectionStatus(collected)).toBe("collected approved");
  await clinic.giveCard(declined, LATER.captured);
  await resolve((tx) => writeOffCollection(tx, clinic.resolving(), key(stolen)));
  await noted(collected);
  await resolve((tx) => acknowledgeChargebacks(tx, clinic.resolving(), key(collected)));
  await resolve((tx) => winOrdersChargebacks(tx, clinic.resolving(), key(collected)));
  await noted(declined);
  await resolve((tx) => loseOrdersChargebacks(tx, clinic.resolving(), key(declined)));
  await world.bff.runDue();
  expect(await rowsOfOrder(db, key(otherOrder).orderId)).toEqual(before);
  const reports = db.selectFrom("loan_reports").select("number").where("provider_id", "=", provider.id);
  expect(await reports.where("reported_at", "is", null).execute()).toEqual([]);
});

/** Makes the issuer of an order's card challenge its patient. */
async function challengeFor(hash: string): Promise<void> {
  const cards = world.bff.database.db.updateTable("sandbox_cards").set({ behaviour: "challenge" });
  await cards.where("order_hash", "=", clinic.key(hash).orderId).execute();
}

const release = (hash: string) =>
  inTransaction(world.bff.database.db, (tx) => releaseCollection(tx, clinic.resolving(), clinic.key(hash)));

/** The patient revokes the mandate. Returns whether there was one. */
const revoke = (hash: string) =>
  inTransaction(world.bff.database.db, (tx) => revokeMandate(tx, world.collection, clinic.key(hash), now()));

/** The messages of the clinic with certain words. */
const messagesWith = async (words: string) => (await clinic.messages()).filter((text) => text.includes(words));

test("revoking a mandate changes no stopped or failed collection, and none is retried", async () => {
  const [stopped, failed, collected] = [await paidOrder(), await paidOrder(LATER.stolen), await paidOrder()];
  await chargedBack(stopped, now());
  await advance(DAY_MS);
  for (const hash of [stopped, failed, collected]) await clinic.approve(hash);
  await world.bff.runDue();
  const { db } = world.bff.database;
  const failure = async (hash: string) => (await clinic.collection(hash)).failure;
  expect([await revoke(stopped), await revoke(failed), await revoke(collected)]).toEqual([true, true, false]);
  expect([await revoke(stopped), await revoke(failed)]).toEqual([false, false]);
  expect([await failure(stopped), await failure(failed)]).toEqual(["chargeback", "hard_decline"]);
  expect([await loanEnds(stopped), await loanEnds(failed)]).toEqual([[], ["in_arrears"]]);
  const retried = inTransaction(db, (tx) => retryCollection(tx, clinic.resolving(), clinic.key(failed)));
  await expect(retried).rejects.toMatchObject({ code: "mandate_revoked" });
  await world.bff.runDue();
  expect(await messagesWith("por ahora no tienes que pagarlos")).toHaveLength(1);
  expect(await messagesWith("ya corresponde pagarlos")).toHaveLength(1);
  expect(await release(stopped)).toBe(null);
  await world.bff.runDue();
  expect(await messagesWith("ya corresponde pagarlos")).toHaveLength(2);
  expect(await loanEnds(stopped)).toEqual(["in_arrears"]);
});

test("a mandate revoked during the chargeback of a failed collection is due once that is acknowledged", async () => {
  const hash = await paidOrder(LATER.stolen);
  await clinic.approve(hash);
  await world.bff.runDue();
  await noteChargedBack(hash);
  await revoke(hash);
  await world.bff.runDue();
  expect(await messagesWith("por ahora no tienes que pagarlos")).toHaveLength(1);
  expect(await messagesWith("ya corresponde pagarlos")).toEqual([]);
  const { db } = world.bff.database;
  for (const _again of [1, 2])
    await inTransaction(db, (tx) => acknowledgeChargebacks(tx, clinic.resolving(), clinic.key(hash)));
  await world.bff.runDue();
  expect(await messagesWith("ya corresponde pagarlos")).toHaveLength(1);
  await inTransaction(db, (tx) => winOrdersChargebacks(tx, clinic.resolving(), clinic.key(hash)));
  await world.bff.runDue();
  const [won] = await clinic.mailTexts("Tu banco mantuvo el cobro que reclamaste");
  expect(won).toMatch(
    /Te queda por pagar: \$30\.800.*abre «Ver mi pago».*ingresa otra tarjeta.*\nVer mi pago: https?:/s,
  );
});

test("the result of a release says what holds the charge: blocked data, a refund of everything, no mandate", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.neverAnswered);
  const releaseAgain = async () => {
    await noteChargedBack(hash);
    const result = await clinic.operatorDoes("collection_stopped", "release");
    const { db } = world.bff.database;
    await db.deleteFrom("chargebacks").where("order_id", "=", clinic.key(hash).orderId).execute();
    const back = db
      .deleteFrom("sandbox_movements")
      .where("order_hash", "=", clinic.key(hash).orderId)
      .where("kind", "=", "chargeback");
    await back.execute();
    return result;
  };
  expect(await releaseAgain()).toMatch(/^The collection continues. The patient is notified before the charge on 2027/);
  const { db } = world.bff.database;
  const rut = parseRut(PATIENTS.neverAnswered);
  const patient = present(await findBeneficiary(db, { tenant: tenantOf(clinic.clinic.provider), rut }));
  await inTransaction(db, (tx) => block(tx, patient, now()));
  expect(await releaseAgain()).toContain("but the patient's data is blocked");
  await inTransaction(db, (tx) => unblock(tx, patient));
  expect(await revoke(hash)).toBe(true);
  expect(await releaseAgain()).toContain("but the patient has revoked the mandate");
  await clinic.giveCard(hash);
  await clinic.fault("financing-provider", "reduceLoan", "fail_before", 100);
  expect((await clinic.refund(hash, { amount: 28_000 })).body.refund.status).toBe("processing");
  expect(await releaseAgain()).toContain("but an unfinished refund claims all that is due");
  await world.bff.runDue();
  expect((await clinic.mails()).filter((subject) => subject.endsWith("haremos el segundo cobro"))).toEqual([]);
});

test("a revoked mandate is announced with when to pay: by the last day, now, or not during a chargeback", async () => {
  const [waiting, due, disputed] = [await paidOrder(), await paidOrder(), await paidOrder()];
  const latest = (await clinic.read(waiting)).plan.data.installments[1].latest_due_date;
  await noteChargedBack(disputed);
  await clinic.approve(due);
  for (const hash of [waiting, due, disputed]) await revoke(hash);
  await world.bff.runDue();
  const messages = (await clinic.messages()).filter((text) => text.includes("retiraste la autorizacion"));
  expect(messages).toHaveLength(3);
  expect(messages.filter((text) => text.includes("por ahora no tienes que pagarlos"))).toHaveLength(1);
  const day = dayInWords(latest, "es-CL");
  expect(messages.filter((text) => text.includes(`a mas tardar el ${day}`))).toHaveLength(1);
  expect(messages.filter((text) => text.includes("ya corresponde pagarlos"))).toHaveLength(1);
});

test("mails during a chargeback promise no charge of a card whose mandate was revoked", async () => {
  const [resumed, revoked] = [await paidOrder(), await paidOrder()];
  for (const hash of [resumed, revoked]) await noteChargedBack(hash);
  await revoke(revoked);
  for (const hash of [resumed, revoked])
    await inTransaction(world.bff.database.db, (tx) => winOrdersChargebacks(tx, clinic.resolving(), clinic.key(hash)));
  await world.bff.runDue();
  const mails = await clinic.mailTexts("Tu banco mantuvo el cobro que reclamaste");
  expect(mails).toHaveLength(2);
  const saying = (words: string) => mails.filter((text) => text.includes(words));
  const onHold = saying("El segundo cobro está detenido. Si se retoma, te avisaremos");
  const owed = saying("Todavía debes el segundo pago, pero por ahora no tienes que pagarlo.");
  expect([onHold.length, owed.length]).toEqual([1, 1]);
  expect(onHold).not.toEqual(owed);
});

test("a mail asks for another card only while the patient's data is not blocked", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.neverAnswered);
  expect(await revoke(hash)).toBe(true);
  const { db } = world.bff.database;
  const order = await clinic.order(hash);
  const kind = async () =>
    (await readUpcomingInNotification(db, order, { at: now(), claimEnded: isClaimOver }))?.kind ?? null;
  expect(await kind()).toBe("card_needed");
  const rut = parseRut(PATIENTS.neverAnswered);
  const patient = present(await findBeneficiary(db, { tenant: tenantOf(clinic.clinic.provider), rut }));
  await inTransaction(db, (tx) => block(tx, patient, now()));
  expect(await kind()).toBe("owed_on_hold");
  await inTransaction(db, (tx) => unblock(tx, patient));
  expect(await kind()).toBe("card_needed");
});

test("a mandate can be revoked while a refund claims the whole rest, without a notification", async () => {
  const hash = await paidOrder();
  await clinic.fault("financing-provider", "reduceLoan", "fail_before", 100);
  expect((await clinic.refund(hash, { amount: 28_000 })).body.refund.status).toBe("processing");
  expect([await revoke(hash), await revoke(hash)]).toEqual([true, false]);
  const notices = world.bff.database.db
    .selectFrom("events")
    .select("kind")
    .where("kind", "=", "collection.mandate_revoked");
  expect(await notices.where("order_id", "=", clinic.key(hash).orderId).execute()).toEqual([]);
  const when = { at: now(), claimEnded: isClaimOver };
  const upcoming = await readUpcomingInNotification(world.bff.database.db, await clinic.order(hash), when);
  expect(upcoming).toMatchObject({ kind: "owed_on_hold", amount: 0 });
  await clinic.approve(hash);
  await world.bff.runDue();
  expect(await messagesWith("retiraste la autorizacion")).toEqual([]);
});

test("a patient who revoked the mandate is notified of the debt that a failed refund leaves", async () => {
  const [waiting, due, never] = [RETURN_REFUSED.pending, RETURN_REFUSED.pending, RETURN_REFUSED.tooOld];
  const [inTime, arrears, refused] = [await paidOrder(waiting), await paidOrder(due), await paidOrder(never)];
  const latest = (await clinic.read(inTime)).plan.data.installments[1].latest_due_date;
  await revoke(refused);
  await advance(MINUTE_MS);
  for (const hash of [inTime, arrears]) {
    expect((await clinic.refund(hash)).body.refund.status).toBe("processing");
    await revoke(hash);
  }
  expect((await clinic.refund(refused)).body.code).toBe("refund_refused");
  await clinic.approve(arrears);
  await world.bff.runDue();
  expect(await clinic.collectionStatus(arrears)).toBe("failed approved");
  // This refund was refused at once, and its patient was notified of the same debt before.
  expect(await messagesWith("retiraste la autorizacion")).toHaveLength(1);
  await advance(3 * DAY_MS);
  for (const hash of [inTime, arrears]) expect((await clinic.read(hash)).refunds).toMatchObject([{ status: "failed" }]);
  expect(await messagesWith("retiraste la autorizacion")).toHaveLength(3);
  const mails = await clinic.mailTexts("No se pudo hacer una devolución de tu pago");
  expect(mails).toHaveLength(2);
  for (const text of mails)
    expect(text).toMatch(/Debes: \$30\.800.*Para pagarlo, ingresa otra tarjeta.*Ingresar otra/s);
  const saying = (words: string) => mails.filter((text) => text.includes(words));
  expect(saying(`el ${dayInWords(latest, "es-CL")}`)).toHaveLength(1);
  expect(saying("Ya corresponde pagar el resto de tu atención")).toHaveLength(1);
});

test("owedNow counts a later charge in progress, but neither a declined one nor the first payment", async () => {
  const [declined, unheard] = [await paidOrder(LATER.declined), await paidOrder()];
  await clinic.approve(declined);
  await world.bff.runDue();
  await clinic.fault("card-processor", "charge", "fail_after", 2);
  await clinic.approve(unheard);
  await world.bff.runDue();
  const paying = await clinic.readyOrder();
  expect((await clinic.pay(paying)).body.payment).toEqual({ status: "processing", waits_for: "bank" });
  const owed = async (hash: string) => owedNow(await clinic.order(hash));
  expect([await owed(declined), await owed(unheard), await owed(paying)]).toEqual([30_800, 30_800, 0]);
});

// In the short check: bff/src/collection/collection.test.ts:
// an announcement names the first charging time on a later day that is at least 24 hours away.
describe("the charge of day 45", { tags: ["long"] }, () => {
  const announced = async () =>
    (await clinic.mails()).filter((subject) => subject.endsWith("haremos el segundo cobro"));
  const inWords = (moment: Date) => `El ${dayInWords(santiagoDay(moment), "es-CL")} haremos el segundo cobro`;

  test("is announced if a collection stopped on the day of the announcement is released", async () => {
    const hash = await paidOrder();
    const due = new Date((await clinic.dueAt(hash)) ?? "");
    await chargedBack(hash, now());
    await advance(43 * DAY_MS);
    expect(await announced()).toEqual([]);
    await release(hash);
    await world.bff.runDue();
    expect(await announced()).toEqual([inWords(due)]);
    await advance(2 * DAY_MS);
    expect(await laterCharges(hash)).toEqual([30_800]);
    expect(await announced()).toHaveLength(1);
  });

  test("is announced three days before if the release comes later, even with another card", async () => {
    const hash = await paidOrder();
    await chargedBack(hash, now());
    await advance(50 * DAY_MS);
    const dueAt = (await release(hash))?.dueAt;
    expect(dueAt?.getTime()).toBe(now().getTime() + 3 * DAY_MS);
    await world.bff.runDue();
    expect(await announced()).toEqual([inWords(dueAt ?? now())]);
    const [text] = await clinic.mailTexts(inWords(dueAt ?? now()));
    expect(text).toContain("Pasó el plazo que aceptaste");
    await advance(DAY_MS);
    await clinic.giveCard(hash, LATER.captured);
    await advance(2 * DAY_MS - 1_000);
    expect(await laterCharges(hash)).toEqual([]);
    await advance(1_000);
    expect(await laterCharges(hash)).toEqual([30_800]);
    expect(await announced()).toHaveLength(1);
  });

  test("is announced again, a day before, if its day was missed", async () => {
    const hash = await paidOrder();
    const due = new Date((await clinic.dueAt(hash)) ?? "");
    await advance(due.getTime() - now().getTime() - 1_000);
    expect(await announced()).toEqual([inWords(due)]);
    world.bff.clock.advance(1_000);
    await inTransaction(world.bff.database.db, (tx) =>
      pullTrigger(tx, clinic.key(hash), { reason: "day_45", at: now(), evidence: {} }),
    );
    await loseTimers(hash);
    await advance(DAY_MS);
    expect(await laterCharges(hash)).toEqual([]);
    const again = new Date((await clinic.dueAt(hash)) ?? "");
    expect(await announced()).toEqual([inWords(due), inWords(again)]);
    expect(again.getTime() - now().getTime()).toBeGreaterThan(22 * HOUR_MS);
    await advance(again.getTime() - now().getTime());
    expect(await laterCharges(hash)).toEqual([30_800]);
  });

  test("is not announced after a release if the mandate was revoked or a refund claims everything", async () => {
    const [revoked, claimed] = [await paidOrder(), await paidOrder()];
    for (const hash of [revoked, claimed]) await chargedBack(hash, now());
    await advance(43 * DAY_MS);
    await revoke(revoked);
    await clinic.fault("financing-provider", "reduceLoan", "fail_before", 100);
    expect((await clinic.refund(claimed, { amount: 28_000 })).body.refund.status).toBe("processing");
    for (const hash of [revoked, claimed]) await release(hash);
    await world.bff.runDue();
    expect(await announced()).toEqual([]);
  });

  test("is not announced for a collection that an approval made due, while it is retried", async () => {
    const hash = await paidOrder(LATER.declined);
    await advance(41 * DAY_MS);
    await clinic.approve(hash);
    await advance(2 * DAY_MS);
    expect([await clinic.collectionStatus(hash), await clinic.tries(hash)]).toEqual([
      "scheduled approved",
      ["declined", "declined"],
    ]);
    expect(await announced()).toEqual([]);
    expect(await timersLeft(hash)).not.toContain("collection.announce");
  });

  for (const [when, days] of [
    ["before day 45", 43],
    ["after it", 50],
  ] as const)
    test(`is announced if a refund of everything fails ${when}`, async () => {
      const hash = await paidOrder();
      await advance(40 * DAY_MS);
      // The processor is unreachable for that long.
      await clinic.fault("card-processor", "returnCharge", "fail_before", 10_000);
      expect((await clinic.refund(hash)).body.refund.status).toBe("processing");
      await advance((days - 40) * DAY_MS);
      expect(await announced()).toEqual([]);
      const { orderId } = clinic.key(hash);
      await world.bff.database.db
        .updateTable("sandbox_movements")
        .set((set) => ({ returned: set.ref("amount") }))
        .where("order_hash", "=", orderId)
        .execute();
      await clinic.fault("card-processor", "returnCharge", "fail_before", 0);
      await advance(3 * HOUR_MS);
      expect((await clinic.read(hash)).refunds).toMatchObject([{ status: "failed" }]);
      expect(await announced()).toHaveLength(1);
      expect(await laterCharges(hash)).toEqual([]);
      await advance(3 * DAY_MS);
      expect(await laterCharges(hash)).toEqual([30_800]);
      expect(await announced()).toHaveLength(1);
    });

  test("is made on the day that an earlier version announced, which migration 33 records", async () => {
    const announcedOrder = await paidOrder();
    const due = new Date((await clinic.dueAt(announcedOrder)) ?? "");
    await advance(43 * DAY_MS);
    expect(await announced()).toHaveLength(1);
    const otherOrder = await paidOrder();
    const { db } = world.bff.database;
    const unannounced = { announced_for: null, announced_amount: null, announced_by: null, announced_at: null };
    await db.updateTable("collections").set(unannounced).execute();
    // The cause under the name that the earlier version used.
    const cause = sql<string>`'charge_announced:' || order_id`;
    const ofAnnounced = db
      .updateTable("notices")
      .set({ cause })
      .where("order_id", "=", clinic.key(announcedOrder).orderId);
    await ofAnnounced.where("kind", "=", "charge_announced").where("channel", "=", "email").execute();
    const migration = (await readMigrations()).find(({ number }) => number === 33);
    const filling = /^update collections[^;]*;/m.exec(migration?.sql ?? "")?.[0] ?? "";
    await sql.raw(filling).execute(db);
    const announcedFor = async (hash: string) => {
      const { providerId, orderId } = clinic.key(hash);
      const row = db.selectFrom("collections").select("announced_for").where("provider_id", "=", providerId);
      return (await row.where("order_id", "=", orderId).executeTakeFirstOrThrow()).announced_for;
    };
    expect([await announcedFor(announcedOrder), await announcedFor(otherOrder)]).toEqual([due, null]);
    await advance(2 * DAY_MS);
    expect(await laterCharges(announcedOrder)).toEqual([30_800]);
    expect(await announced()).toHaveLength(1);
  });
});

test("a chargeback listed days late is found, and an approval after it says that the charge is on hold", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.approvedOnDay12);
  await advance(5 * DAY_MS);
  await chargedBack(hash, new Date(now().getTime() - 3 * DAY_MS));
  await advance(DAY_MS);
  expect((await clinic.read(hash)).collection).toMatchObject({ status: "failed" });
  await advance(8 * DAY_MS);
  expect(await clinic.mailTexts("Aprobaron tu reembolso")).toEqual([
    expect.stringContaining("El segundo cobro está detenido."),
  ]);
  expect((await clinic.messages()).filter((text) => text.includes("aprobo"))).toEqual([
    expect.stringContaining("El segundo cobro esta detenido."),
  ]);
});

test("a released collection whose card can no longer be charged has failed, and the result says so", async () => {
  const hash = await paidOrder(LATER.stolen);
  expect(
    (await payEarly(world.collection, { provider: clinic.clinic.provider, key: clinic.key(hash), now: now() })).outcome,
  ).toBe("declined");
  await chargedBack(hash, now());
  await advance(DAY_MS);
  await clinic.approve(hash);
  await inTransaction(world.bff.database.db, async (tx) => {
    expect(await releaseCollection(tx, clinic.resolving(), clinic.key(hash))).toBe(null);
  });
  expect(await clinic.collectionStatus(hash)).toBe("failed approved");
  expect((await clinic.read(hash)).plan.data.installments[1].status).toBe("failed");
  expect(await loanEnds(hash)).toEqual(["in_arrears"]);
});

test("a patient who has given another card is notified of that card before its charge", async () => {
  const approved = await clinic.claimedOrder(PATIENTS.approvedAfter5Days);
  const waiting = await clinic.claimedOrder(PATIENTS.neverAnswered);
  for (const hash of [approved, waiting]) await clinic.giveCard(hash, LATER.declinedTwice);
  await advance(6 * DAY_MS);
  const ending = `••${LATER.declinedTwice.slice(-4)}`;
  expect(await clinic.mailTexts("Aprobaron tu reembolso")).toEqual([expect.stringContaining(ending)]);
  await advance(37 * DAY_MS);
  const [announced] = (await clinic.mails()).filter((subject) => subject.endsWith("haremos el segundo cobro"));
  expect(await clinic.mailTexts(announced ?? "")).toEqual([expect.stringContaining(ending)]);
});

test("the first sync reads four months of chargebacks and later ones two weeks, even if an order is unknown", async () => {
  const hash = await paidOrder();
  const [charge] = (await clinic.order(hash)).payments;
  const { orderId, providerId } = clinic.key(hash);
  const begun: number[] = [];
  const listed = (orderHash: OrderId): ProcessorMovement => ({
    id: `of ${orderHash}`,
    kind: "chargeback",
    chargeId: present(charge?.chargeId),
    idempotencyKey: `of ${orderHash}`,
    orderHash,
    amount: clp(12_000),
    at: now(),
  });
  const cardProcessor: CardProcessor = {
    ...world.collection.cardProcessor,
    async listMovements(_, from) {
      begun.push((now().getTime() - from.getTime()) / DAY_MS);
      return [listed(systemIds.uuid() as OrderId), listed(orderId)];
    },
  };
  const sync = (payload: object) =>
    syncDaily(
      { ...world.collection, cardProcessor },
      { ...claimed(hash, { kind: DAILY_TIMER, key: providerId }), payload },
    );
  const first = await sync({});
  await sync(typeof first === "string" ? {} : (first.payload ?? {}));
  expect(begun).toEqual([120, 14]);
  expect((await clinic.order(hash)).payments).toMatchObject([{ disputed: 12_000 }]);
});

test("another card is answered in time if its issuer hangs, although the processor was slow, and is used later", async () => {
  const hash = await paidOrder();
  const { clock } = world.bff;
  const { cardProcessor, answerWithinMs, background } = world.collection;
  const { waits: authenticate, goOn } = held(cardProcessor.authenticate);
  const registerCard: CardProcessor["registerCard"] = (...given) => {
    clock.advance(answerWithinMs);
    return cardProcessor.registerCard(...given);
  };
  const slow = { cardProcessor: { ...cardProcessor, authenticate, registerCard } };
  expect(await clinic.giveCard(hash, LATER.debit, slow)).toEqual({ outcome: "processing" });
  const cardAfter = async () => (await clinic.collection(hash)).card?.kind;
  expect(await cardAfter()).not.toBe("debit");
  goOn.open();
  await background.idle();
  expect(await cardAfter()).toBe("debit");
});

test("a collection whose timers were lost is found the next day, and announced before its charge", async () => {
  const hash = await paidOrder();
  const due = new Date((await clinic.dueAt(hash)) ?? "");
  await loseTimers(hash);
  await advance(due.getTime() - now().getTime() + 2 * DAY_MS);
  expect(await clinic.collectionStatus(hash)).toBe("scheduled day_45");
  await advance(3 * DAY_MS);
  expect(await clinic.collectionStatus(hash)).toBe("collected day_45");
});

test("any charge whose timers were lost is found the next day: due, with another card, or by the patient", async () => {
  const [due, again, unknown] = [await paidOrder(), await paidOrder(LATER.stolen), await paidOrder()];
  await clinic.approve(again);
  await world.bff.runDue();
  await clinic.fault("card-processor", "charge", "fail_after");
  const early = { provider: clinic.clinic.provider, key: clinic.key(unknown), now: now() };
  expect(await payEarly(world.collection, early)).toEqual({ outcome: "processing" });
  await clinic.giveCard(again, LATER.captured);
  await clinic.approve(due);
  for (const hash of [due, again, unknown]) await loseTimers(hash);
  await advance(HOUR_MS);
  const statuses = () => Promise.all([due, again, unknown].map((hash) => clinic.collectionStatus(hash)));
  expect(await statuses()).toEqual(["scheduled approved", "scheduled approved", "processing null"]);
  await advance(DAY_MS);
  // The charge of that day is announced again.
  expect(await statuses()).toEqual(["scheduled approved", "scheduled approved", "collected paid_early"]);
  await advance(3 * DAY_MS);
  expect(await statuses()).toEqual(["collected approved", "collected approved", "collected paid_early"]);
  expect(await laterCharges(unknown)).toEqual([30_800]);
});

async function loseTimers(hash: string): Promise<void> {
  const timers = world.bff.database.db.deleteFrom("timers");
  await timers.where(sql`payload ->> 'order_id'`, "=", clinic.key(hash).orderId).execute();
}
