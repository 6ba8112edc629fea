import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import { takeUpAttempt } from "../../../src/collection/charge/open-charge.ts";
import { retryDecision } from "../../../src/collection/charge/retry-decision.ts";
import { settleEarlyPayment } from "../../../src/collection/charge/run-collection.ts";
import { selectSettled } from "../../../src/collection/chargeback-store.ts";
import {
  acknowledgeChargebacks,
  loseOrdersChargebacks,
  recoverFromClinic,
  releaseCollection,
  retryCollection,
  winOrdersChargebacks,
  writeOffCollection,
} from "../../../src/collection/collection-resolutions.ts";
import { insertAttempt, readCollection, selectOverdue } from "../../../src/collection/collection-store.ts";
import { chargeTimer, DAILY_TIMER, SETTLE_EARLY_TIMER } from "../../../src/collection/collection-timers.ts";
import { noteChargeback, syncDaily } from "../../../src/collection/daily-sync.ts";
import { owedNow } from "../../../src/collection/due-now.ts";
import {
  countReportInquiry,
  insertReport,
  takeUpReports,
  unconfirmedReports,
  writeReported,
} from "../../../src/collection/loan-reports/loan-report-store.ts";
import { revokeMandate } from "../../../src/collection/mandate.ts";
import { inquireEarly, payEarly } from "../../../src/collection/pay-early.ts";
import { pullTrigger } from "../../../src/collection/pull-trigger.ts";
import { CHARGE_TRIES_MAX, CHARGE_TRIES_WINDOW_DAYS } from "../../../src/contract/terms.ts";
import { clp, formatClp } from "../../../src/contract/vocabulary/clp.ts";
import { MINUTE_MS } from "../../../src/contract/vocabulary/durations.ts";
import type { OrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { webhookEndpoints } from "../../../src/contract/webhook-endpoints.ts";
import type { CardProcessor, ProcessorMovement } from "../../../src/gateways/card-processor.ts";
import { dayInWords } from "../../../src/notifications/day-in-words.ts";
import { block, unblock } from "../../../src/patients/blocked.ts";
import { findBeneficiary } from "../../../src/patients/patients.ts";
import { tenantOf } from "../../../src/patients/tenant.ts";
import { readMigrations } from "../../../src/platform/database/migrate.ts";
import { inTransaction, type Transaction } from "../../../src/platform/database/transaction.ts";
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
  UNRECONCILED,
} from "../after-paid/after-paid-world.ts";
import { CARDS, present, RETURN_REFUSED } from "../orders/orders-world.ts";

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ at: START, options: () => UNRECONCILED }, (beginning) => {
  ({ world, clinic } = beginning);
});

const now = () => world.bff.clock.now();
const advance = (milliseconds: number) => world.bff.advance(milliseconds);

/** An order of $40.000 that was paid a moment ago: $12.000 now, $28.000 and a commission of $2.800 later. */
const paidOrder = (card?: string) => clinic.justPaid(card);

/** The charges of the deferred part that the processor itself knows of. */
async function laterCharges(hash: string): Promise<number[]> {
  const { cardProcessor } = clinic.sandbox;
  const [from, to] = [new Date("2026-01-01"), new Date("2100-01-01")];
  const list = await cardProcessor.listMovements(clinic.clinic.provider.id, from, to);
  return list
    .filter(({ orderHash: orderId, idempotencyKey }) => orderId === hash && idempotencyKey.endsWith(":collection"))
    .map(({ amount }) => amount);
}

/** What the lender is told of the end of an order's loan, the oldest first. */
async function loanEnds(hash: string): Promise<string[]> {
  const reports = world.bff.database.db.selectFrom("loan_reports").select("loan_end").orderBy("number");
  return (await reports.where("order_id", "=", clinic.key(hash).orderId).execute()).map(({ loan_end }) => loan_end);
}

/** A timer of an order that is run now. */
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

describe("an order that was paid", () => {
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

  test("is due on the same day with another card, and nothing is done before it", async () => {
    const hash = await paidOrder();
    const before = [await clinic.read(hash), await timersLeft(hash)];
    await clinic.giveCard(hash, LATER.debit);
    expect([await clinic.read(hash), await timersLeft(hash)]).toEqual(before);
    const audited = world.bff.database.db.selectFrom("audit_log").select("act").where("subject_id", "=", hash);
    // Only what a link does is written down as the patient's act.
    expect(await audited.where("act", "=", "collection.card_changed").execute()).toEqual([]);
  });

  test("is collected then, with the commission, and not before", async () => {
    const hash = await paidOrder();
    const due = new Date((await clinic.dueAt(hash)) ?? "");
    await advance(due.getTime() - now().getTime() - 1_000);
    expect(await laterCharges(hash)).toEqual([]);
    // Those that are due at one moment are charged within the hour.
    await advance(SPREAD_MS + 1_000);
    expect(await laterCharges(hash)).toEqual([30_800]);
    const shown = await clinic.read(hash);
    expect(shown.collection).toEqual({ status: "collected", due_at: null, reason: "day_45" });
    expect(shown.plan.data.installments[1].status).toBe("collected");
    expect(shown).toMatchObject({ status: "paid", captured_amount: 42_800 });
  });
});

describe("the later charge of a card whose issuer wants the patient asked", () => {
  test("names the patient's own charge, by which the mandate was given", async () => {
    const hash = await paidOrder();
    await challengeFor(hash);
    await clinic.approve(hash);
    await world.bff.runDue();
    expect(await clinic.standing(hash)).toBe("collected approved");
    // The sandbox declines a charge that gives it another name of the network's than it told.
    const [first] = (await clinic.order(hash)).payments;
    expect(first?.voucher.networkTransactionId).toMatch(/^0\d{14}$/);
    expect(await namesOfTheNetwork(hash)).toEqual([first?.voucher.networkTransactionId]);
  });

  test("names the charge that was captured, and not one of the same card that was declined before", async () => {
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
    expect(await clinic.standing(hash)).toBe("collected approved");
    const captured = (await clinic.order(hash)).payments.find(
      ({ kind, status }) => `${kind} ${status}` === "first captured",
    );
    expect(await namesOfTheNetwork(hash)).toEqual([present(captured).voucher.networkTransactionId]);
  });

  test("names that charge, and the patient's own charge none", async () => {
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

  test("is made by a processor that told no name of the network's, without one", async () => {
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
    expect(await clinic.standing(hash)).toBe("collected approved");
    expect(await namesOfTheNetwork(hash)).toEqual([null]);
  });

  /** Gives a card whose issuer asks for the patient. */
  async function prove(hash: string, choice: "approve" | "reject", cardProcessor?: CardProcessor): Promise<void> {
    const given = await clinic.giveCard(hash, CARDS.challenge, cardProcessor && { cardProcessor });
    if (given.outcome !== "requires_action") throw new Error("The issuer asks.");
    await clinic.press(given.challenge.url, choice);
    await advance(60_000);
  }

  /** The network's names of the mandates that were given with a card, the oldest first. */
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

  test("that was given more than once names the last proof that the patient gave", async () => {
    const hash = await paidOrder();
    await prove(hash, "approve");
    const { cardProcessor } = world.collection;
    const { card } = present(await readCollection(world.bff.database.db, clinic.key(hash)));
    // A processor may name a card as before when it is given again.
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
    // Another order's card may be named so too.
    const beside = await paidOrder();
    await prove(beside, "approve");
    const proofs = world.bff.database.db.updateTable("card_attempts").set({ card_id: present(card).id, number: 9 });
    await proofs.where("order_id", "=", clinic.key(beside).orderId).execute();
    await clinic.approve(hash);
    await world.bff.runDue();
    expect(await clinic.standing(hash)).toBe("collected approved");
    expect(await namesOfTheNetwork(hash)).toEqual([last]);
  });

  test("that the version before began is confirmed by this one, and read by both", async () => {
    const hash = await paidOrder();
    const given = await clinic.giveCard(hash, CARDS.challenge);
    if (given.outcome !== "requires_action") throw new Error("The issuer asks.");
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

  test("names the mandate, and not the proof of an early payment that was declined", async () => {
    const hash = await paidOrder();
    await prove(hash, "approve");
    const declined = { outcome: "declined", reason: "declined", hard: false } as const;
    const cardProcessor: CardProcessor = { ...world.collection.cardProcessor, charge: async () => declined };
    const early = { provider: clinic.clinic.provider, key: clinic.key(hash) };
    for (const choice of ["reject", "approve"] as const) {
      const asked = await payEarly({ ...world.collection, cardProcessor }, { ...early, now: now() });
      if (asked.outcome !== "requires_action") throw new Error("The issuer asks.");
      await clinic.press(asked.challenge.url, choice);
      const { outcome } = await inquireEarly({ ...world.collection, cardProcessor }, early);
      expect(outcome).toBe("declined");
    }
    await clinic.approve(hash);
    await advance(2 * DAY_MS);
    expect(await clinic.standing(hash)).toBe("collected approved");
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
  test("charges at once in the afternoon, and at 09:00 when it comes at night", async () => {
    const afternoon = await paidOrder();
    await clinic.approve(afternoon);
    await world.bff.runDue();
    expect(await clinic.standing(afternoon)).toBe("collected approved");

    const night = await paidOrder();
    await advance(11 * HOUR_MS);
    await clinic.approve(night);
    await world.bff.runDue();
    expect(await clinic.standing(night)).toBe("scheduled approved");
    expect(await clinic.dueAt(night)).toBe(santiagoMoment(santiagoDay(now()), 9).toISOString());
    await advance(7 * HOUR_MS);
    expect(await clinic.standing(night)).toBe("collected approved");
  });

  test("that comes first wins for ever, of many at the same moment exactly one", async () => {
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

test("a trigger that comes before its order's collection, or after it has ended, makes nothing due", async () => {
  const [early, refunded] = [await paidOrder(), await paidOrder()];
  await payEarly(world.collection, { provider: clinic.clinic.provider, key: clinic.key(early), now: now() });
  await clinic.refund(refunded);
  await world.bff.runDue();
  const untold = await clinic.paidOrder();
  for (const hash of [early, refunded, untold]) expect(await clinic.approve(hash)).toBe(false);
  expect([await clinic.standing(early), await clinic.standing(refunded)]).toEqual([
    "collected paid_early",
    "cancelled null",
  ]);
  expect(await timersLeft(refunded)).toEqual([]);
});

test("a charge's timer that runs where nothing is to be charged changes nothing", async () => {
  const [waiting, failed, collected] = [await paidOrder(), await paidOrder(LATER.stolen), await paidOrder()];
  const hashes = [waiting, failed, collected];
  for (const hash of [failed, collected]) await clinic.approve(hash);
  await world.bff.runDue();
  const { db } = world.bff.database;
  const rows = () => Promise.all(hashes.map((hash) => rowsOfOrder(db, clinic.key(hash).orderId)));
  const before = await rows();
  for (const hash of hashes) {
    const collection = present(await readCollection(db, clinic.key(hash)));
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
  test("is tried four times in ten days, then left to people; the order stays paid", async () => {
    const hash = await paidOrder(LATER.declined);
    await clinic.approve(hash);
    await world.bff.runDue();
    expect(await clinic.tries(hash)).toEqual(["declined"]);
    expect(await clinic.standing(hash)).toBe("scheduled approved");
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
    expect(await clinic.standing(hash)).toBe("collected approved");
  });

  test("of a stolen card is never tried again, until the patient gives another card", async () => {
    const hash = await paidOrder(LATER.stolen);
    await clinic.approve(hash);
    await advance(12 * DAY_MS);
    expect(await clinic.tries(hash)).toEqual(["declined"]);
    expect(await clinic.standing(hash)).toBe("failed approved");
    await clinic.giveCard(hash, LATER.captured);
    expect(await clinic.standing(hash)).toBe("scheduled approved");
    expect((await clinic.read(hash)).plan.data.installments[1].status).toBe("scheduled");
    await world.bff.runDue();
    expect(await clinic.tries(hash)).toEqual(["declined", "captured"]);
    expect(await clinic.standing(hash)).toBe("collected approved");
  });

  test("of a stolen card stays failed where another card comes over a chargeback", async () => {
    const hash = await paidOrder(LATER.stolen);
    await clinic.approve(hash);
    await advance(12 * DAY_MS);
    await noteChargedBack(hash);
    await clinic.giveCard(hash, LATER.captured);
    expect((await clinic.read(hash)).plan.data.installments[1].status).toBe("failed");
    await advance(12 * DAY_MS);
    expect(await clinic.tries(hash)).toEqual(["declined"]);
  });

  test("of what was given back meanwhile is not made, and the lender is told once that the loan is over", async () => {
    const hash = await paidOrder();
    await clinic.approve(hash);
    await clinic.refund(hash);
    // The charge's timer comes before the refund's event.
    const { db } = world.bff.database;
    const later = { due_at: new Date(now().getTime() + HOUR_MS) };
    await db.updateTable("timers").set(later).where("kind", "=", dispatchKind).where("done_at", "is", null).execute();
    await world.bff.runDue();
    expect(await clinic.standing(hash)).toBe("cancelled approved");
    const cards = db.selectFrom("sandbox_cards").select("id").where("removed_at", "is", null);
    expect(await cards.where("order_hash", "=", clinic.key(hash).orderId).execute()).toEqual([]);
    await advance(2 * HOUR_MS);
    expect(await laterCharges(hash)).toEqual([]);
    expect(await loanEnds(hash)).toEqual(["refunded"]);
  });

  test("with another card waits 24 hours all the same", async () => {
    const hash = await paidOrder(LATER.declined);
    await clinic.approve(hash);
    await advance(HOUR_MS);
    await clinic.giveCard(hash, LATER.captured);
    await advance(22 * HOUR_MS);
    expect(await clinic.tries(hash)).toEqual(["declined"]);
    await advance(2 * HOUR_MS);
    expect(await clinic.standing(hash)).toBe("collected approved");
  });

  test("that an operator retries is announced a day before, and counts in the four tries that were promised", async () => {
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
    expect(await clinic.standing(hash)).toBe("failed approved");
    const retry = () =>
      inTransaction(world.bff.database.db, (tx) => retryCollection(tx, clinic.resolving(), clinic.key(hash)));
    const again = await retry();
    expect(again.getTime()).toBeGreaterThanOrEqual(now().getTime() + DAY_MS);
    expect((await clinic.read(hash)).plan.data.installments[1].status).toBe("scheduled");
    const made = async () => (await clinic.tries(hash)).filter((state) => state === "declined").length;
    await advance(again.getTime() - now().getTime() - 1_000);
    expect(await made()).toBe(2);
    await advance(20 * DAY_MS);
    expect(await made()).toBe(CHARGE_TRIES_MAX);
    await expect(retry()).rejects.toMatchObject({ code: "tries_exhausted" });
  });

  test("that an operator retries is refused where its card will never work, or was given up for good", async () => {
    const stolen = await paidOrder(LATER.stolen);
    await clinic.approve(stolen);
    await world.bff.runDue();
    await expect(
      inTransaction(world.bff.database.db, (tx) => retryCollection(tx, clinic.resolving(), clinic.key(stolen))),
    ).rejects.toMatchObject({ code: "hard_decline" });
    await expect(release(stolen)).rejects.toMatchObject({ code: "not_stopped" });
    await inTransaction(world.bff.database.db, (tx) => writeOffCollection(tx, clinic.resolving(), clinic.key(stolen)));
    await expect(
      inTransaction(world.bff.database.db, (tx) => retryCollection(tx, clinic.resolving(), clinic.key(stolen))),
    ).rejects.toMatchObject({ code: "not_failed" });
    await advance(15 * DAY_MS);
    expect(await clinic.tries(stolen)).toEqual(["declined"]);
  });
});

/** What the event of each declined charge says of the next one; the last is what the version before reads. */
async function declines(hash: string) {
  const events = world.bff.database.db.selectFrom("events").select("payload").where("kind", "=", "collection.declined");
  const told = await events.where("order_id", "=", clinic.key(hash).orderId).execute();
  return told.map(({ payload }) => {
    const { next, due_at, next_try_at } = payload as Record<string, unknown>;
    return { next, due_at, next_try_at };
  });
}

/** The subject of the mail that tells of a declined charge. */
const DECLINED = "No pudimos hacer el cobro que queda de tu pago";

describe("a charge whose answer nobody heard", () => {
  test("is settled by inquiry, and made once", async () => {
    const hash = await paidOrder();
    await clinic.fault("card-processor", "charge", "fail_after");
    await clinic.approve(hash);
    await world.bff.runDue();
    expect(await clinic.standing(hash)).toBe("processing approved");
    await advance(15_000);
    expect(await clinic.standing(hash)).toBe("collected approved");
    expect(await laterCharges(hash)).toEqual([30_800]);
  });

  test("is made when it never arrived", async () => {
    const hash = await paidOrder();
    await clinic.fault("card-processor", "charge", "fail_before", 2);
    await clinic.approve(hash);
    await advance(5 * 60_000);
    expect(await clinic.standing(hash)).toBe("collected approved");
    expect(await laterCharges(hash)).toEqual([30_800]);
  });

  test("and never arrived is made days later, and the next try is 24 hours after that one", async () => {
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
    // How often one was asked about is counted of that one alone.
    const [heard, unheard] = present(await readCollection(world.bff.database.db, clinic.key(hash))).attempts;
    expect([heard?.inquiries, present(unheard).inquiries > 1]).toEqual([0, true]);
    expect(Math.min(...distances)).toBeGreaterThanOrEqual(24);
  });

  test("and never arrived is not made any more once all was refunded meanwhile", async () => {
    const hash = await paidOrder();
    await clinic.fault("card-processor", "charge", "fail_before", 2);
    await clinic.approve(hash);
    await world.bff.runDue();
    expect((await clinic.refund(hash)).body.refund.status).toBe("processing");
    await advance(2 * HOUR_MS);
    expect(await laterCharges(hash)).toEqual([]);
    expect(await clinic.tries(hash)).toEqual(["failed"]);
    expect(await clinic.read(hash)).toMatchObject({ status: "refunded", captured_amount: 12_000 });
    expect(await clinic.standing(hash)).toBe("cancelled approved");
    expect([await loanEnds(hash), await timersLeft(hash)]).toEqual([["refunded"], []]);
  });

  test("and never arrived is made for what a partial refund has left, which a debit card need not give back", async () => {
    const hash = await paidOrder(LATER.debit);
    await clinic.fault("card-processor", "charge", "fail_before");
    await clinic.approve(hash);
    await world.bff.runDue();
    expect((await clinic.refund(hash, { amount: 10_000 })).body.refund.status).toBe("processing");
    await advance(2 * HOUR_MS);
    expect((await clinic.read(hash)).refunds).toMatchObject([{ status: "succeeded", amount: 10_000 }]);
    expect(await laterCharges(hash)).toEqual([18_000 + 2_100]);
    expect(await clinic.standing(hash)).toBe("collected approved");
  });

  test("and never arrived is made all the same while the lender is not heard of about a refund of a part", async () => {
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

  test("and never arrived is not made over a chargeback that was noted meanwhile, nor counted as a try", async () => {
    const hash = await paidOrder();
    await clinic.fault("card-processor", "charge", "fail_before", 14);
    await clinic.approve(hash);
    await world.bff.runDue();
    await noteChargedBack(hash);
    await advance(DAY_MS);
    expect(await laterCharges(hash)).toEqual([]);
    expect((await clinic.read(hash)).collection).toMatchObject({ status: "failed" });
    expect(await clinic.mails()).not.toContain("No pudimos hacer el cobro que queda de tu pago");
    await clinic.fault("card-processor", "charge", "fail_before", 0);
    await inTransaction(world.bff.database.db, (tx) => releaseCollection(tx, clinic.resolving(), clinic.key(hash)));
    await advance(DAY_MS - 1_000);
    expect(await laterCharges(hash)).toEqual([]);
    await advance(1_000);
    expect(await laterCharges(hash)).toEqual([30_800]);
  });

  test("and that the bank took back before it was known is passed over by a refund that waited", async () => {
    const hash = await paidOrder();
    await clinic.fault("card-processor", "charge", "fail_after");
    await clinic.approve(hash);
    await world.bff.runDue();
    const chargeId = await noteChargedBack(hash, "later");
    expect((await clinic.refund(hash, { amount: 12_000 })).body.refund.status).toBe("processing");
    await advance(HOUR_MS);
    expect(await clinic.standing(hash)).toBe("collected approved");
    expect((await clinic.read(hash)).refunds).toMatchObject([{ status: "succeeded", amount: 12_000 }]);
    const returns = world.bff.database.db.selectFrom("sandbox_movements").select(["charge_id", "amount"]);
    const given = await returns
      .where("kind", "=", "return")
      .where("order_hash", "=", clinic.key(hash).orderId)
      .execute();
    expect(given.filter(({ charge_id }) => charge_id === chargeId)).toEqual([]);
    expect(given.reduce((sum, { amount }) => sum + amount, 0)).toBe(12_000);
  });

  test("and never arrived is made by one of two workers that ask at the same moment", async () => {
    const hash = await paidOrder();
    await clinic.fault("card-processor", "charge", "fail_before");
    await clinic.approve(hash);
    await world.bff.runDue();
    world.bff.clock.advance(MINUTE_MS);
    const { db } = world.bff.database;
    const [attempt] = present(await readCollection(db, clinic.key(hash))).attempts;
    const askedAt = now();
    const decide = () =>
      inTransaction(db, async (tx) => {
        const opened = await takeUpAttempt(tx, clinic.key(hash), present(attempt).id);
        if (opened.outcome !== "charge") throw new Error("It is not open.");
        return retryDecision(tx, world.collection, opened.charge, askedAt);
      });
    expect([await decide(), await decide()]).toEqual(["call", "inquire_later"]);
  });

  test("and never arrived is not made at night, nor on another day without being announced", async () => {
    const hash = await paidOrder();
    await clinic.fault("card-processor", "charge", "fail_before", 14);
    await clinic.approve(hash);
    await advance(17 * HOUR_MS);
    expect(await laterCharges(hash)).toEqual([]);
    const tomorrow = addCalendarDays(santiagoDay(now()), 1);
    expect(await clinic.dueAt(hash)).toBe(santiagoMoment(tomorrow, 9).toISOString());
    expect(await clinic.mails()).toContain(`El ${dayInWords(tomorrow, "es-CL")} haremos el cobro que queda`);
    await advance(DAY_MS);
    expect(await laterCharges(hash)).toEqual([]);
    await advance(2 * HOUR_MS);
    expect(await laterCharges(hash)).toEqual([30_800]);
    expect(await clinic.standing(hash)).toBe("collected approved");
  });

  test("and never arrived is made with the card that the patient has given since", async () => {
    const hash = await paidOrder(LATER.declined);
    await clinic.fault("card-processor", "charge", "fail_before", 2);
    await clinic.approve(hash);
    await world.bff.runDue();
    await clinic.giveCard(hash, LATER.captured);
    expect(await clinic.standing(hash)).toBe("processing approved");
    await advance(HOUR_MS);
    expect(await clinic.tries(hash)).toEqual(["failed", "captured"]);
    expect(await clinic.standing(hash)).toBe("collected approved");
  });

  test("is made once when the worker dies after it", async () => {
    const hash = await paidOrder();
    await clinic.fault("card-processor", "charge", "kill_after");
    await clinic.approve(hash);
    await world.bff.runDue();
    expect(await clinic.standing(hash)).toBe("processing approved");
    await advance(10 * 60_000);
    expect(await clinic.standing(hash)).toBe("collected approved");
    expect(await laterCharges(hash)).toEqual([30_800]);
  });
});

describe("a refund and the collection", () => {
  test("never meet: after a full refund nothing is collected", async () => {
    const hash = await paidOrder();
    await advance(10 * DAY_MS);
    expect((await clinic.refund(hash)).body.status).toBe("refunded");
    await world.bff.runDue();
    expect(await timersLeft(hash)).toEqual([]);
    await advance(40 * DAY_MS);
    expect(await clinic.standing(hash)).toBe("cancelled null");
    expect(await laterCharges(hash)).toEqual([]);
  });

  test("which gave nothing back, of an order of which another one has left nothing to charge, ends the collection there", async () => {
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
    expect([await stored(), await clinic.standing(hash)]).toEqual(["cancelled", "cancelled null"]);
    const loans = db.selectFrom("sandbox_loans").select("reported_end").where("order_hash", "=", orderId);
    expect((await loans.executeTakeFirstOrThrow()).reported_end).toBe("refunded");
  });

  test("never meet either when the refund is told before the payment", async () => {
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
    expect(await clinic.standing(hash)).toBe("cancelled null");
    expect(await clinic.dueAt(hash)).toBe(null);
  });

  test("of a part leaves the rest to be collected, with the commission on what is left", async () => {
    const hash = await paidOrder();
    await clinic.refund(hash, { amount: 10_000 });
    await advance(46 * DAY_MS);
    expect(await laterCharges(hash)).toEqual([18_000 + 2_100]);
  });

  test("of exactly the deferred part leaves nothing to collect", async () => {
    const hash = await paidOrder();
    await clinic.refund(hash, { amount: 28_000 });
    await advance(46 * DAY_MS);
    expect(await clinic.standing(hash)).toBe("cancelled null");
    expect(await laterCharges(hash)).toEqual([]);
  });

  test("wait for each other: a refund of an order whose charge is unresolved comes out of what was collected", async () => {
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

test("the mail about a refund says that the charge of the rest is in progress, and promises no end of charges", async () => {
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
  expect(await clinic.standing(hash)).toBe("processing approved");
  const [mail] = await clinic.mailTexts(`Devolución de tu pago en ${clinic.clinic.provider.name}`);
  expect(mail).toContain("El cobro que queda está en curso: te avisaremos cómo termina.");
  expect(mail).not.toContain("no habrá más cobros");
  await inTransaction(world.bff.database.db, (tx) => replaceFaults(tx, id, []));
  await advance(DAY_MS);
  expect(await clinic.standing(hash)).toBe("collected approved");
});

test("an approval that comes while the patient's data is blocked announces no charge: it is announced once they are not", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.neverAnswered);
  const { db } = world.bff.database;
  const rut = parseRut(PATIENTS.neverAnswered);
  const patient = present(await findBeneficiary(db, { tenant: tenantOf(clinic.clinic.provider), rut }));
  await inTransaction(db, (tx) => block(tx, patient, now()));
  await clinic.approve(hash);
  await inTransaction(db, (tx) => unblock(tx, patient));
  await advance(2 * HOUR_MS);
  expect(await clinic.tries(hash)).toEqual([]);
  expect((await clinic.mails()).filter((subject) => subject.endsWith("haremos el cobro que queda"))).toHaveLength(1);
  await advance(2 * DAY_MS);
  expect(await clinic.standing(hash)).toBe("collected approved");
});

test("the database refuses a charge by the mandate of which its patient was not told, was told of another day, or earlier", async () => {
  const hash = await paidOrder();
  const { db } = world.bff.database;
  const charge = {
    cardId: "card",
    initiator: "merchant",
    authenticationId: null,
    initialNetworkTransactionId: null,
  } as const;
  const refused = async (announced_for: Date, announced_at: Date | null) => {
    const announced = { announced_for, announced_at, announced_by: "notification", announced_amount: 1 } as const;
    await db.updateTable("collections").set(announced).where("order_id", "=", clinic.key(hash).orderId).execute();
    const inserted = inTransaction(db, (tx) =>
      insertAttempt(tx, clinic.key(hash), { id: systemIds.uuid(), ...charge }, now()),
    );
    await expect(inserted).rejects.toThrow("the patient was not told of a charge on this day");
  };
  const before = new Date(now().getTime() - DAY_MS);
  await refused(now(), null);
  await refused(before, new Date(now().getTime() - 2 * DAY_MS));
  await refused(new Date(now().getTime() + 1_000), before);
});

test("a full refund and the charge at the very same moment leave nothing with us, whichever is first", async () => {
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
    expect(kept, `what is left of ${hash} at the processor`).toBe(0);
    const order = await clinic.order(hash);
    expect(order.deferredCancelled + order.deferredCollected).toBeLessThanOrEqual(order.deferred);
    expect((await clinic.read(hash)).status).toBe("refunded");
    expect(["cancelled approved", "collected approved"]).toContain(await clinic.standing(hash));
  }
});

/** The checkout's summary, in words.summary.latePayment, .triggerLatest and .earlyPayment of the widget. */
describe("what the summary tells of the later charge is what happens", () => {
  /** What the summary shows: what is charged later with its commission, and on what day at the latest. */
  async function shown(hash: string) {
    const { plan } = await clinic.read(hash);
    const { amount, latest_due_date } = plan.data.installments[1];
    return { later: amount + plan.data.commission.amount, latest: latest_due_date };
  }

  test("late: it is tried as often as told, within as many days, told each time, and never grows", async () => {
    const hash = await paidOrder(LATER.declined);
    const { later } = await shown(hash);
    await clinic.approve(hash);
    await advance(30 * DAY_MS);
    const tries = (await clinic.order(hash)).payments.filter(({ kind }) => kind === "deferred");
    expect(tries).toHaveLength(CHARGE_TRIES_MAX);
    expect(new Set(tries.map(({ amount }) => amount))).toEqual(new Set([later]));
    const [first, last] = [tries[0]?.createdAt, tries.at(-1)?.createdAt];
    expect((last?.getTime() ?? 0) - (first?.getTime() ?? 0)).toBeLessThanOrEqual(CHARGE_TRIES_WINDOW_DAYS * DAY_MS);
    const mails = await clinic.mailTexts("No pudimos hacer el cobro que queda de tu pago");
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
  ])("latest: an isapre that %s leaves the charge to the day that was shown", async (_case, rut) => {
    const hash = await clinic.claimedOrder(rut);
    const { later, latest } = await shown(hash);
    await advance(santiagoMoment(latest).getTime() - now().getTime() - 1);
    expect(await laterCharges(hash)).toEqual([]);
    await advance(DAY_MS);
    expect(await laterCharges(hash)).toEqual([later]);
    expect(await clinic.standing(hash)).toBe("collected day_45");
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

  /** The patient asks to pay, and confirms it at their card's issuer or not, from where they are not back yet. */
  async function confirm(hash: string, choice: "approve" | "reject" = "approve"): Promise<void> {
    const asked = await pay(hash);
    if (asked.outcome !== "requires_action") throw new Error("The issuer asks.");
    await clinic.press(asked.challenge.url, choice);
  }

  /** The timer that asks about a charge. */
  const timerOf = (hash: string, attemptId: string) => claimed(hash, { kind: SETTLE_EARLY_TIMER, key: attemptId });

  test("is charged at once, at any hour, and never again", async () => {
    const hash = await paidOrder();
    await advance(10 * HOUR_MS);
    expect(await pay(hash)).toEqual({ outcome: "collected" });
    expect(await pay(hash)).toEqual({ outcome: "collected" });
    // What was to be done on day 45, or if no answer had come, is not waited for any more.
    expect(await timersLeft(hash)).toEqual(["collection.report_loan"]);
    await advance(46 * DAY_MS);
    expect(await clinic.standing(hash)).toBe("collected paid_early");
    expect(await laterCharges(hash)).toEqual([30_800]);
  });

  test("whose issuer asks is charged once they are back, though they began to give another card meanwhile", async () => {
    const hash = await paidOrder(LATER.challenged);
    await confirm(hash);
    expect((await clinic.giveCard(hash, CARDS.challenge)).outcome).toBe("requires_action");
    expect(await inquireEarly(world.collection, early(hash))).toEqual({ outcome: "collected" });
  });

  test("is charged once however often the button is pressed, also while the day's charge runs", async () => {
    const hash = await paidOrder();
    await clinic.approve(hash);
    const outcomes = await Promise.all([pay(hash), pay(hash), world.bff.runDue(), pay(hash)]);
    expect(outcomes).toHaveLength(4);
    await advance(HOUR_MS);
    expect(await laterCharges(hash)).toEqual([30_800]);
    expect(await clinic.standing(hash)).toMatch(/^collected /);
  });

  test("and is declined owes what was owed before, when it was owed", async () => {
    const hash = await paidOrder(LATER.declined);
    const due = await clinic.dueAt(hash);
    expect(await pay(hash)).toEqual({ outcome: "declined", reason: "declined" });
    expect(await clinic.standing(hash)).toBe("scheduled null");
    expect(await clinic.dueAt(hash)).toBe(due);
  });

  test("and is declined is told that what is due is due as before", async () => {
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

  test("with a card that will never work is told that it is not tried again", async () => {
    const hash = await paidOrder(LATER.stolen);
    await pay(hash);
    await world.bff.runDue();
    expect(await clinic.mailTexts(DECLINED)).toEqual([expect.stringContaining("No lo intentaremos de nuevo con esta")]);
    await advance(46 * DAY_MS);
    expect(await clinic.tries(hash)).toEqual(["declined"]);
  });

  test("and does not hear the answer is charged once", async () => {
    const hash = await paidOrder();
    await clinic.fault("card-processor", "charge", "fail_after");
    expect(await pay(hash)).toEqual({ outcome: "processing" });
    await advance(60_000);
    expect(await pay(hash)).toEqual({ outcome: "collected" });
    expect(await laterCharges(hash)).toEqual([30_800]);
  });

  test("and does not hear the answer is asked about by the timer of that charge alone", async () => {
    const hash = await paidOrder(LATER.declined);
    expect(await pay(hash)).toEqual({ outcome: "declined", reason: "declined" });
    await clinic.fault("card-processor", "charge", "fail_after");
    expect(await pay(hash)).toEqual({ outcome: "processing" });
    const { attempts } = present(await readCollection(world.bff.database.db, clinic.key(hash)));
    const settle = (state: "declined" | "charging") => {
      const { id } = present(attempts.find((attempt) => attempt.state === state));
      return settleEarlyPayment(world.collection, timerOf(hash, id));
    };
    expect([await settle("declined"), await clinic.standing(hash)]).toEqual(["done", "processing null"]);
    expect([await settle("charging"), await clinic.standing(hash)]).toEqual(["done", "scheduled null"]);
  });

  test("and whose charge never arrived is not charged when they have long gone", async () => {
    const hash = await paidOrder();
    const due = await clinic.dueAt(hash);
    await clinic.fault("card-processor", "charge", "fail_before", 5);
    expect(await pay(hash)).toEqual({ outcome: "processing" });
    await advance(3 * DAY_MS);
    expect(await laterCharges(hash)).toEqual([]);
    expect([await clinic.standing(hash), await clinic.dueAt(hash)]).toEqual(["scheduled null", due]);
    expect(await inquireEarly(world.collection, early(hash))).toEqual({ outcome: "none" });
    expect(await pay(hash)).toEqual({ outcome: "collected" });
  });

  test("and confirms it while the issuer's page still waits for them is charged, though they began long ago", async () => {
    const hash = await paidOrder();
    await challengeFor(hash);
    await clinic.fault("card-processor", "authenticate", "fail_before", 100);
    expect(await pay(hash)).toEqual({ outcome: "processing" });
    await advance(10 * MINUTE_MS);
    await clinic.fault("card-processor", "authenticate", "fail_before", 0);
    await advance(6 * MINUTE_MS);
    const asked = await inquireEarly(world.collection, early(hash));
    if (asked.outcome !== "requires_action") throw new Error(`It is ${asked.outcome}.`);
    await clinic.press(asked.challenge.url, "approve");
    expect(await inquireEarly(world.collection, early(hash))).toEqual({ outcome: "collected" });
  });

  test("is waited for at the issuer's for a quarter of an hour, and no longer", async () => {
    const [soon, late] = [await paidOrder(LATER.challenged), await paidOrder(LATER.challenged)];
    for (const hash of [soon, late]) await confirm(hash);
    const patience = 15 * MINUTE_MS;
    world.bff.clock.advance(patience - 1);
    expect(await inquireEarly(world.collection, early(soon))).toEqual({ outcome: "collected" });
    world.bff.clock.advance(1);
    expect(await inquireEarly(world.collection, early(late))).toEqual({ outcome: "none" });
  });

  test("is waited for a quarter of an hour where the charge did not arrive, and no longer", async () => {
    const [soon, late] = [await paidOrder(), await paidOrder()];
    await clinic.fault("card-processor", "charge", "fail_before", 2);
    for (const hash of [soon, late]) expect(await pay(hash)).toEqual({ outcome: "processing" });
    const settle = async (hash: string) => {
      const [attempt] = present(await readCollection(world.bff.database.db, clinic.key(hash))).attempts;
      await settleEarlyPayment(world.collection, timerOf(hash, present(attempt).id));
      return clinic.standing(hash);
    };
    world.bff.clock.advance(15 * MINUTE_MS - 1);
    expect(await settle(soon)).toBe("collected paid_early");
    world.bff.clock.advance(1);
    expect(await settle(late)).toBe("scheduled null");
  });

  test("is charged no more than what they confirmed", async () => {
    const hash = await paidOrder(LATER.challenged);
    await confirm(hash);
    const asked = world.bff.database.db.updateTable("card_attempts").set({ amount: 30_799 });
    await asked.where("order_id", "=", clinic.key(hash).orderId).execute();
    expect(await inquireEarly(world.collection, early(hash))).toEqual({ outcome: "none" });
    expect(await clinic.tries(hash)).toEqual([]);
  });

  test("and whose issuer refuses is told so, and not of the charge that was declined before", async () => {
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

  test("has nothing to pay after a refund, nor once it was given up for good", async () => {
    const [refunded, givenUp] = [await paidOrder(), await paidOrder(LATER.stolen)];
    await clinic.approve(givenUp);
    await clinic.refund(refunded);
    await world.bff.runDue();
    await inTransaction(world.bff.database.db, (tx) => writeOffCollection(tx, clinic.resolving(), clinic.key(givenUp)));
    // Its collection follows the payment.
    const untold = await clinic.paidOrder();
    for (const hash of [refunded, givenUp, untold]) {
      expect(await pay(hash)).toEqual({ outcome: "nothing_due" });
      expect(await inquireEarly(world.collection, early(hash))).toEqual({ outcome: "nothing_due" });
    }
  });

  test("and is asked by the issuer is asked for that order alone", async () => {
    const [asked, other] = [await paidOrder(), await paidOrder()];
    await challengeFor(asked);
    expect(await pay(asked)).toMatchObject({ outcome: "requires_action" });
    expect(await inquireEarly(world.collection, early(other))).toEqual({ outcome: "none" });
    expect(await pay(other)).toEqual({ outcome: "collected" });
  });
});

describe("a charge whose decline was heard late", () => {
  const declinedUnheard = async () => {
    const hash = await paidOrder(LATER.declined);
    await clinic.fault("card-processor", "charge", "fail_after");
    await clinic.approve(hash);
    await world.bff.runDue();
    return hash;
  };

  test("over a chargeback is told without a promise: a person who lets it go on has the card tried again", async () => {
    const hash = await declinedUnheard();
    await noteChargedBack(hash);
    await advance(60_000);
    const told = await clinic.mailTexts(DECLINED);
    expect(told).toEqual([expect.stringContaining("Si lo intentamos de nuevo, te avisaremos al menos el día antes.")]);
    await inTransaction(world.bff.database.db, (tx) => releaseCollection(tx, clinic.resolving(), clinic.key(hash)));
    await advance(2 * DAY_MS);
    expect(await clinic.tries(hash)).toHaveLength(2);
  });

  test("over a chargeback is told as the last one where its card will never work", async () => {
    const hash = await paidOrder(LATER.stolen);
    await clinic.fault("card-processor", "charge", "fail_after");
    await clinic.approve(hash);
    await world.bff.runDue();
    await noteChargedBack(hash);
    await advance(60_000);
    expect(await clinic.mailTexts(DECLINED)).toEqual([expect.stringContaining("No lo intentaremos de nuevo con esta")]);
  });

  test("over a chargeback fails the refund that waited for it, which is told to the clinic once", async () => {
    const hash = await declinedUnheard();
    const refund = await clinic.refund(hash);
    expect([refund.status, refund.body.refund.status]).toEqual([200, "processing"]);
    await noteChargedBack(hash);
    await advance(2 * DAY_MS);
    expect((await clinic.read(hash)).refunds).toMatchObject([{ status: "failed" }]);
    const log = await world.bff.callSpotApi(webhookEndpoints.listEvents, { as: clinic.clinic });
    expect(log.body.events).toMatchObject([
      { event: "order.paid" },
      { event: "order.refund_failed", order_hash: hash, status: "paid", refund_id: refund.body.refund.id },
    ]);
  });

  test("while all is being given back announces no next try, since none comes", async () => {
    const hash = await declinedUnheard();
    expect((await clinic.refund(hash)).body.refund.status).toBe("processing");
    await clinic.fault("financing-provider", "reduceLoan", "fail_before", 5);
    await advance(60_000);
    const told = await clinic.mailTexts(DECLINED);
    expect(told).toEqual([expect.not.stringContaining("Lo intentaremos de nuevo el")]);
    await advance(3 * DAY_MS);
    expect(await clinic.tries(hash)).toEqual(["declined"]);
    expect([await loanEnds(hash), await timersLeft(hash)]).toEqual([["refunded"], []]);
  });
});

/** The patient's bank takes a charge back at a moment of the processor's clock. Returns that charge. */
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

/** The same, and known here at once. Returns the charge's id. */
async function noteChargedBack(hash: string, which?: "later"): Promise<string> {
  const { id, charge_id: chargeId, amount } = await chargedBack(hash, now(), which);
  const chargeback = { ...clinic.key(hash), id: `chargeback of ${id}`, chargeId, amount: clp(amount), at: now() };
  expect(await inTransaction(world.bff.database.db, (tx) => noteChargeback(tx, chargeback, now()))).toBe(true);
  return chargeId;
}

describe("a chargeback", () => {
  test("of what was refunded already is not recovered from the clinic, which has nothing left of it", async () => {
    const hash = await paidOrder();
    await clinic.refund(hash);
    await noteChargedBack(hash);
    const { db } = world.bff.database;
    const before = await rowsOfOrder(db, clinic.key(hash).orderId);
    const recovered = inTransaction(db, (tx) => recoverFromClinic(tx, clinic.resolving(), clinic.key(hash)));
    await expect(recovered).rejects.toMatchObject({ code: "nothing_to_recover" });
    expect(await rowsOfOrder(db, clinic.key(hash).orderId)).toEqual(before);
  });

  test("that is older than the answer to the patient's own charge is not given back a second time by a refund", async () => {
    const hash = await clinic.readyOrder({ card: LATER.captured });
    await clinic.fault("card-processor", "charge", "fail_after");
    expect((await clinic.pay(hash)).body.payment).toEqual({ status: "processing" });
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

  test("is known also where it is older than the payment that the first look began with", async () => {
    // Either the processor's clock is behind ours, or this payment was reported long after it was made.
    const hash = await paidOrder();
    await chargedBack(hash, new Date(now().getTime() - 3 * DAY_MS));
    await advance(DAY_MS);
    expect((await clinic.read(hash)).collection).toMatchObject({ status: "failed" });
  });

  test("that the processor lists stops the collection, until a person lets it go on", async () => {
    const hash = await paidOrder();
    const { orderId, providerId } = clinic.key(hash);
    const first = await chargedBack(hash, now());
    await advance(46 * DAY_MS);
    expect(await laterCharges(hash)).toEqual([]);
    expect((await clinic.read(hash)).collection).toMatchObject({ status: "failed", reason: "day_45" });
    const known = { providerId, orderId, id: `chargeback of ${first.id}`, chargeId: first.charge_id, amount: clp(1) };
    expect(await inTransaction(world.bff.database.db, (tx) => noteChargeback(tx, { ...known, at: now() }, now()))).toBe(
      false,
    );
    await release(hash);
    await advance(4 * DAY_MS);
    expect(await laterCharges(hash)).toEqual([30_800]);
  });

  test("of what is given up for good counts as seen by the operator", async () => {
    const hash = await paidOrder();
    await noteChargedBack(hash);
    const { db } = world.bff.database;
    await inTransaction(db, (tx) => writeOffCollection(tx, clinic.resolving(), clinic.key(hash)));
    const noted = db.selectFrom("chargebacks").select("released_at").where("order_id", "=", clinic.key(hash).orderId);
    expect(await noted.execute()).toEqual([{ released_at: now() }]);
  });

  test("takes back of its own charge alone, and is let go, won or lost once, whatever is said of others later", async () => {
    const hash = await paidOrder();
    await clinic.approve(hash);
    await world.bff.runDue();
    const { db } = world.bff.database;
    const [first, later] = (await clinic.order(hash)).payments;
    const noted = (charge: typeof first, id: string) => {
      const { chargeId, amount = clp(0) } = charge ?? {};
      const chargeback = { ...clinic.key(hash), id, chargeId: chargeId ?? "", amount, at: now() };
      return inTransaction(db, (tx) => noteChargeback(tx, chargeback, now()));
    };
    const win = () => inTransaction(db, (tx) => winOrdersChargebacks(tx, clinic.resolving(), clinic.key(hash)));
    const letGo = () => inTransaction(db, (tx) => acknowledgeChargebacks(tx, clinic.resolving(), clinic.key(hash)));
    const disputed = async () => (await clinic.order(hash)).payments.map((one) => [one.disputed, one.lost]);
    const ended = () => selectSettled(db, clinic.clinic.provider.id);
    await noted(first, "won");
    expect(await ended()).toEqual(new Set());
    expect(await disputed()).toEqual([
      [12_000, 0],
      [0, 0],
    ]);
    await win();
    await letGo();
    const wonAt = now();
    world.bff.clock.advance(DAY_MS);
    await noted(later, "lost");
    await inTransaction(db, (tx) => loseOrdersChargebacks(tx, clinic.resolving(), clinic.key(hash)));
    const lostAt = now();
    world.bff.clock.advance(DAY_MS);
    await win();
    await letGo();
    expect(await disputed()).toEqual([
      [0, 0],
      [30_800, 30_800],
    ]);
    expect(await ended()).toEqual(new Set(["lost", "won"]));
    expect(await selectSettled(db, (await world.newClinic()).clinic.provider.id)).toEqual(new Set());
    const rows = db.selectFrom("chargebacks").select(["id", "won_at", "lost_at", "released_at"]);
    expect(await rows.where("order_id", "=", clinic.key(hash).orderId).orderBy("id").execute()).toEqual([
      { id: "lost", won_at: null, lost_at: lostAt, released_at: now() },
      { id: "won", won_at: wonAt, lost_at: null, released_at: wonAt },
    ]);
  });
});

describe("what operators are shown of a chargeback", () => {
  /** Whether the clinic has sent a receipt is not what these tests are about. */
  const shown = async () => (await clinic.exceptions()).filter(({ kind }) => kind !== "receipt_missing");
  const noted = (hash: string, id: string, amount: number) => {
    const chargeback = { ...clinic.key(hash), id, chargeId: `charge of ${hash}`, amount: clp(amount), at: now() };
    return inTransaction(world.bff.database.db, (tx) => noteChargeback(tx, chargeback, now()));
  };

  test("is of its own order, with all of it, since the last one", async () => {
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

  test.each(["chargeback_won", "chargeback_lost", "recover_from_clinic"] as const)(
    "of what had failed is in the way of another card until it is decided (%s)",
    async (decision) => {
      const [undecided, decided] = [await paidOrder(LATER.stolen), await paidOrder(LATER.stolen)];
      for (const hash of [undecided, decided]) await clinic.approve(hash);
      await world.bff.runDue();
      for (const hash of [undecided, decided]) await noteChargedBack(hash);
      await clinic.giveCard(undecided, LATER.captured);
      await clinic.operatorDoes("chargeback", decision);
      const kinds = (await shown()).map(({ kind }) => kind);
      expect(kinds.toSorted()).toEqual(["collection_failed", "collection_stopped"]);
      await clinic.giveCard(decided, LATER.captured);
      expect([await clinic.standing(undecided), await clinic.standing(decided)]).toEqual([
        "failed approved",
        "scheduled approved",
      ]);
    },
  );
});

test("what is paid in another way is not booked without saying how it is known, nor while a refund claims all of it", async () => {
  const hash = await paidOrder(LATER.stolen);
  await clinic.approve(hash);
  await world.bff.runDue();
  const pay = (note: string) => clinic.operatorDoes("collection_failed", "paid_otherwise", note, 30_800);
  await expect(pay(" ")).rejects.toThrow("Say in --note");
  await clinic.fault("financing-provider", "reduceLoan", "fail_before", 100);
  expect((await clinic.refund(hash, { amount: 28_000 })).body.refund.status).toBe("processing");
  await expect(pay("cartola 24-11")).rejects.toThrow(/^Nothing is due\.$/);
});

test("what happens to one order changes nothing of another of the clinic", async () => {
  const { db } = world.bff.database;
  const { provider } = clinic.clinic;
  const key = (hash: string) => clinic.key(hash);
  const resolve = <Result>(run: (tx: Transaction) => Promise<Result>) => inTransaction(db, run);
  const beside = await paidOrder();
  const [declined, stolen, collected] = [
    await paidOrder(LATER.declined),
    await paidOrder(LATER.stolen),
    await paidOrder(),
  ];
  const noted = async (hash: string) => {
    const [charge] = (await clinic.order(hash)).payments;
    const chargeback = { id: `of ${hash}`, chargeId: charge?.chargeId ?? "", amount: clp(12_000), at: now() };
    await resolve((tx) => noteChargeback(tx, { ...key(hash), ...chargeback }, now()));
  };
  await challengeFor(beside);
  expect(await payEarly(world.collection, { provider, key: key(beside), now: now() })).toMatchObject({
    outcome: "requires_action",
  });
  expect((await clinic.giveCard(beside, CARDS.challenge)).outcome).toBe("requires_action");
  await noted(beside);
  const before = await rowsOfOrder(db, key(beside).orderId);
  expect(Object.keys(before)).toEqual(expect.arrayContaining(["card_attempts", "chargebacks", "collections"]));

  for (const hash of [declined, stolen, collected]) await clinic.approve(hash);
  await world.bff.runDue();
  expect(await clinic.standing(collected)).toBe("collected approved");
  await clinic.giveCard(declined, LATER.captured);
  await resolve((tx) => writeOffCollection(tx, clinic.resolving(), key(stolen)));
  await noted(collected);
  await resolve((tx) => acknowledgeChargebacks(tx, clinic.resolving(), key(collected)));
  await resolve((tx) => winOrdersChargebacks(tx, clinic.resolving(), key(collected)));
  await noted(declined);
  await resolve((tx) => loseOrdersChargebacks(tx, clinic.resolving(), key(declined)));
  await world.bff.runDue();
  expect(await rowsOfOrder(db, key(beside).orderId)).toEqual(before);
  // Of what the lender was told, and of how often it was asked, each order has its own count.
  const { rows } = await unconfirmedReports.execute(db);
  expect(rows.filter(({ provider_id }) => provider_id === provider.id)).toEqual([]);
  const asked = [await countReportInquiry(db, key(stolen), 1), await countReportInquiry(db, key(collected), 1)];
  expect(asked).toEqual([1, 1]);
});

/** The issuer of an order's card wants its patient to be asked. */
async function challengeFor(hash: string): Promise<void> {
  const cards = world.bff.database.db.updateTable("sandbox_cards").set({ behaviour: "challenge" });
  await cards.where("order_hash", "=", clinic.key(hash).orderId).execute();
}

const release = (hash: string) =>
  inTransaction(world.bff.database.db, (tx) => releaseCollection(tx, clinic.resolving(), clinic.key(hash)));

/** The patient revokes the mandate. Returns whether there was one. */
const revoke = (hash: string) =>
  inTransaction(world.bff.database.db, (tx) => revokeMandate(tx, world.collection, clinic.key(hash), now()));

test("a mandate that is revoked changes nothing of what has stopped or failed before, and none is tried again", async () => {
  const [stopped, failed, collected] = [await paidOrder(), await paidOrder(LATER.stolen), await paidOrder()];
  await chargedBack(stopped, now());
  await advance(DAY_MS);
  for (const hash of [stopped, failed, collected]) await clinic.approve(hash);
  await world.bff.runDue();
  const { db } = world.bff.database;
  const failure = async (hash: string) => (await readCollection(db, clinic.key(hash)))?.failure;
  expect([await revoke(stopped), await revoke(failed), await revoke(collected)]).toEqual([true, true, false]);
  expect([await revoke(stopped), await revoke(failed)]).toEqual([false, false]);
  expect([await failure(stopped), await failure(failed)]).toEqual(["chargeback", "hard_decline"]);
  expect([await loanEnds(stopped), await loanEnds(failed)]).toEqual([[], ["in_arrears"]]);
  const retried = inTransaction(db, (tx) => retryCollection(tx, clinic.resolving(), clinic.key(failed)));
  await expect(retried).rejects.toMatchObject({ code: "mandate_revoked" });
  expect(await release(stopped)).toBe(null);
  expect(await loanEnds(stopped)).toEqual(["in_arrears"]);
});

test("a patient who revokes the mandate is told when to pay: by the latest day, or now if the charge is due", async () => {
  const [waiting, due] = [await paidOrder(), await paidOrder()];
  const latest = (await clinic.read(waiting)).plan.data.installments[1].latest_due_date;
  await clinic.approve(due);
  for (const hash of [waiting, due]) await revoke(hash);
  await world.bff.runDue();
  const told = (await clinic.messages()).filter((text) => text.includes("retiraste la autorizacion"));
  expect(told).toHaveLength(2);
  const day = dayInWords(latest, "es-CL");
  expect(told.filter((text) => text.includes(`a mas tardar el ${day}`))).toHaveLength(1);
  expect(told.filter((text) => text.includes("ya corresponde pagarlos"))).toHaveLength(1);
});

test("a mandate is revoked also while a refund claims all that is left, of which there is nothing to tell", async () => {
  const hash = await paidOrder();
  await clinic.fault("financing-provider", "reduceLoan", "fail_before", 100);
  expect((await clinic.refund(hash, { amount: 28_000 })).body.refund.status).toBe("processing");
  expect([await revoke(hash), await revoke(hash)]).toEqual([true, false]);
  const told = world.bff.database.db
    .selectFrom("events")
    .select("kind")
    .where("kind", "=", "collection.mandate_revoked");
  expect(await told.where("order_id", "=", clinic.key(hash).orderId).execute()).toEqual([]);
});

test("what is owed of an order counts a later charge in progress, and neither one that was declined nor the first payment", async () => {
  const [declined, unheard] = [await paidOrder(LATER.declined), await paidOrder()];
  await clinic.approve(declined);
  await world.bff.runDue();
  await clinic.fault("card-processor", "charge", "fail_after", 2);
  await clinic.approve(unheard);
  await world.bff.runDue();
  const paying = await clinic.readyOrder();
  expect((await clinic.pay(paying)).body.payment).toEqual({ status: "processing" });
  const owed = async (hash: string) => owedNow(await clinic.order(hash));
  expect([await owed(declined), await owed(unheard), await owed(paying)]).toEqual([30_800, 30_800, 0]);
});

// In the short check: simulated lives.
describe("the charge of day 45 is announced before it comes", { tags: ["long"] }, () => {
  const announced = async () =>
    (await clinic.mails()).filter((subject) => subject.endsWith("haremos el cobro que queda"));
  const inWords = (moment: Date) => `El ${dayInWords(santiagoDay(moment), "es-CL")} haremos el cobro que queda`;

  test("also of a collection that was stopped on the day of the announcement, when it is let go on", async () => {
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

  test("and three days before, if it is let go on later than that, also with another card", async () => {
    const hash = await paidOrder();
    await chargedBack(hash, now());
    await advance(50 * DAY_MS);
    const dueAt = await release(hash);
    expect(dueAt?.getTime()).toBe(now().getTime() + 3 * DAY_MS);
    await world.bff.runDue();
    expect(await announced()).toEqual([inWords(dueAt ?? now())]);
    await advance(DAY_MS);
    await clinic.giveCard(hash, LATER.captured);
    await advance(2 * DAY_MS - 1_000);
    expect(await laterCharges(hash)).toEqual([]);
    await advance(1_000);
    expect(await laterCharges(hash)).toEqual([30_800]);
    expect(await announced()).toHaveLength(1);
  });

  test("and again, a day before, if its day was missed", async () => {
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

  test("not of one that is let go on although its mandate was revoked, or a refund claims all of it", async () => {
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

  test("not of one that an approval has made due before, while its tries go on", async () => {
    const hash = await paidOrder(LATER.declined);
    await advance(41 * DAY_MS);
    await clinic.approve(hash);
    await advance(2 * DAY_MS);
    expect([await clinic.standing(hash), await clinic.tries(hash)]).toEqual([
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
    test(`also of one that a refund claimed wholly, and which fails ${when}`, async () => {
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

  test("for the day that the version before has told of, which migration 33 writes down", async () => {
    const told = await paidOrder();
    const due = new Date((await clinic.dueAt(told)) ?? "");
    await advance(43 * DAY_MS);
    expect(await announced()).toHaveLength(1);
    const untold = await paidOrder();
    const { db } = world.bff.database;
    const unannounced = { announced_for: null, announced_amount: null, announced_by: null, announced_at: null };
    await db.updateTable("collections").set(unannounced).execute();
    // As that version names the cause.
    const cause = sql<string>`'charge_announced:' || order_id`;
    const ofTold = db.updateTable("notices").set({ cause }).where("order_id", "=", clinic.key(told).orderId);
    await ofTold.where("kind", "=", "charge_announced").where("channel", "=", "email").execute();
    const migration = (await readMigrations()).find(({ number }) => number === 33);
    const filling = /^update collections[^;]*;/m.exec(migration?.sql ?? "")?.[0] ?? "";
    await sql.raw(filling).execute(db);
    const announcedFor = async (hash: string) => {
      const { providerId, orderId } = clinic.key(hash);
      const row = db.selectFrom("collections").select("announced_for").where("provider_id", "=", providerId);
      return (await row.where("order_id", "=", orderId).executeTakeFirstOrThrow()).announced_for;
    };
    expect([await announcedFor(told), await announcedFor(untold)]).toEqual([due, null]);
    await advance(2 * DAY_MS);
    expect(await laterCharges(told)).toEqual([30_800]);
    expect(await announced()).toHaveLength(1);
  });
});

test("a chargeback that comes into the list days late is known, and a claim that is approved then promises no charge", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.approvedOnDay12);
  await advance(5 * DAY_MS);
  await chargedBack(hash, new Date(now().getTime() - 3 * DAY_MS));
  await advance(DAY_MS);
  expect((await clinic.read(hash)).collection).toMatchObject({ status: "failed" });
  await advance(8 * DAY_MS);
  expect(await clinic.mails()).toContain("Aprobaron tu reembolso");
  expect((await clinic.messages()).filter((text) => text.includes("aprobo"))).toEqual([
    expect.not.stringContaining("se cobra"),
  ]);
});

test("a collection that a person lets go on has failed where its card can be charged no more, and says so", async () => {
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
  expect(await clinic.standing(hash)).toBe("failed approved");
  expect((await clinic.read(hash)).plan.data.installments[1].status).toBe("failed");
  expect(await loanEnds(hash)).toEqual(["in_arrears"]);
});

test("whoever has given another card is told of that one, before it is charged", async () => {
  const approved = await clinic.claimedOrder(PATIENTS.approvedAfter5Days);
  const waiting = await clinic.claimedOrder(PATIENTS.neverAnswered);
  for (const hash of [approved, waiting]) await clinic.giveCard(hash, LATER.declinedTwice);
  await advance(6 * DAY_MS);
  const ending = `terminada en ${LATER.declinedTwice.slice(-4)}`;
  expect(await clinic.mailTexts("Aprobaron tu reembolso")).toEqual([expect.stringContaining(ending)]);
  await advance(37 * DAY_MS);
  const [announced] = (await clinic.mails()).filter((subject) => subject.endsWith("haremos el cobro que queda"));
  expect(await clinic.mailTexts(announced ?? "")).toEqual([expect.stringContaining(ending)]);
});

test("chargebacks are read from four months ago at first and again from two weeks ago, and one of an unknown order holds up no other", async () => {
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

test("of the collections whose timers may be lost the clinic's own are found that are due, the oldest first, and no more than fit", async () => {
  const other = await world.newClinic();
  const theirs = await other.justPaid();
  const [waiting, later, sooner] = [await paidOrder(), await paidOrder(), await paidOrder()];
  await other.approve(theirs);
  for (const hash of [sooner, later]) {
    await clinic.approve(hash);
    world.bff.clock.advance(MINUTE_MS);
  }
  const { providerId } = clinic.key(waiting);
  const found = async (limit: number) => {
    const overdue = await selectOverdue(world.bff.database.db, { providerId, dueBefore: now(), limit });
    return overdue.map(({ orderId }) => orderId);
  };
  expect(await found(9)).toEqual([sooner, later]);
  expect(await found(1)).toEqual([sooner]);
});

test("what the lender is to be told of a loan is told in its order, each once, and what it has not confirmed is asked about", async () => {
  const [hash, beside] = [await paidOrder(), await paidOrder()];
  const { db } = world.bff.database;
  const write = <Result>(run: (tx: Transaction) => Promise<Result>) => inTransaction(db, run);
  const add = (of: string, end: "in_arrears" | "collected" | "refunded") =>
    write((tx) => insertReport(tx, clinic.key(of), { end, amount: clp(1), at: now() }));
  const take = async (of: string) => {
    const { reports, mayHaveArrived } = await write((tx) => takeUpReports(tx, clinic.key(of), now()));
    return [mayHaveArrived, ...reports.map(({ number, end }) => `${number} ${end}`)];
  };
  const confirm = (of: string, number: number) => write((tx) => writeReported(tx, clinic.key(of), number, now()));
  await add(hash, "in_arrears");
  await add(beside, "refunded");
  await add(hash, "collected");
  expect(await take(hash)).toEqual([false, "1 in_arrears", "2 collected"]);
  expect([await confirm(hash, 1), await confirm(hash, 1)]).toEqual([true, false]);
  await add(hash, "refunded");
  expect(await take(hash)).toEqual([true, "2 collected", "3 refunded"]);
  const counted = [
    await countReportInquiry(db, clinic.key(hash), 3),
    await countReportInquiry(db, clinic.key(hash), 2),
  ];
  expect(counted).toEqual([1, 1]);
  expect([await confirm(hash, 2), await confirm(hash, 3), await take(hash)]).toEqual([true, true, [false]]);
  expect(await take(beside)).toEqual([false, "1 refunded"]);
});

test("a collection whose timers were lost is found the next day, and announced before it is charged", async () => {
  const hash = await paidOrder();
  const due = new Date((await clinic.dueAt(hash)) ?? "");
  await loseTimers(hash);
  await advance(due.getTime() - now().getTime() + 2 * DAY_MS);
  expect(await clinic.standing(hash)).toBe("scheduled day_45");
  await advance(3 * DAY_MS);
  expect(await clinic.standing(hash)).toBe("collected day_45");
});

test("a charge whose timers were lost is found the next day: one that is due, one of another card, and a patient's own of unknown end", async () => {
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
  const standings = () => Promise.all([due, again, unknown].map((hash) => clinic.standing(hash)));
  expect(await standings()).toEqual(["scheduled approved", "scheduled approved", "processing null"]);
  await advance(DAY_MS);
  // What was to be charged on that day is announced anew.
  expect(await standings()).toEqual(["scheduled approved", "scheduled approved", "collected paid_early"]);
  await advance(3 * DAY_MS);
  expect(await standings()).toEqual(["collected approved", "collected approved", "collected paid_early"]);
  expect(await laterCharges(unknown)).toEqual([30_800]);
});

async function loseTimers(hash: string): Promise<void> {
  const timers = world.bff.database.db.deleteFrom("timers");
  await timers.where(sql`payload ->> 'order_id'`, "=", clinic.key(hash).orderId).execute();
}
