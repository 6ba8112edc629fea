import { describe, expect, test, vi } from "vitest";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import { createSandboxGateways } from "../../../sandbox/sandbox-gateways.ts";
import { exceptionId } from "../../../src/back-office/exceptions/exception.ts";
import type { Resolution } from "../../../src/back-office/exceptions/exception-kinds.ts";
import { resolveException } from "../../../src/back-office/exceptions/resolve-exception.ts";
import { exceptionsOfOrder } from "../../../src/back-office/list-exceptions.ts";
import { exceptionView } from "../../../src/back-office/views/exception-view.ts";
import { fileAgain, giveUpClaim, noteWithdrawn } from "../../../src/claims/claim-resolutions.ts";
import { DAILY_TIMER } from "../../../src/collection/collection-timers.ts";
import { noteChargeback } from "../../../src/collection/daily-sync.ts";
import { payEarly } from "../../../src/collection/pay-early.ts";
import { operationsEndpoints } from "../../../src/contract/operations-endpoints.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { MINUTE_MS } from "../../../src/contract/vocabulary/durations.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import type { CardProcessor } from "../../../src/gateways/card-processor.ts";
import { purgeUndelivered } from "../../../src/notifications/work.ts";
import { balancesOf, clinicAccounts } from "../../../src/orders/book-reads.ts";
import { documentsUnderWay, taxedRows } from "../../../src/orders/owe-document.ts";
import { tenantOf } from "../../../src/patients/beneficiary.ts";
import { block, unblock } from "../../../src/patients/blocked.ts";
import { findBeneficiary } from "../../../src/patients/patients.ts";
import { movableClock } from "../../../src/platform/clock.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { ResolutionRefused } from "../../../src/platform/exceptions.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { eraseData } from "../../../src/self-service/erase-data.ts";
import { reconcile } from "../../../src/settlement/reconcile.ts";
import { openTestDatabase } from "../../database.ts";
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
  START,
  startAfterPaid,
} from "../after-paid/after-paid-world.ts";
import { auditOf } from "../audit-of.ts";
import { timed } from "../orders/hanging-call.ts";
import { CARDS, PATIENTS as ORDER_PATIENTS, present } from "../orders/orders-world.ts";

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ at: START }, (beginning) => {
  ({ world, clinic } = beginning);
});

const advance = (milliseconds: number) => world.bff.advance(milliseconds);
const dependencies = () => {
  const { database, clock } = world.bff;
  return { db: database.db, clock, ids: systemIds, environment: "staging" as const };
};
const allExceptions = () => clinic.exceptions();
/** Most orders here never get a receipt; a separate test covers that exception. */
const exceptions = async () => (await allExceptions()).filter(({ kind }) => kind !== "receipt_missing");
const kinds = async () => (await exceptions()).map(({ kind }) => kind);

/** Resolves the only exception of a kind. */
async function act(...given: Parameters<Clinic["operatorDoes"]>): Promise<string> {
  const [kind] = given;
  if ((await kinds()).filter((open) => open === kind).length !== 1) throw new Error(`There is not one ${kind}.`);
  return clinic.operatorDoes(...given);
}

const audited = () =>
  world.bff.database.db
    .selectFrom("audit_log")
    .select(["actor", "act", "subject_kind", "subject_id"])
    .where("provider_id", "=", clinic.clinic.provider.id)
    .where("act", "like", "matter.%")
    .execute();

/** The audit row of a resolution of an order's collection. */
const ofCollection = (hash: string) => ({
  actor: "operator:camila",
  credential_id: null,
  provider_id: clinic.clinic.provider.id,
  subject_kind: "collection_failed",
  subject_id: hash,
});

const paidOrder = (card?: string) => clinic.justPaid(card);

const agree = (accountNumber: string) => clinic.agreeOnPayouts(accountNumber);

/** The patient's bank takes the order's first charge back. */
async function chargeBack(hash: string): Promise<void> {
  const { db } = world.bff.database;
  const charge = await db
    .selectFrom("sandbox_movements")
    .selectAll()
    .where("order_hash", "=", clinic.key(hash).orderId)
    .orderBy("at")
    .orderBy("amount")
    .executeTakeFirstOrThrow();
  const taken = { ...charge, id: `back ${charge.id}`, kind: "chargeback" as const, idempotency_key: "none" };
  await db.insertInto("sandbox_movements").values(taken).execute();
}

/** The differences between the books and the gateways' lists, up to now. */
async function differences() {
  const { database, clock } = world.bff;
  const { cardProcessor, financingProvider, bank, taxDocuments } = clinic.sandbox;
  const to = new Date(clock.now().getTime() + 1);
  const period = { providerId: clinic.clinic.provider.id, from: new Date(START.getTime() - DAY_MS), to };
  const parties = { db: database.db, cardProcessor, financingProvider, bank, taxDocuments };
  return (await reconcile(parties, period, clock.now())).differences;
}

const balance = async (account: string) =>
  (await balancesOf(world.bff.database.db, clinic.clinic.provider.id)).find((one) => one.account === account)?.balance;

test("an order without problems needs no operator", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.approvedAfter5Days);
  await advance(8 * DAY_MS);
  expect(await clinic.collectionStatus(hash)).toBe("collected approved");
  expect(await allExceptions()).toEqual([]);
});

test("a receipt that is missing after three days is listed until it arrives", async () => {
  const rut = PATIENTS.approvedAfter5Days;
  await clinic.register(rut);
  const hash = await clinic.paidOrder({ rut });
  await advance(2 * DAY_MS);
  expect(await allExceptions()).toEqual([]);
  await advance(DAY_MS);
  expect(await allExceptions()).toMatchObject([{ kind: "receipt_missing", orderId: hash, subject: hash, facts: {} }]);
  await clinic.submitReceipt(hash, rut);
  await world.bff.runDue();
  expect(await allExceptions()).toEqual([]);
});

test("no missing receipt is listed for a fully refunded order", async () => {
  const hash = await paidOrder();
  await advance(3 * DAY_MS);
  expect((await allExceptions()).map(({ kind }) => kind)).toEqual(["receipt_missing"]);
  await clinic.refund(hash);
  expect(await exceptions()).toEqual([]);
  expect(await allExceptions()).toEqual([]);
});

describe("a failed collection", () => {
  test("is listed with its reason, accepts an operator's retry with an audit row, and is listed again afterwards", async () => {
    const rut = PATIENTS.neverAnswered;
    const hash = await clinic.claimedOrder(rut, LATER.declined);
    await clinic.approve(hash);
    await advance(3 * DAY_MS);
    // Two of the four tries are over when the patient's data is blocked, until the ten days have passed.
    const { db } = world.bff.database;
    const patient = present(
      await findBeneficiary(db, { tenant: tenantOf(clinic.clinic.provider), rut: parseRut(rut) }),
    );
    await inTransaction(db, (tx) => block(tx, patient, world.bff.clock.now()));
    await advance(12 * DAY_MS);
    await inTransaction(db, (tx) => unblock(tx, patient));
    expect(await exceptions()).toMatchObject([
      { kind: "collection_failed", orderId: hash, facts: { why: "tries_exhausted", trigger: "approved" } },
    ]);
    expect(await act("collection_failed", "retry")).toMatch(
      /^The patient is notified. The card is charged again on 2026-12-/,
    );
    expect(await exceptions()).toEqual([]);
    expect(await audited()).toEqual([
      { actor: "operator:camila", act: "matter.retry", subject_kind: "collection_failed", subject_id: hash },
    ]);
    await advance(20 * DAY_MS);
    expect(await clinic.tries(hash)).toEqual(["declined", "declined", "declined", "declined"]);
    expect(await kinds()).toEqual(["collection_failed"]);
    await expect(act("collection_failed", "retry")).rejects.toThrow("no tries left of those promised to the patient");
  });

  test("stays dismissed once dismissed, and is never charged once written off", async () => {
    const hash = await paidOrder(LATER.stolen);
    await clinic.approve(hash);
    await world.bff.runDue();
    await expect(act("collection_failed", "retry")).rejects.toThrow("The card will never work again");
    expect(await audited()).toEqual([]);
    await act("collection_failed", "write_off", "la tarjeta es robada");
    expect(await exceptions()).toEqual([]);
    const rows = world.bff.database.db.selectFrom("audit_log").select("details").where("act", "=", "matter.write_off");
    expect(await rows.execute()).toEqual([{ details: { order_id: hash, note: "la tarjeta es robada" } }]);
    await advance(15 * DAY_MS);
    expect(await clinic.tries(hash)).toEqual(["declined"]);
    const other = await paidOrder(LATER.stolen);
    await clinic.approve(other);
    await world.bff.runDue();
    await act("collection_failed", "handled", "llamamos a la clínica");
    expect(await exceptions()).toEqual([]);
  });
});

test("a write-off of 300,000 or more needs a second operator, and the first changes nothing", async () => {
  const hash = await clinic.paidOrder({ total: 500_000, card: LATER.stolen });
  await world.bff.runDue();
  await clinic.approve(hash);
  await world.bff.runDue();
  expect(await act("collection_failed", "write_off")).toMatch(/^Nothing is done yet/);
  expect([await kinds(), await balance("written_off")]).toEqual([["collection_failed"], 0]);
  expect(await act("collection_failed", "write_off")).toMatch(/^Nothing is done yet/);
  expect(await act("collection_failed", "write_off", null, undefined, "operator:diego")).toContain("$350.000");
  expect(await kinds()).toEqual([]);
  const asked = { order_id: hash, resolution: "write_off" };
  const done = { order_id: hash, approved_by: "operator:camila" };
  expect((await auditOf(world.bff.database.db, hash)).filter(({ act }) => act.startsWith("matter"))).toEqual([
    { act: "matter.approved", ...ofCollection(hash), details: asked },
    { act: "matter.approved", ...ofCollection(hash), details: asked },
    { act: "matter.write_off", ...ofCollection(hash), actor: "operator:diego", details: done },
  ]);
});

test("a payment by other means is booked once and completely, and no later card is charged for it", async () => {
  const otherOrder = await clinic.newOrder();
  const asItWas = await clinic.read(otherOrder);
  const hash = await paidOrder(LATER.stolen);
  await clinic.approve(hash);
  await world.bff.runDue();
  const pay = (note: string | null, amount?: number) => act("collection_failed", "paid_otherwise", note, amount);
  await expect(pay("cartola 24-11")).rejects.toThrow("--amount");
  await expect(pay(null, 30_800)).rejects.toThrow("--note");
  await expect(pay("cartola 24-11", 30_799)).rejects.toThrow("It is $30.800.");
  expect([await balance("paid_otherwise"), await audited()]).toEqual([0, []]);
  expect(await pay("cartola 24-11", 30_800)).toMatch(/^\$30\.800 booked as paid/);
  expect(await clinic.read(otherOrder)).toEqual(asItWas);
  expect([await balance("paid_otherwise"), await balance("financing_provider")]).toEqual([30_800, 0]);
  const details = { order_id: hash, note: "cartola 24-11", amount: 30_800 };
  expect((await auditOf(world.bff.database.db, hash)).filter(({ act }) => act.startsWith("matter"))).toEqual([
    { act: "matter.paid_otherwise", ...ofCollection(hash), details },
  ]);
  const { provider_id, order_id, ...booked } = await world.bff.database.db
    .selectFrom("payments_otherwise")
    .select(["provider_id", "order_id", "amount", "commission", "evidence", "booked_by"])
    .executeTakeFirstOrThrow();
  expect([provider_id, order_id]).toEqual([clinic.clinic.provider.id, hash]);
  expect(booked).toEqual({
    amount: 30_800,
    commission: 2_800,
    evidence: "cartola 24-11",
    booked_by: "operator:camila",
  });
  await advance(15 * DAY_MS);
  expect([await exceptions(), await clinic.tries(hash), await differences()]).toEqual([[], ["declined"], []]);
  expect(await clinic.collectionStatus(hash)).toBe("collected approved");
  const asked = { provider: clinic.clinic.provider, key: clinic.key(hash), now: world.bff.clock.now() };
  expect(await payEarly(world.collection, asked)).toEqual({ outcome: "collected" });
  expect(await clinic.tries(hash)).toEqual(["declined"]);
});

describe("the lender", () => {
  /** The last report of each loan, and the number of its reports. */
  const lastReport = async (hash: string) => {
    const { db } = world.bff.database;
    const loans = db.selectFrom("sandbox_loans").select(["reported_end", "reported_amount", "reports"]);
    const { orderId } = clinic.key(hash);
    const { reported_end, reported_amount, reports } = await loans
      .where("order_hash", "=", orderId)
      .executeTakeFirstOrThrow();
    return [reported_end, reported_amount, reports];
  };

  test("is notified once of every end of its loan, whatever happens to the answers", async () => {
    const collected = await paidOrder();
    await clinic.fault("financing-provider", "reportLoan", "fail_after");
    await clinic.approve(collected);
    await advance(HOUR_MS);
    expect(await lastReport(collected)).toEqual(["collected", 28_000, 1]);

    const paid = await paidOrder(LATER.stolen);
    await clinic.fault("financing-provider", "reportLoan", "fail_before");
    await clinic.approve(paid);
    await advance(HOUR_MS);
    expect(await lastReport(paid)).toEqual(["in_arrears", 28_000, 1]);
    await act("collection_failed", "paid_otherwise", "cartola 24-11", 30_800);
    await world.bff.runDue();
    expect(await lastReport(paid)).toEqual(["collected", 28_000, 2]);

    const given = await paidOrder(LATER.stolen);
    await clinic.refund(given, { amount: 1_000 });
    await clinic.approve(given);
    await world.bff.runDue();
    await act("collection_failed", "write_off", "no se pudo ubicar al paciente");
    await world.bff.runDue();
    expect(await lastReport(given)).toEqual(["written_off", 27_000, 2]);
    await clinic.refund(given);
    await world.bff.runDue();
    expect(await lastReport(given)).toEqual(["refunded", 28_000, 3]);
    expect(await exceptions()).toEqual([]);
  });

  test("is an exception while it confirms nothing, and can be queried again", async () => {
    const hash = await paidOrder();
    await clinic.fault("financing-provider", "reportLoan", "fail_before", 100);
    await clinic.approve(hash);
    await advance(DAY_MS);
    expect(await exceptions()).toMatchObject([
      { kind: "outcome_unknown", orderId: hash, facts: { of: "loan_report" } },
    ]);
    await world.bff.database.db.deleteFrom("sandbox_faults").execute();
    expect(await act("outcome_unknown", "ask_again")).toMatch(/^The inquiry runs now/);
    await world.bff.runDue();
    expect([await lastReport(hash), await exceptions()]).toEqual([["collected", 28_000, 1], []]);
  });
});

test("a written-off loan is a row of the books, and a later refund takes money back from it", async () => {
  const hash = await paidOrder(LATER.stolen);
  await clinic.approve(hash);
  await world.bff.runDue();
  expect(await balance("financing_provider")).toBe(28_000);
  await act("collection_failed", "write_off", "no se pudo ubicar al paciente");
  expect([await balance("financing_provider"), await balance("written_off")]).toEqual([0, 28_000]);
  await clinic.refund(hash, { amount: 10_000 });
  await world.bff.runDue();
  expect([await balance("financing_provider"), await balance("written_off")]).toEqual([0, 18_000]);
  const [mail] = await clinic.mailTexts(`Devolución de tu pago en ${clinic.clinic.provider.name}`);
  expect(mail).toContain("No hay dinero que devolverte");
  await clinic.refund(hash);
  await advance(2 * DAY_MS);
  expect([await balance("financing_provider"), await balance("written_off")]).toEqual([0, 0]);
  expect(await differences()).toEqual([]);
  const text = "hicimos una devolucion de tu pago: $10.000, que no habias pagado y ya no se te cobran";
  expect(await clinic.messages()).toContainEqual(expect.stringContaining(text));
});

test("money that arrives after a write-off reverses it and is booked, once, with every consequence of a payment", async () => {
  const hash = await paidOrder(LATER.stolen);
  await clinic.approve(hash);
  await world.bff.runDue();
  const { database, clock } = world.bff;
  const operating = { db: database.db, clock, ids: systemIds, environment: "staging" } as const;
  const ofOrder = () => exceptionsOfOrder(operating, clinic.key(hash));
  const book = async (amount: number | null) =>
    resolveException(operating, exceptionId(present((await ofOrder())[0])), {
      resolution: "paid_after_write_off",
      actor: "operator:camila",
      note: "transferencia 4411",
      ...(amount !== null && { amount: clp(amount) }),
    });
  await expect(book(30_800)).rejects.toThrow("does not apply to collection_failed");
  await act("collection_failed", "write_off", "no se pudo ubicar al paciente");
  expect(await kinds()).toEqual([]);
  await expect(book(null)).rejects.toThrow("--amount");
  await expect(book(30_799)).rejects.toThrow("$30.800");
  // A refused resolution leaves nothing behind.
  expect([await balance("financing_provider"), await balance("written_off")]).toEqual([0, 28_000]);
  expect((await book(30_800)).outcome).toContain("$30.800 booked as paid");
  await world.bff.runDue();
  expect([await balance("financing_provider"), await balance("written_off"), await balance("paid_otherwise")]).toEqual([
    0, 0, 30_800,
  ]);
  const order = await clinic.read(hash);
  expect([order.collection?.status, order.plan.data.commission.amount]).toEqual(["collected", 2_800]);
  expect(await clinic.mailTexts(`Recibimos el resto de tu pago en ${clinic.clinic.provider.name}`)).toHaveLength(1);
  await advance(2 * DAY_MS);
  expect([await ofOrder(), await kinds(), await differences()]).toEqual([[], [], []]);
});

test("a chargeback stops the collection until an operator releases it", async () => {
  const hash = await paidOrder();
  await chargeBack(hash);
  await advance(2 * DAY_MS);
  expect(await kinds()).toEqual(["collection_stopped"]);
  await expect(act("collection_stopped", "handled")).rejects.toThrow("resolution handled does not apply");
  expect(await act("collection_stopped", "release")).toMatch(
    /^The collection continues. The patient is notified before the charge on 2027-01-05/,
  );
  // Whether the clinic or the service bears it is not decided yet.
  expect(await kinds()).toEqual(["chargeback"]);
  expect((await differences()).map(({ kind }) => kind)).toEqual(["chargeback"]);
  await act("chargeback", "chargeback_won");
  expect([await exceptions(), await differences()]).toEqual([[], []]);
  await advance(45 * DAY_MS);
  expect(await clinic.collectionStatus(hash)).toBe("collected day_45");
});

test("a chargeback after the collection is reviewed and dismissed", async () => {
  const hash = await paidOrder();
  await clinic.approve(hash);
  await world.bff.runDue();
  await chargeBack(hash);
  await advance(2 * DAY_MS);
  expect(await exceptions()).toMatchObject([{ kind: "chargeback", facts: { amount: 12_000 } }]);
  await act("chargeback", "handled");
  expect((await differences()).map(({ kind }) => kind)).toEqual(["chargeback"]);
  await advance(3 * DAY_MS);
  expect(await exceptions()).toEqual([]);
});

describe("an exception that changed after it was listed", () => {
  const listed = async () => exceptionId(present((await exceptions())[0]));
  const doing = (what: Resolution) => ({ resolution: what, actor: "operator:camila", note: null });

  test("is not resolved: an operator who saw one chargeback cannot decide about a second one", async () => {
    const hash = await paidOrder();
    await chargeBack(hash);
    await advance(DAY_MS);
    const named = await listed();
    const { db } = world.bff.database;
    const [first] = await db
      .selectFrom("chargebacks")
      .selectAll()
      .where("order_id", "=", clinic.key(hash).orderId)
      .execute();
    const { charge_id: chargeId, noted_at: at } = present(first);
    // All facts are equal except the amount, which alone distinguishes them.
    const another = { ...clinic.key(hash), id: "another", chargeId, amount: clp(5), at };
    await inTransaction(db, (tx) => noteChargeback(tx, systemIds, another, at));
    for (const what of ["release", "write_off", "chargeback_lost"] as const)
      await expect(resolveException(dependencies(), named, doing(what))).rejects.toThrow("changed since it was listed");
    expect(await exceptions()).toMatchObject([{ kind: "collection_stopped", facts: { amount: 12_005 } }]);
    expect(await audited()).toEqual([]);
    await resolveException(dependencies(), await listed(), doing("release"));
  });

  test("is found by name even after five hundred others", async () => {
    const hash = await paidOrder();
    await chargeBack(hash);
    await advance(DAY_MS);
    const named = await listed();
    const older = { party: "bank", expected: null, found: clp(1), gone_at: null } as const;
    const at = { at: START, first_seen_at: new Date(0), last_seen_at: START };
    const rows = Array.from({ length: 501 }, (_, number) => ({
      ...older,
      ...at,
      provider_id: clinic.clinic.provider.id,
      kind: "payout_missing" as const,
      reference: `r${number}`,
      order_id: null,
    }));
    await world.bff.database.db.insertInto("reconciliation_differences").values(rows).execute();
    expect((await exceptions()).map(({ kind }) => kind)).not.toContain("collection_stopped");
    expect((await resolveException(dependencies(), named, doing("release"))).outcome).toMatch(
      /^The collection continues/,
    );
  });
});

describe("a chargeback after the collection", () => {
  const collected = async () => {
    const hash = await paidOrder();
    await clinic.approve(hash);
    await world.bff.runDue();
    await chargeBack(hash);
    await advance(2 * DAY_MS);
    return hash;
  };

  test("is booked once when lost, and the books agree with the processor's list", async () => {
    await collected();
    expect((await differences()).map(({ kind }) => kind)).toEqual(["chargeback"]);
    const before = (await balance("card_processor")) ?? 0;
    expect(await act("chargeback", "chargeback_lost")).toBe("$12.000 booked as lost.");
    expect(await audited()).toMatchObject([{ act: "matter.chargeback_lost", subject_kind: "chargeback" }]);
    expect(await exceptions()).toEqual([]);
    expect(await differences()).toEqual([]);
    expect(await balance("chargeback_loss")).toBe(12_000);
    expect(await balance("card_processor")).toBe(before - 12_000);
    await advance(2 * DAY_MS);
    expect(await exceptions()).toEqual([]);
  });

  test("changes no books when won", async () => {
    await collected();
    const before = await balance("card_processor");
    await act("chargeback", "chargeback_won");
    expect([await exceptions(), await differences()]).toEqual([[], []]);
    expect([await balance("card_processor"), await balance("chargeback_loss")]).toEqual([before, 0]);
  });
});

test("a loss that has stopped a collection is booked once, and the rest follows by itself", async () => {
  const hash = await paidOrder();
  await chargeBack(hash);
  await advance(2 * DAY_MS);
  await act("collection_stopped", "chargeback_lost");
  expect(await kinds()).toEqual(["collection_stopped"]);
  await expect(act("collection_stopped", "chargeback_lost")).rejects.toThrow("already booked");
  expect(await balance("chargeback_loss")).toBe(12_000);
  await act("collection_stopped", "write_off");
  expect([await exceptions(), await differences()]).toEqual([[], []]);
  await advance(50 * DAY_MS);
  expect(await clinic.tries(hash)).toEqual([]);
});

test.each(["chargeback_lost", "recover_from_clinic"] as const)(
  "a loss that has stopped a collection (%s) is listed until an operator releases the collection",
  async (decision) => {
    const hash = await paidOrder();
    await chargeBack(hash);
    await advance(DAY_MS);
    await act("collection_stopped", decision);
    expect(await exceptions()).toMatchObject([{ kind: "collection_stopped", facts: { amount: 12_000 } }]);
  },
);

test("a released collection is no longer stopped by its booked loss", async () => {
  const hash = await paidOrder();
  await chargeBack(hash);
  await advance(2 * DAY_MS);
  await act("collection_stopped", "release");
  const { db } = world.bff.database;
  const { orderId } = clinic.key(hash);
  const { charge_id: chargeId } = present(
    await db.selectFrom("chargebacks").select("charge_id").where("order_id", "=", orderId).executeTakeFirst(),
  );
  const another = {
    ...clinic.key(hash),
    id: `another of ${hash}`,
    chargeId,
    amount: clp(5),
    at: world.bff.clock.now(),
  };
  await inTransaction(db, (tx) => noteChargeback(tx, systemIds, another, world.bff.clock.now()));
  expect(await exceptions()).toMatchObject([{ kind: "collection_stopped", facts: { amount: 5 } }]);
  expect(await act("collection_stopped", "chargeback_lost")).toBe("$5 booked as lost.");
  expect(await balance("chargeback_loss")).toBe(5);
});

// In the short check: here: a claim held for days is listed, as is one filed for a fully refunded order.
describe("a claim that is held for days", { tags: ["long"] }, () => {
  const held = async () => {
    const hash = await clinic.claimedOrder(PATIENTS.held);
    await advance(4 * DAY_MS);
    return hash;
  };
  const filings = async (hash: string) =>
    (
      await world.bff.database.db
        .selectFrom("claims")
        .select(["state", "attempt"])
        .where("order_id", "=", clinic.key(hash).orderId)
        .execute()
    ).map(({ state, attempt }) => `${state} ${attempt}`);

  test("is filed again unchanged", async () => {
    const hash = await held();
    expect(await filings(hash)).toEqual(["held 1"]);
    expect(await exceptions()).toHaveLength(1);
    await act("claim_held", "file_again");
    expect(await exceptions()).toEqual([]);
    await world.bff.runDue();
    expect(await filings(hash)).toEqual(["held 2"]);
  });

  test("is given up, and the deferred part is still collected on day 45", async () => {
    const hash = await held();
    await act("claim_held", "give_up_claim");
    expect([await filings(hash), await exceptions()]).toEqual([["stopped 1"], []]);
    await clinic.submitReceipt(hash, PATIENTS.held, 2);
    await advance(45 * DAY_MS);
    expect(await filings(hash)).toEqual(["stopped 1"]);
    expect(await clinic.collectionStatus(hash)).toBe("collected day_45");
  });

  test("rejects an act of an operator who saw it before another gave it up", async () => {
    const key = clinic.key(await held());
    const { db, clock } = dependencies();
    const asSeen = (resolution: typeof giveUpClaim) =>
      inTransaction(db, (tx) => resolution(tx, { clock, at: clock.now() }, key));
    await asSeen(giveUpClaim);
    for (const late of [fileAgain, giveUpClaim, noteWithdrawn])
      await expect(asSeen(late)).rejects.toThrow(ResolutionRefused);
    expect(await filings(key.orderId)).toEqual(["stopped 1"]);
  });
});

test("an expense without a required document is an exception after days, until the clinic submits it", async () => {
  await clinic.register(PATIENTS.approvedAfter5Days);
  const hash = await clinic.paidOrder({ rut: PATIENTS.approvedAfter5Days });
  await clinic.submitReceipt(hash, PATIENTS.approvedAfter5Days, 1, "exam");
  await advance(2 * DAY_MS);
  expect(await exceptions()).toEqual([]);
  await advance(2 * DAY_MS);
  expect(await exceptions()).toMatchObject([
    { kind: "claim_held", orderId: hash, facts: { reason: "documents_missing" } },
  ]);
  await expect(act("claim_held", "file_again")).rejects.toThrow("does not allow this");
  expect(await audited()).toEqual([]);
  await clinic.submitReceipt(hash, PATIENTS.approvedAfter5Days, 2, "exam");
  await world.bff.runDue();
  expect(await exceptions()).toEqual([]);
});

test("a refunded order's claim that was withdrawn at the insurer is never polled again", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.approvedAfter5Days);
  await clinic.refund(hash);
  await advance(DAY_MS);
  expect((await exceptions()).map(({ kind }) => kind)).toEqual(["claim_of_refunded_order"]);
  await act("claim_of_refunded_order", "claim_withdrawn");
  expect(await exceptions()).toEqual([]);
  const mails = await clinic.mails();
  const asked = untilTestEnds(vi.spyOn(world.bff.context.parties.insurer, "inquireClaim"));
  await advance(20 * DAY_MS);
  expect(asked).not.toHaveBeenCalled();
  expect(await clinic.mails()).toEqual(mails);
  expect(await exceptions()).toEqual([]);
});

test("a filed claim is listed after each partial refund of its order", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.neverAnswered);
  const others = await paidOrder();
  await clinic.refund(hash, { amount: 10_000 });
  await world.bff.runDue();
  const listed = { kind: "claim_of_partly_refunded_order", orderId: hash };
  expect(await exceptions()).toMatchObject([{ ...listed, facts: { claim_state: "filed", refunded: 10_000 } }]);
  await act("claim_of_partly_refunded_order", "handled", "avisado a la isapre");
  expect(await exceptions()).toEqual([]);
  await advance(HOUR_MS);
  await clinic.refund(others, { amount: 5_000 });
  await world.bff.runDue();
  expect(await exceptions()).toEqual([]);
  await clinic.fault("financing-provider", "reduceLoan", "fail_before");
  expect((await clinic.refund(hash, { amount: 5_000 })).body.refund.status).toBe("processing");
  expect(await exceptions()).toEqual([]);
  await advance(HOUR_MS);
  expect(await exceptions()).toMatchObject([{ ...listed, facts: { refunded: 15_000 } }]);
});

test("a clinic is listed once it has owed a payout back for a month, until it has earned the amount", async () => {
  await agree("0012345678");
  const hash = await paidOrder();
  await advance(2 * DAY_MS);
  await clinic.refund(hash);
  await advance(29 * DAY_MS);
  const owing = async () => (await exceptions()).filter(({ kind }) => kind === "payee_owes");
  expect(await owing()).toEqual([]);
  await advance(3 * DAY_MS);
  expect(await owing()).toMatchObject([
    { subject: clinic.clinic.provider.id, orderId: null, facts: { amount: 38_800 } },
  ]);
  await paidOrder();
  await paidOrder();
  await advance(2 * DAY_MS);
  expect(await owing()).toEqual([]);
});

test("a clinic's debt dates from the first refund that no payout has covered, however often it refunds later", async () => {
  await agree("0012345678");
  const hash = await paidOrder();
  await advance(2 * DAY_MS);
  const refundedAt = world.bff.clock.now();
  await clinic.refund(hash, { amount: 10_000 });
  await advance(20 * DAY_MS);
  await clinic.refund(hash, { amount: 1_000 });
  await advance(11 * DAY_MS);
  const owing = async () => (await exceptions()).filter(({ kind }) => kind === "payee_owes");
  expect(await owing()).toMatchObject([{ since: refundedAt, facts: { amount: 10_670 } }]);
  // A payout compensates both, so that the next refund is the first again.
  await paidOrder();
  await advance(2 * DAY_MS);
  await clinic.refund(hash, { amount: 2_000 });
  await advance(29 * DAY_MS);
  expect(await owing()).toEqual([]);
  await advance(2 * DAY_MS);
  expect(await owing()).toMatchObject([{ facts: { amount: 1_940 } }]);
});

test("a claim that is approved after a full refund announces no charge", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.approvedAfter5Days);
  await clinic.refund(hash);
  await advance(10 * DAY_MS);
  expect(await clinic.mails()).toContain("Aprobaron tu reembolso");
  const approved = (await clinic.messages()).filter((text) => text.includes("aprobo"));
  expect(approved).toEqual([
    expect.stringMatching(/aprobo tu reembolso\. No te cobraremos nada, .* Revisa tu correo\.$/),
  ]);
  expect(await clinic.tries(hash)).toEqual([]);
});

test("a claim held for days is listed, as is one filed for a fully refunded order", async () => {
  const held = await clinic.claimedOrder(PATIENTS.held);
  const filed = await clinic.claimedOrder(PATIENTS.neverAnswered);
  await clinic.refund(filed);
  await advance(DAY_MS);
  expect(await exceptions()).toMatchObject([{ kind: "claim_of_refunded_order", orderId: filed }]);
  await advance(3 * DAY_MS);
  const listed = await exceptions();
  expect(listed.map(({ kind, orderId }) => [kind, orderId])).toEqual(
    expect.arrayContaining([
      ["claim_held", held],
      ["claim_of_refunded_order", filed],
    ]),
  );
  expect(listed).toHaveLength(2);
});

test("a charge whose outcome is unknown for hours is listed, and an inquiry on request settles it", async () => {
  const hash = await paidOrder();
  await clinic.fault("card-processor", "charge", "fail_before", 1_000);
  await clinic.approve(hash);
  await advance(5 * HOUR_MS);
  expect(await exceptions()).toEqual([]);
  await advance(2 * HOUR_MS);
  expect(await exceptions()).toMatchObject([{ kind: "outcome_unknown", orderId: hash, facts: { of: "collection" } }]);
  await clinic.fault("card-processor", "inquireCharge", "fail_before", 0);
  expect(await act("outcome_unknown", "ask_again")).toBe("The inquiry runs now; look again in a moment.");
  await expect(act("outcome_unknown", "ask_again")).rejects.toThrow("inquiry is already running");
  await world.bff.runDue();
  expect(await exceptions()).toEqual([]);
  expect(await clinic.collectionStatus(hash)).toBe("collected approved");
});

/** Operations whose outcome stays unknown while a gateway does not answer, and how to start each. */
const UNKNOWN = [
  [
    "a payment",
    "payment",
    "card-processor",
    "charge",
    async () => {
      const hash = await clinic.readyOrder({ card: LATER.captured });
      await clinic.pay(hash);
    },
  ],
  [
    "a refund",
    "refund",
    "card-processor",
    "returnCharge",
    async () => {
      const hash = await paidOrder();
      await clinic.refund(hash);
    },
  ],
  [
    "a card's removal",
    "card_removal",
    "card-processor",
    "removeCard",
    async () => {
      const hash = await clinic.readyOrder();
      await clinic.call("cancelOrder", hash);
    },
  ],
  [
    "a filing",
    "filing",
    "insurer",
    "fileClaim",
    async () => {
      await clinic.claimedOrder(PATIENTS.approvedAfter5Days);
    },
  ],
  [
    "a payout",
    "payout",
    "bank",
    "transfer",
    async () => {
      await agree("0011223344");
      await paidOrder();
      await advance(1.5 * DAY_MS);
    },
  ],
] as const;

test.each(UNKNOWN)(
  "%s with an unknown outcome is inquired about at once on an operator's request",
  async (_name, of, party, method, begin) => {
    await clinic.fault(party, method, "fail_before", 1_000);
    await begin();
    await advance(7 * HOUR_MS + 60_000);
    expect(await exceptions()).toMatchObject([{ kind: "outcome_unknown", facts: { of } }]);
    await clinic.fault(party, method, "fail_before", 0);
    await act("outcome_unknown", "ask_again");
    await world.bff.runDue();
    expect(await exceptions()).toEqual([]);
  },
);

describe("a call that its party does not know any more is settled by what an operator read in the portal", () => {
  const movementsOf = async (kind: "charge" | "return") => {
    const { id } = clinic.clinic.provider;
    const listed = await clinic.sandbox.cardProcessor.listMovements(id, new Date(0), new Date("2100-01-01"));
    return listed.filter((movement) => movement.kind === kind).map(({ amount }) => amount);
  };
  /** No answer to the call or to any inquiry. `isMade`: the party has made the call. */
  const unheard = (party: string, methods: readonly string[], isMade: boolean) =>
    clinic.fault(party, methods, isMade ? "fail_after" : "fail_before", 1_000);
  const CHARGE = ["charge", "inquireCharge"];
  const RETURN = ["returnCharge", "inquireReturn"];
  const TRANSFER = ["transfer", "inquireTransfer"];
  /** An operator of each clinic, because one operator may decide alone only about so much money a day. */
  const reader = () => `operator:${clinic.clinic.provider.id}`;
  const read = async (resolution: "portal_done" | "portal_not_done", note: string) => {
    const outcome = await act("outcome_unknown", resolution, note, undefined, reader());
    await world.bff.runDue();
    return outcome;
  };

  test("a first charge that was made: the order is paid with it, and the card is not charged again", async () => {
    await unheard("card-processor", CHARGE, true);
    const hash = await clinic.readyOrder({ card: LATER.captured });
    await clinic.pay(hash);
    await advance(7 * HOUR_MS);
    await expect(act("outcome_unknown", "portal_done")).rejects.toThrow("must begin with the number");
    await expect(act("outcome_unknown", "portal_not_done")).rejects.toThrow("--note");
    expect(await read("portal_done", "PT-778 approved on 21 November")).toMatch(/^Recorded as done/);
    const order = await clinic.order(hash);
    expect([order.state, order.payments.map(({ status, chargeId }) => [status, chargeId])]).toEqual([
      "paid",
      [["captured", "PT-778"]],
    ]);
    expect(await movementsOf("charge")).toEqual([12_000]);
    const [row] = await audited();
    expect(row).toMatchObject({ actor: reader(), act: "matter.portal_done", subject_kind: "outcome_unknown" });
    await unheard("card-processor", [], true);
    expect(await differences()).toEqual([]);
  });

  test("a first charge that was not made: its loan is cancelled, and the patient pays once", async () => {
    await unheard("card-processor", CHARGE, false);
    const hash = await clinic.readyOrder({ card: LATER.captured });
    await clinic.pay(hash);
    await advance(7 * HOUR_MS);
    await read("portal_not_done", "nothing under this order on 21 and 22 November");
    expect((await clinic.order(hash)).state).toBe("awaiting_payment");
    expect(await exceptions()).toEqual([]);
    await unheard("card-processor", [], false);
    await clinic.pay(hash);
    await world.bff.runDue();
    expect((await clinic.order(hash)).state).toBe("paid");
    expect(await movementsOf("charge")).toEqual([12_000]);
    expect(await differences()).toEqual([]);
  });

  test.each([
    ["portal_done", true, "collected approved"],
    ["portal_not_done", false, "scheduled approved"],
  ] as const)("a later charge, as %s", async (resolution, isMade, status) => {
    const hash = await paidOrder();
    await unheard("card-processor", CHARGE, isMade);
    await clinic.approve(hash);
    await advance(7 * HOUR_MS);
    await read(resolution, "PT-1 portal, 26 November");
    expect(await clinic.collectionStatus(hash)).toBe(status);
    await unheard("card-processor", [], true);
    await advance(2 * DAY_MS);
    // The announced amount is collected once, whichever call made it.
    expect([await clinic.collectionStatus(hash), (await movementsOf("charge")).length]).toEqual([
      "collected approved",
      2,
    ]);
  });

  test.each([
    ["portal_done", true, "succeeded"],
    ["portal_not_done", false, "failed"],
  ] as const)("a refund to the card, as %s", async (resolution, isMade, status) => {
    const hash = await paidOrder();
    await unheard("card-processor", RETURN, isMade);
    await clinic.refund(hash);
    await advance(7 * HOUR_MS);
    await read(resolution, "PT-2 portal");
    expect((await clinic.order(hash)).refunds.map((refund) => refund.status)).toEqual([status]);
    expect(await movementsOf("return")).toHaveLength(isMade ? 1 : 0);
    expect(await kinds()).toEqual(isMade ? [] : ["money_not_returned"]);
  });

  test.each([
    ["portal_done", ["paid"], []],
    ["portal_not_done", ["refused", "paid"], [38_800]],
  ] as const)(
    "a payout, as %s: it is booked once, and sent only if the portal shows none",
    async (as, states, sent) => {
      await agree("0011223344");
      await paidOrder();
      await unheard("bank", TRANSFER, false);
      await advance(1.5 * DAY_MS);
      await read(as, "TR-9 account statement");
      await unheard("bank", [], true);
      await advance(2 * DAY_MS);
      const { body } = await world.bff.callSpotApi(operationsEndpoints.listPayouts, { as: clinic.clinic });
      expect(body.payouts.map(({ status }: { status: string }) => status)).toEqual(states);
      const { id } = clinic.clinic.provider;
      const listed = await clinic.sandbox.bank.listTransfers(id, new Date(0), new Date("2100-01-01"));
      expect(listed.map(({ amount }) => amount)).toEqual(sent);
      const balances = await balancesOf(world.bff.database.db, id);
      expect(balances.find(({ account }) => account === "bank")?.balance).toBe(-38_800);
    },
  );

  test("a call to the lender cannot be settled by hand", async () => {
    await clinic.fault("financing-provider", ["authoriseLoan", "inquireLoan"], "fail_before", 1_000);
    const hash = await clinic.readyOrder({ card: LATER.captured });
    await clinic.pay(hash);
    await advance(7 * HOUR_MS);
    await expect(act("outcome_unknown", "portal_done", "L-1 portal")).rejects.toThrow("goes to the lender");
  });
});

test("a refund's coming inquiry is not moved forward by a coming charge of its order", async () => {
  const hash = await paidOrder(LATER.declined);
  await clinic.approve(hash);
  await world.bff.runDue();
  expect(await clinic.collectionStatus(hash)).toBe("scheduled approved");
  await clinic.fault("financing-provider", "reduceLoan", "fail_before", 1_000);
  await clinic.refund(hash, { amount: 5_000 });
  await advance(7 * HOUR_MS);
  // Moves past the due time of the next inquiry.
  world.bff.clock.set(new Date(world.bff.clock.now().getTime() + HOUR_MS));
  await expect(act("outcome_unknown", "ask_again")).rejects.toThrow("inquiry is already running");
});

test("a payment whose patient is at the issuer's page does not count as unknown", async () => {
  const hash = await clinic.readyOrder({ card: CARDS.challenge });
  expect((await clinic.pay(hash)).body.payment.status).toBe("requires_action");
  world.bff.clock.set(new Date(world.bff.clock.now().getTime() + 7 * HOUR_MS));
  expect(await exceptions()).toEqual([]);
});

test("a refund with an unknown outcome is inquired about even while another refund of its order is running", async () => {
  const hash = await paidOrder(CARDS.returnPending);
  await clinic.refund(hash, { amount: 35_000 });
  await clinic.fault("card-processor", "returnCharge", "fail_before", 1_000);
  const { body } = await clinic.refund(hash, { amount: 2_000 });
  await advance(7 * HOUR_MS);
  const unheard = (await exceptions()).filter(({ kind }) => kind === "outcome_unknown");
  expect(unheard.map(({ subject }) => subject)).toEqual([body.refund.id]);
});

test("a refund of two charges is inquired about while one return is unknown, even days after the other", async () => {
  const hash = await paidOrder(CARDS.returnPending);
  await clinic.approve(hash);
  await world.bff.runDue();
  const { body } = await clinic.refund(hash);
  await clinic.fault("card-processor", "returnCharge", "fail_before", 1_000);
  await advance(3 * DAY_MS);
  const unheard = (await exceptions()).filter(({ kind }) => kind === "outcome_unknown");
  expect(unheard).toMatchObject([{ subject: body.refund.id, facts: { of: "refund" } }]);
});

test("a payout that the bank refused is listed until operators have confirmed another account", async () => {
  await agree("1000000002");
  await paidOrder();
  await advance(2 * DAY_MS);
  expect(await exceptions()).toMatchObject([
    { kind: "payout_refused", facts: { why: "account_closed", amount: 38_800 } },
  ]);
  await agree("0011223344");
  await advance(DAY_MS);
  expect(await kinds()).toEqual(["payout_refused", "payee_account_changed"]);
  for (const operator of ["operator:camila", "operator:diego"])
    await act("payee_account_changed", "confirm_account", "hablé con la tesorera", undefined, operator);
  await advance(DAY_MS);
  expect(await exceptions()).toEqual([]);
});

test("a payout that came back is owed to the clinic again, mailed to it, and paid into another account", async () => {
  await agree("1000000006");
  await paidOrder();
  await advance(2 * DAY_MS);
  expect(await exceptions()).toMatchObject([
    { kind: "payout_returned", facts: { why: "account_closed", amount: 38_800 } },
  ]);
  const { db } = world.bff.database;
  const { id: providerId } = clinic.clinic.provider;
  const owed = Object.fromEntries((await balancesOf(db, providerId)).map(({ account, balance }) => [account, balance]));
  expect(owed).toMatchObject({ order: -40_000, bank: 0, payout_fee: 0 });
  const [mail, ...more] = await clinic.mailTexts("The bank returned your payout of $38.800");
  expect([mail, more]).toEqual([expect.stringContaining("ending in 0006"), []]);
  expect(mail).toContain("the account is closed");
  expect(mail).not.toContain("1000000006");
  const booked = await db
    .selectFrom("audit_log")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("act", "=", "payout.returned")
    .execute();
  expect(booked).toMatchObject([{ actor: "bank", details: { amount: 38_800, reason: "account_closed" } }]);
  const shown = await world.bff.callSpotApi(operationsEndpoints.listPayouts, { as: clinic.clinic });
  expect(shown.body.payouts).toMatchObject([
    { status: "refused", refusal: "account_closed", returned_at: expect.any(String) },
  ]);
  const [statement] = await clinicAccounts(db, { providerId, from: new Date(0), to: new Date("2100-01-01") });
  expect(statement?.closing).toBe(40_000);
  expect(statement?.movements.map(({ kind, amount }) => [kind, amount])).toEqual(
    expect.arrayContaining([
      ["payout", -38_800],
      ["payout_returned", 38_800],
    ]),
  );
  await agree("0011223344");
  await advance(DAY_MS);
  for (const operator of ["operator:camila", "operator:diego"])
    await act("payee_account_changed", "confirm_account", "hablé con la tesorera", undefined, operator);
  await advance(DAY_MS);
  expect(await exceptions()).toEqual([]);
  const again = await world.bff.callSpotApi(operationsEndpoints.listPayouts, { as: clinic.clinic });
  expect(again.body.payouts.map(({ status }: { status: string }) => status)).toEqual(["refused", "paid"]);
});

test("a difference from the processor's list is listed until dismissed, and so is one from its settlements", async () => {
  const hash = await paidOrder();
  const { db } = world.bff.database;
  await db
    .updateTable("sandbox_movements")
    .set({ amount: 11_999 })
    .where("order_hash", "=", clinic.key(hash).orderId)
    .execute();
  await advance(DAY_MS);
  expect(await exceptions()).toMatchObject([
    { kind: "difference", orderId: hash, facts: { kind: "charge_amount_differs", expected: 12_000, found: 11_999 } },
  ]);
  await act("difference", "handled");
  await advance(2 * DAY_MS);
  // The processor pays out what it lists, so its settlement differs too.
  expect(await exceptions()).toMatchObject([
    { kind: "difference", orderId: hash, facts: { kind: "settled_differs", expected: 12_000, found: 11_999 } },
  ]);
  await act("difference", "handled");
  await advance(2 * DAY_MS);
  expect(await exceptions()).toEqual([]);
});

describe("a dismissed difference", () => {
  /** The processor's amount for an order's first charge. */
  const list = (hash: string, amount: number) =>
    world.bff.database.db
      .updateTable("sandbox_movements")
      .set({ amount })
      .where("order_hash", "=", clinic.key(hash).orderId)
      .execute();
  /** The processor settles what it lists, which is another difference. */
  const differing = async () => (await exceptions()).filter(({ facts }) => facts.kind === "charge_amount_differs");
  const found = async () => (await differing()).map(({ facts }) => facts.found);
  async function handle(): Promise<void> {
    const [difference] = await differing();
    const handled = { resolution: "handled", actor: "operator:camila", note: null } as const;
    await resolveException(dependencies(), exceptionId(present(difference)), handled);
  }
  /** An order whose first charge the processor lists with this amount; an operator has handled the difference. */
  async function putAside(amount: number): Promise<string> {
    const hash = await paidOrder();
    await list(hash, amount);
    await advance(DAY_MS);
    await handle();
    return hash;
  }

  test("is listed again when it disappears and returns", async () => {
    const hash = await putAside(11_999);
    await list(hash, 12_000);
    await advance(DAY_MS);
    await list(hash, 11_999);
    expect(await found()).toEqual([]);
    await advance(DAY_MS);
    expect(await found()).toEqual([11_999]);
  });

  test("is listed again, once, when its amount changes", async () => {
    const hash = await putAside(11_999);
    await list(hash, 11_000);
    await advance(DAY_MS);
    expect(await found()).toEqual([11_000]);
    await handle();
    await advance(DAY_MS);
    expect(await found()).toEqual([]);
  });
});

test("an order that disagrees with the ledger is listed until they agree, however long that takes", async () => {
  const hash = await paidOrder();
  const { db } = world.bff.database;
  const { providerId, orderId } = clinic.key(hash);
  const wrong = { id: systemIds.uuid(), provider_id: providerId, order_id: orderId, at: world.bff.clock.now() };
  const booked = { debit: "order", credit: "paid_by_hand", amount: 5, cause: "by mistake" } as const;
  await db
    .insertInto("ledger_transfers")
    .values({ ...wrong, ...booked })
    .execute();
  await advance(DAY_MS);
  const listed = [{ kind: "difference", facts: { kind: "order_price_differs", expected: 40_000, found: 39_995 } }];
  expect(await exceptions()).toMatchObject(listed);
  await advance(6 * DAY_MS);
  expect(await exceptions()).toMatchObject(listed);
  await expect(db.deleteFrom("ledger_transfers").where("id", "=", wrong.id).execute()).rejects.toThrow(
    "a row of the ledger is never changed",
  );
  const set = { amount: 4 };
  await expect(db.updateTable("ledger_transfers").set(set).where("id", "=", wrong.id).execute()).rejects.toThrow(
    "a row of the ledger is never changed",
  );
  const back = { debit: "paid_by_hand", credit: "order", cause: "by mistake, back", id: systemIds.uuid() } as const;
  await db
    .insertInto("ledger_transfers")
    .values({ ...wrong, ...booked, ...back })
    .execute();
  await advance(DAY_MS);
  expect(await exceptions()).toEqual([]);
});

test("a chargeback of an unknown order is listed as a difference", async () => {
  const hash = await paidOrder();
  const { db } = world.bff.database;
  const charge = await db
    .selectFrom("sandbox_movements")
    .selectAll()
    .where("order_hash", "=", clinic.key(hash).orderId)
    .executeTakeFirstOrThrow();
  const ofAnother = { kind: "chargeback", order_hash: systemIds.uuid() as typeof charge.order_hash } as const;
  const taken = { ...charge, ...ofAnother, id: `back ${charge.id}`, idempotency_key: "none" };
  await db.insertInto("sandbox_movements").values(taken).execute();
  await advance(DAY_MS);
  expect(await exceptions()).toMatchObject([
    { kind: "difference", subject: `chargeback:${taken.id}`, facts: { kind: "chargeback", found: 12_000 } },
  ]);
  await act("difference", "handled");
  await advance(DAY_MS);
  expect(await exceptions()).toEqual([]);
});

describe("money that a card does not accept back", () => {
  /** A service whose card processor returns nothing, or nothing of some charges. */
  async function startWithoutReturns(refuses = (_chargeId: string) => true): Promise<AfterPaidWorld> {
    const database = await openTestDatabase();
    const clock = movableClock(START);
    const dependencies = { db: database.db, ids: systemIds, clock, challengeOrigin: "http://bank.test" };
    const sandbox = createSandboxGateways({ ...dependencies, kill: () => undefined });
    const cardProcessor: CardProcessor = {
      ...sandbox.cardProcessor,
      returnCharge: async (call, input) =>
        refuses(input.chargeId) ? { outcome: "refused" } : sandbox.cardProcessor.returnCharge(call, input),
    };
    return startAfterPaid({
      database,
      now: START,
      parties: { ...sandbox, cardProcessor, close: async () => undefined },
    });
  }

  test("is paid back by an operator, booked once with an audit row, and the books agree again", async () => {
    const before = [world, clinic] as const;
    const own = await startWithoutReturns();
    [world, clinic] = [own, await own.newClinic()];
    try {
      // The card was declined before, so it has nothing to return.
      const hash = await clinic.readyOrder({ rut: ORDER_PATIENTS.confirmationRefused, card: CARDS.declined });
      await clinic.pay(hash);
      await clinic.addCard(hash);
      await clinic.pay(hash);
      await advance(DAY_MS);
      const facts = { why: "return_refused", amount: 12_000 };
      expect(await exceptions()).toMatchObject([{ kind: "money_not_returned", orderId: hash, facts }]);
      expect(await differences()).not.toEqual([]);
      await expect(act("money_not_returned", "paid_back")).rejects.toThrow("Say in --note");
      expect(await act("money_not_returned", "paid_back", "transferencia 4711")).toBe(
        "Booked as repaid by another method.",
      );
      expect(await audited()).toMatchObject([{ act: "matter.paid_back", subject_kind: "money_not_returned" }]);
      await expect(act("money_not_returned", "paid_back", "otra vez")).rejects.toThrow("There is not one");
      expect(await exceptions()).toEqual([]);
      expect(await differences()).toEqual([]);
      const balances = await balancesOf(own.bff.database.db, clinic.clinic.provider.id);
      expect(balances.filter(({ balance }) => balance !== 0)).toEqual([
        { account: "card_processor", balance: 12_000 },
        { account: "paid_by_hand", balance: -12_000 },
      ]);
    } finally {
      [world, clinic] = before;
      await own.bff.close();
    }
  });

  test("is the unreturned part of a refund that failed in part", async () => {
    const before = [world, clinic] as const;
    let refused = "";
    const own = await startWithoutReturns((chargeId) => chargeId === refused);
    [world, clinic] = [own, await own.newClinic()];
    try {
      const hash = await paidOrder();
      await clinic.approve(hash);
      await world.bff.runDue();
      refused = (await clinic.order(hash)).payments.find(({ kind }) => kind === "first")?.chargeId ?? "";
      // Another refund's amount is not included.
      expect((await clinic.refund(hash, { amount: 1_000 })).body.refund.status).toBe("succeeded");
      await clinic.refund(hash, { amount: 31_000 });
      await advance(HOUR_MS);
      const facts = { why: "refund_failed_in_part", amount: 4_000, given_back: 27_000 };
      expect(await exceptions()).toMatchObject([{ kind: "money_not_returned", facts }]);
      expect(await clinic.read(hash)).toMatchObject({ status: "partially_refunded", refunded_amount: 28_000 });
      await expect(act("money_not_returned", "paid_back", "x")).rejects.toThrow("gave $27.000 back, and $4.000 not");
    } finally {
      [world, clinic] = before;
      await own.bff.close();
    }
  });

  test("leads to a refund that the clinic must repeat: nothing is booked for it", async () => {
    const before = [world, clinic] as const;
    const own = await startWithoutReturns();
    [world, clinic] = [own, await own.newClinic()];
    try {
      const hash = await paidOrder();
      await clinic.refund(hash);
      await advance(HOUR_MS);
      expect(await exceptions()).toMatchObject([{ kind: "money_not_returned", facts: { why: "refund_failed" } }]);
      await expect(act("money_not_returned", "paid_back", "x")).rejects.toThrow("returns nothing");
      await act("money_not_returned", "handled", "la clínica devolvió en caja");
      expect(await exceptions()).toEqual([]);
    } finally {
      [world, clinic] = before;
      await own.bff.close();
    }
  });
});

test("a resolution of an unknown exception does nothing", async () => {
  const doing = { resolution: "handled", actor: "operator:camila", note: null } as const;
  await expect(resolveException(dependencies(), "nothing", doing)).rejects.toThrow("no exception with this name");
  const name = `collection_failed:${clinic.clinic.provider.id}:${clinic.clinic.provider.id}@01234567`;
  await expect(resolveException(dependencies(), name, doing)).rejects.toThrow("no exception with this name");
});

describe("a mail that bounced", () => {
  const bounced = async () => {
    const hash = await clinic.paidOrder({ customer: { email: "rebota@example.com" } });
    await world.bff.runDue();
    return hash;
  };

  test("is an exception, can be sent again, and is listed again when it bounces again", async () => {
    const hash = await bounced();
    expect(await exceptions()).toMatchObject([
      { kind: "notice_undelivered", orderId: hash, facts: { notice: "payment_receipt", why: "refused" } },
    ]);
    expect(await act("notice_undelivered", "send_again")).toBe("It is sent again.");
    expect(await exceptions()).toEqual([]);
    expect(await audited()).toMatchObject([{ act: "matter.send_again", subject_kind: "notice_undelivered" }]);
    await world.bff.runDue();
    expect(await kinds()).toEqual(["notice_undelivered"]);
    expect(await clinic.messages()).toHaveLength(1);
    await act("notice_undelivered", "handled", "la clínica lo llamó");
    expect(await exceptions()).toEqual([]);
  });

  test("is reported as refused if the mail server cannot take an address beyond ASCII, and is not lost", async () => {
    const email = "buzón@example.com";
    const hash = await clinic.paidOrder({ customer: { email } });
    await world.bff.runDue();
    const why = { facts: { notice: "payment_receipt", why: "no_smtputf8" } };
    expect(await exceptions()).toMatchObject([{ kind: "notice_undelivered", orderId: hash, ...why }]);
    // Once the mail server works, the notice is sent unchanged.
    await act("notice_undelivered", "send_again");
    expect(await exceptions()).toEqual([]);
    await world.bff.runDue();
    expect(await exceptions()).toMatchObject([why]);
    await act("notice_undelivered", "handled", "la clínica lo llamó");
    await clinic.register(PATIENTS.neverAnswered, email);
    await world.bff.callSpotApi(spotEndpoints.sendDataLink, {
      as: clinic.clinic,
      body: { rut: PATIENTS.neverAnswered },
    });
    await world.bff.runDue();
    // An expiring link is not stored, so it can only be requested again once the mail server works.
    const [link, ...others] = await exceptions();
    expect([link, others]).toMatchObject([{ kind: "notice_not_carried", facts: { notice: "data_link" } }, []]);
    expect(exceptionView(present(link)).resolutions).toEqual(["handled"]);
    await expect(act("notice_not_carried", "send_again")).rejects.toThrow("resolution send_again does not apply");
    await act("notice_not_carried", "handled", "la clínica lo llamó");
    expect(await exceptions()).toEqual([]);
  });

  test("is forgotten when its patient is erased", async () => {
    const rut = PATIENTS.neverAnswered;
    // Erased by mailbox, although the order spells the address differently.
    const email = "buzón@example.com";
    await clinic.register(rut, email);
    await clinic.paidOrder({ rut, customer: { email: "BUZÓN@Example.com".normalize("NFD") } });
    await world.bff.runDue();
    const { provider } = clinic.clinic;
    const { context, clock } = world.bff;
    const patient = present(
      await findBeneficiary(dependencies().db, { tenant: tenantOf(provider), rut: parseRut(rut) }),
    );
    const wish = { patient, providerId: provider.id, actor: "patient", now: clock.now() };
    const { keyring, paymentPage, consultationDay } = context;
    await eraseData({ ...dependencies(), keyring, paymentPage, consultationDay }, wish);
    await expect(act("notice_undelivered", "send_again")).rejects.toThrow("not kept any more");
  });

  test("is forgotten after 30 days: then there is nothing left to send", async () => {
    const { db } = world.bff.database;
    const forgetDaysLater = (days: number) =>
      purgeUndelivered({ db, clock: movableClock(new Date(START.getTime() + days * DAY_MS + 1)) });
    // Purges the notifications of other tests first.
    await forgetDaysLater(1_000);
    await bounced();
    expect(await forgetDaysLater(29)).toBe(0);
    expect(await forgetDaysLater(30)).toBe(1);
    await expect(act("notice_undelivered", "send_again")).rejects.toThrow("not kept any more");
  });
});

describe("a line that the processor's list lacks", () => {
  /** Removes an order's first charge from the processor's list, or restores it. */
  const hide = (hash: string, isHidden: boolean) =>
    world.bff.database.db
      .updateTable("sandbox_movements")
      .set({ provider_id: isHidden ? systemIds.uuid() : clinic.clinic.provider.id })
      .where("order_hash", "=", clinic.key(hash).orderId)
      .execute();
  const found = async () => (await exceptions()).map(({ facts }) => facts.kind);

  test("is found after days on which nothing ran", async () => {
    await hide(await paidOrder(), true);
    world.bff.clock.set(new Date(world.bff.clock.now().getTime() + 9 * DAY_MS));
    await world.bff.runDue();
    expect(await found()).toEqual(["charge_missing"]);
  });

  test("is found after days without the list, whose absence is reported from the second day on", async () => {
    await hide(await paidOrder(), true);
    await clinic.fault("card-processor", "listMovements", "fail_before", 1_000);
    const readsTheList = { failing: [DAILY_TIMER] };
    await world.bff.advance(DAY_MS, readsTheList);
    expect(await exceptions()).toEqual([]);
    await world.bff.advance(5 * DAY_MS, readsTheList);
    expect(await exceptions()).toMatchObject([{ kind: "list_unavailable", facts: { party: "card_processor" } }]);
    await clinic.fault("card-processor", "listMovements", "fail_before", 0);
    await advance(DAY_MS);
    expect(await found()).toEqual(["charge_missing"]);
  });

  test("is no longer listed once the processor reports it a week late", async () => {
    const hash = await paidOrder();
    await hide(hash, true);
    await advance(7 * DAY_MS);
    expect(await found()).toEqual(["charge_missing"]);
    await hide(hash, false);
    await advance(DAY_MS);
    expect(await exceptions()).toEqual([]);
  });
});

describe("a tax document", () => {
  const REFUSED_FOR_TWO_DAYS = "42.028.234-6";
  const approve = async (hash: string) => {
    await world.bff.runDue();
    await clinic.approve(hash);
    await world.bff.runDue();
  };

  /** A paid order whose commission was charged, and partly refunded twice, before its boleta was requested. */
  async function correctedTwice(rut: string): Promise<string> {
    const hash = await clinic.paidOrder({ rut });
    await world.bff.runDue();
    const { provider } = clinic.clinic;
    await payEarly(world.collection, { provider, key: clinic.key(hash), now: world.bff.clock.now() });
    for (const amount of [10_000, 5_000]) await clinic.refund(hash, { amount });
    return hash;
  }

  describe("a document that cannot be issued", () => {
    test("is named by the reconciliation at once, and an exception after a day, until it is issued", async () => {
      const hash = await clinic.paidOrder({ rut: REFUSED_FOR_TWO_DAYS });
      await approve(hash);
      const documents = async () => (await clinic.read(hash)).tax_documents ?? [];
      expect(await documents()).toMatchObject([{ kind: "boleta", number: null, url: null, issued_at: null }]);
      expect(await differences()).toMatchObject([
        { kind: "commission_without_document", party: "tax_documents", orderId: hash, expected: 2_800, found: null },
      ]);
      await advance(23 * HOUR_MS);
      expect(await kinds()).not.toContain("tax_document_missing");
      await advance(2 * HOUR_MS);
      const [missing] = (await exceptions()).filter(({ kind }) => kind === "tax_document_missing");
      expect(missing).toMatchObject({
        orderId: hash,
        facts: { document: "boleta", amount: 2_800, why: "no_numbers_left" },
      });
      world.bff.clock.advance(DAY_MS);
      await act("tax_document_missing", "issue_now");
      await world.bff.runDue();
      expect(await documents()).toMatchObject([{ kind: "boleta", amount: 2_800, net: 2_353, vat: 447, number: "1" }]);
      expect(await kinds()).not.toContain("tax_document_missing");
      expect(await differences()).toEqual([]);
      expect(await clinic.mailTexts("Boleta electrónica N° 1")).toHaveLength(1);
    });

    test("is issued once after a lost answer or a crash, and mailed once", async () => {
      const [lost, slow, unheard] = [await clinic.paidOrder(), await clinic.paidOrder(), await clinic.paidOrder()];
      const asked = untilTestEnds(vi.spyOn(world.bff.context.parties.taxDocuments, "issueDocument"));
      for (const [hash, fault, calls] of [
        [lost, "fail_after", 1],
        [slow, "slow", 1],
        [unheard, "fail_before", 2],
      ] as const) {
        asked.mockClear();
        await clinic.fault("tax-documents", "issueDocument", fault);
        await approve(hash);
        await advance(HOUR_MS);
        expect((await clinic.read(hash)).tax_documents).toMatchObject([{ kind: "boleta", number: expect.any(String) }]);
        expect(asked).toHaveBeenCalledTimes(calls);
      }
      const listed = await world.bff.database.db
        .selectFrom("sandbox_tax_documents")
        .select("number")
        .where("provider_id", "=", clinic.clinic.provider.id)
        .orderBy("number")
        .execute();
      expect(listed.map(({ number }) => number)).toEqual([1, 2, 3]);
      expect(await clinic.mailTexts("Boleta electrónica N° 2")).toHaveLength(1);
      expect(await differences()).toEqual([]);
    });

    test("is requested hourly under another key, and then issued with its correction", async () => {
      const hash = await clinic.paidOrder();
      const { taxDocuments } = world.bff.context.parties;
      const { issueDocument } = taxDocuments;
      let refusals = 3;
      const { elapsed, call } = timed(world.bff.clock, async (...given: Parameters<typeof issueDocument>) => {
        refusals -= 1;
        return refusals < 0 ? issueDocument(...given) : ({ outcome: "refused", reason: "no_numbers_left" } as const);
      });
      const issued = untilTestEnds(vi.spyOn(taxDocuments, "issueDocument")).mockImplementation(call);
      const inquired = untilTestEnds(vi.spyOn(taxDocuments, "inquireDocument"));
      await approve(hash);
      await advance(HOUR_MS);
      expect([elapsed, inquired.mock.calls]).toEqual([[0, 3_600], []]);
      await clinic.refund(hash, { amount: 10_000 });
      await advance(HOUR_MS);
      // The timers of both documents may run at once; a call repeated under its key is the same request.
      const requests = new Map(issued.mock.calls.map(([{ idempotencyKey }, document]) => [idempotencyKey, document]));
      expect([...requests.values()].map(({ kind, corrects }) => [kind, corrects])).toEqual([
        ...Array(4).fill(["boleta", null]),
        ["credit_note", "1"],
      ]);
      const documents = world.bff.database.db.selectFrom("sandbox_tax_documents").select("number");
      expect(await documents.where("provider_id", "=", clinic.clinic.provider.id).execute()).toHaveLength(2);
      expect((await clinic.read(hash)).tax_documents).toMatchObject([
        { kind: "boleta", amount: 2_800, number: "1" },
        { kind: "credit_note", amount: 700, number: "1" },
      ]);
      expect(await clinic.mailTexts("Boleta electrónica N° 1")).toHaveLength(1);
      expect(await clinic.mailTexts("Nota de crédito N° 1")).toHaveLength(1);
      expect(await differences()).toEqual([]);
    });

    test("stays unchanged while the clinic's other documents are issued, refused and corrected", async () => {
      const { db } = world.bff.database;
      const [refused, unheard, again, other, corrected] = [
        await clinic.paidOrder({ rut: REFUSED_FOR_TWO_DAYS }),
        await clinic.paidOrder(),
        await clinic.paidOrder({ rut: REFUSED_FOR_TWO_DAYS }),
        await clinic.paidOrder(),
        await clinic.paidOrder(),
      ];
      await approve(refused);
      await clinic.fault("tax-documents", "issueDocument", "fail_before");
      await approve(unheard);
      const documentsOf = async (hash: string) => present((await rowsOfOrder(db, hash)).tax_documents);
      const before = [await documentsOf(refused), await documentsOf(unheard)];
      await approve(again);
      await approve(corrected);
      await clinic.refund(corrected, { amount: 10_000 });
      await world.bff.runDue();
      expect([await documentsOf(refused), await documentsOf(unheard)]).toEqual(before);
      expect(await documentsOf(corrected)).toMatchObject([{ issued_number: "1" }, { issued_number: "1" }]);
      const underWay = ({ clinic: { provider } }: Clinic) =>
        inTransaction(db, (tx) => documentsUnderWay(tx, provider.id));
      const sources = (before[1] ?? []).map((document) => Object(document).source_id);
      expect([await underWay(clinic), await underWay(await world.newClinic())]).toEqual([sources, []]);
      const fault = { party: "tax-documents", calls: 1 } as const;
      await inTransaction(db, (tx) =>
        replaceFaults(tx, clinic.clinic.provider.id, [
          { ...fault, method: "issueDocument", kind: "fail_before" },
          { ...fault, method: "inquireDocument", kind: "fail_before", calls: 2 },
        ]),
      );
      await approve(other);
      await advance(MINUTE_MS);
      expect(await documentsOf(other)).toMatchObject([{ number: 1, issued_number: expect.any(String) }]);
      expect(await documentsOf(refused)).toEqual(before[0]);
    });

    test("leaves its corrections unchanged while it is refused and inquired about", async () => {
      const { db } = world.bff.database;
      const lost = { party: "tax-documents", kind: "fail_before", calls: 100 } as const;
      const [refused, unheard] = [REFUSED_FOR_TWO_DAYS, PATIENTS.neverAnswered];
      for (const rut of [refused, unheard]) {
        const hash = await correctedTwice(rut);
        if (rut === unheard)
          await inTransaction(db, (tx) =>
            replaceFaults(tx, clinic.clinic.provider.id, [
              { ...lost, method: "issueDocument" },
              { ...lost, method: "inquireDocument" },
            ]),
          );
        await advance(MINUTE_MS);
        const documents = db.selectFrom("tax_documents").select(["refusals", "refusal", "inquiries"]).orderBy("number");
        const [boleta, ...notes] = await documents.where("order_id", "=", clinic.key(hash).orderId).execute();
        const { refusals, inquiries } = present(boleta);
        expect([refusals > 0, inquiries > 0]).toEqual([rut === refused, rut === unheard]);
        const notInquired = { refusals: 0, refusal: null, inquiries: 0 };
        expect(notes).toEqual([notInquired, notInquired]);
      }
    });
  });

  test("is named by both corrections issued for it, and leaves nothing to inquire about", async () => {
    await approve(await clinic.paidOrder());
    const hash = await correctedTwice(PATIENTS.neverAnswered);
    const issued = untilTestEnds(vi.spyOn(world.bff.context.parties.taxDocuments, "issueDocument"));
    await world.bff.runDue();
    // Each has a separate timer. The three of an order may be due at the same time.
    const named = new Set(issued.mock.calls.map(([, { kind, corrects }]) => `${kind} ${corrects}`));
    expect(named).toEqual(new Set(["boleta null", "credit_note 2"]));
    await advance(MINUTE_MS);
    const asking = world.bff.database.db
      .selectFrom("timers")
      .select("done_at")
      .where("kind", "=", "tax_document.issue");
    const done = await asking.where("key", "like", `${clinic.key(hash).orderId}:%`).execute();
    expect(done.map(({ done_at: at }) => at !== null)).toEqual([true, true, true]);
  });

  test("is fully exempt and names the patient if the commission is interest", async () => {
    const issuer = { name: "Financiera de Prueba SpA", rut: "76.904.444-2" };
    const interest = await world.newClinic({ commissionTax: { regime: "interest", issuer } });
    const hash = await interest.justPaid();
    await interest.approve(hash);
    const issued = untilTestEnds(vi.spyOn(world.bff.context.parties.taxDocuments, "issueDocument"));
    await world.bff.runDue();
    const asked = issued.mock.calls
      .map(([, document]) => document)
      .filter(({ orderHash }) => orderHash === interest.key(hash).orderId);
    const { db } = world.bff.database;
    const { providerId, orderId } = interest.key(hash);
    const names = db.selectFrom("orders").select(["customer_first_name", "customer_last_name"]);
    const named = await names.where("id", "=", orderId).executeTakeFirstOrThrow();
    const receiverName = `${named.customer_first_name} ${named.customer_last_name}`;
    expect(asked).toMatchObject([{ net: 0, vat: 0, exempt: 2_800, receiverName }]);
    const documents = db.selectFrom("sandbox_tax_documents").select(["net", "vat", "exempt"]);
    expect(await documents.where("provider_id", "=", providerId).execute()).toEqual([
      { net: 0, vat: 0, exempt: 2_800 },
    ]);
    const [listed] = await interest.sandbox.taxDocuments.listDocuments(
      providerId,
      new Date(0),
      new Date(world.bff.clock.now().getTime() + 1),
    );
    expect(listed).toMatchObject({ kind: "boleta", amount: 2_800 });
  });

  test("is requested within the hour under another key if its lost answer was a rejection", async () => {
    const hash = await clinic.paidOrder();
    const { taxDocuments } = world.bff.context.parties;
    const issue = untilTestEnds(vi.spyOn(taxDocuments, "issueDocument"));
    issue.mockResolvedValueOnce({ outcome: "unknown" });
    const inquire = untilTestEnds(vi.spyOn(taxDocuments, "inquireDocument"));
    inquire.mockResolvedValueOnce({ outcome: "rejected", number: "9" });
    await approve(hash);
    await advance(2 * HOUR_MS);
    expect((await clinic.read(hash)).tax_documents).toMatchObject([{ number: "1" }]);
    const tries = issue.mock.calls.map(([{ idempotencyKey }]) => idempotencyKey.split(":")[2]);
    expect([tries, inquire.mock.calls.length]).toEqual([["1", "2"], 1]);
  });

  test("is due again once the tax authority rejects it, and issued under another key on an operator's request", async () => {
    const hash = await clinic.paidOrder();
    await approve(hash);
    const { db } = world.bff.database;
    const { providerId } = clinic.key(hash);
    const documents = async () => (await clinic.read(hash)).tax_documents ?? [];
    const [first] = await documents();
    expect(first).toMatchObject({ number: expect.any(String) });
    await db
      .updateTable("sandbox_tax_documents")
      .set({ rejected: true })
      .where("provider_id", "=", providerId)
      .execute();
    expect(await differences()).toMatchObject([{ kind: "commission_without_document", expected: 2_800, found: null }]);
    await advance(2 * DAY_MS);
    expect(await documents()).toMatchObject([{ number: null, url: null, issued_at: null }]);
    const missing = (await exceptions()).filter(({ kind }) => kind === "tax_document_missing");
    expect(missing).toMatchObject([{ orderId: hash, facts: { why: "rejected", amount: 2_800 } }]);
    // The list has the rejected document for ever. Reading it again withdraws nothing.
    await act("tax_document_missing", "issue_now");
    await world.bff.runDue();
    const [second] = await documents();
    expect(second?.number).not.toBeNull();
    expect(second?.number).not.toBe(first?.number);
    await advance(2 * DAY_MS);
    expect(await documents()).toEqual([second]);
    const keys = db.selectFrom("sandbox_tax_documents").select("idempotency_key").where("provider_id", "=", providerId);
    const tries = (await keys.orderBy("number").execute()).map(({ idempotency_key: key }) => key.split(":")[2]);
    expect(tries).toEqual(["1", "2"]);
    expect(await kinds()).not.toContain("tax_document_missing");
    expect(await clinic.mailTexts(`Boleta electrónica N° ${second?.number}`)).toHaveLength(1);
  });

  test("belongs to its commission once issued; one without the other is a difference", async () => {
    const hash = await clinic.paidOrder();
    await approve(hash);
    const { db } = world.bff.database;
    const rowsOf = async ({ clinic: { provider } }: Clinic, from: number, to: number) => {
      const at = (offset: number) => new Date(world.bff.clock.now().getTime() + offset);
      const period = { providerId: provider.id, from: at(from), to: at(to) };
      const rows = await inTransaction(db, (tx) => taxedRows(tx, period));
      return rows.map(({ orderId, amount }) => [orderId, amount] as const).toSorted(([, a], [, b]) => b - a);
    };
    const interest = await world.newClinic({ commissionTax: { regime: "interest" } });
    await interest.approve(await interest.justPaid());
    await world.bff.runDue();
    const { orderId } = clinic.key(hash);
    // Net price and VAT of this order alone.
    expect(await rowsOf(clinic, 0, 1)).toEqual([
      [orderId, 2_353],
      [orderId, 447],
    ]);
    expect([await rowsOf(clinic, -1, 0), await rowsOf(clinic, 1, 2), await rowsOf(interest, 0, 1)]).toEqual([
      [],
      [],
      [],
    ]);
    expect(await differences()).toEqual([]);
    const { taxDocuments } = clinic.sandbox;
    const { providerId } = clinic.key(hash);
    const call = { providerId, idempotencyKey: `${systemIds.uuid()}:boleta:1`, at: world.bff.clock.now() };
    const issuer = { name: "AAPD de Prueba SpA", rut: parseRut("76.904.444-2") };
    const amounts = { net: clp(100), vat: clp(19), corrects: null };
    const receiverRut = parseRut("40.100.000-3");
    await taxDocuments.issueDocument(call, {
      kind: "boleta",
      issuer,
      receiverRut,
      day: "2026-11-21",
      ...amounts,
      orderHash: orderId,
    });
    expect(await differences()).toMatchObject([{ kind: "document_without_commission", expected: null, found: 119 }]);
    await db.deleteFrom("sandbox_tax_documents").where("provider_id", "=", providerId).execute();
    expect(await differences()).toMatchObject([{ kind: "commission_without_document", expected: 2_800, found: null }]);
  });
});
