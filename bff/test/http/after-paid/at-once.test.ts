/** @module-tag both-databases */
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { giveUpClaim } from "../../../src/claims/claim-resolutions.ts";
import { FILE_CLAIM_TIMER } from "../../../src/claims/consider-claim.ts";
import { POLL_CLAIM_TIMER } from "../../../src/claims/poll-claim.ts";
import { changeCardOnPage, inquireCardPageChange } from "../../../src/collection/change-card.ts";
import { noteChargeback } from "../../../src/collection/daily-sync.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { RECOGNISED_MINUTES } from "../../../src/contract/terms.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { MINUTE_MS } from "../../../src/contract/vocabulary/durations.ts";
import { SETTLE_PAYMENT_TIMER } from "../../../src/orders/payments/payment-attempt.ts";
import { SETTLE_REFUND_TIMER } from "../../../src/orders/refunds/run-refund.ts";
import { CARD_ATTEMPT_TIMERS } from "../../../src/orders/run-card-attempt.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { ResolutionRefused } from "../../../src/platform/exceptions.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { testDatabaseKind } from "../../database.ts";
import { askWhileHeld } from "../../lock-waits.ts";
import { knownPatientsOf, toKeep } from "../orders/known-patients-world.ts";
import { present } from "../orders/orders-world.ts";
import { expenseForm, pdf } from "../spot/expense-forms.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  HOUR_MS,
  LATER,
  PATIENTS,
  WITHOUT_CLINICS_MONEY,
} from "./after-paid-world.ts";

/* Two concurrent actions on the same order. PGlite has only one session, so nothing is concurrent there. */

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ options: () => WITHOUT_CLINICS_MONEY }, (beginning) => {
  ({ world, clinic } = beginning);
});

/** Starts the calls one after the other while another session locks the order's row, so that they all wait for it. */
function askTogether<Answer>(
  hash: string,
  table: "orders" | "expenses" | "claims" | "collections" | "tax_documents" | "loan_reports" | "card_attempts",
  asks: readonly (() => Promise<Answer>)[],
): Promise<Answer[]> {
  const { orderId } = clinic.key(hash);
  const id = sql.ref(table === "orders" ? "id" : "order_id");
  const row = sql`select from ${sql.table(table)} where ${id} = ${orderId} for update`;
  return askWhileHeld(world.bff.database.db, row, asks);
}

/** Runs the due timers of one kind and deletes all others, so that none waits for the same lock. */
async function runOnly(kind: string): Promise<void> {
  await world.bff.database.db.deleteFrom("timers").where("kind", "!=", kind).execute();
  await world.bff.runDue();
}

/** An order whose patient is on the processor's page. */
async function atCardPage() {
  const { db } = world.bff.database;
  await db.updateTable("providers").set({ card_page: true }).where("id", "=", clinic.clinic.provider.id).execute();
  const hash = await clinic.newOrder();
  await clinic.identify(hash);
  const press = () => clinic.call("openCardPage", hash, { body: {} });
  return {
    hash,
    given: await press(),
    press,
    ask: () => clinic.call("openCardPage", hash, { body: { inquire: true } }),
  };
}

describe.runIf(testDatabaseKind === "postgres")("concurrent actions", () => {
  it("two documents sent for one receipt are both stored, one after the other", async () => {
    const rut = PATIENTS.neverAnswered;
    await clinic.register(rut);
    const hash = await clinic.newOrder({ rut });
    await clinic.submitReceipt(hash, rut);
    const send = (bytes: number) => () =>
      world.bff.callSpotApi(spotEndpoints.submitExpense, {
        as: clinic.clinic,
        query: { rut },
        rawBody: expenseForm([pdf(bytes)], { skip_pay_order_id: hash }),
      });
    const answers = await askTogether(hash, "expenses", [send(600), send(700)]);
    const files = answers.map(({ body }) => body.processed_files?.map(({ bytes }: { bytes: number }) => bytes));
    expect(files).toEqual([
      [500, 600],
      [500, 600, 700],
    ]);
  });

  it("a document for one receipt does not wait for a lock on the clinic's other receipts", async () => {
    const rut = PATIENTS.neverAnswered;
    await clinic.register(rut);
    const [hash, other] = [await clinic.newOrder({ rut }), await clinic.newOrder({ rut })];
    for (const each of [hash, other]) await clinic.submitReceipt(each, rut);
    await inTransaction(world.bff.database.db, async (tx) => {
      await sql`select from expenses where order_id = ${clinic.key(other).orderId} for update`.execute(tx);
      await clinic.submitReceipt(hash, rut, 2);
    });
    const files = sql`select from expense_files f join expenses e on e.id = f.expense_id
      where e.order_id = ${clinic.key(hash).orderId}`;
    expect((await files.execute(world.bff.database.db)).rows).toHaveLength(2);
  });

  /** The patient's bank disputes the first charge of an order. */
  async function noteChargedBack(hash: string, id: string, amount: number): Promise<boolean> {
    const { clock, database } = world.bff;
    const charges = database.db.selectFrom("sandbox_movements").select("charge_id").where("kind", "=", "charge");
    const { charge_id } = await charges.where("order_hash", "=", clinic.key(hash).orderId).executeTakeFirstOrThrow();
    const at = clock.now();
    const chargeback = { ...clinic.key(hash), id, chargeId: charge_id, amount: clp(amount), at };
    return inTransaction(database.db, (tx) => noteChargeback(tx, systemIds, chargeback, at));
  }

  it("a chargeback stops a charge that a trigger makes due, and no charge is announced", async () => {
    const hash = await clinic.justPaid();
    const noted = () => noteChargedBack(hash, "first", 12_000);
    const [isNew, isCharged] = await askTogether(hash, "collections", [noted, () => clinic.approve(hash)]);
    expect([isNew, isCharged, await clinic.collectionStatus(hash)]).toEqual([true, false, "failed approved"]);
  });

  it("a chargeback of a payment is recorded together with the capture whose answer arrives at that moment", async () => {
    const hash = await clinic.readyOrder({ card: LATER.captured });
    await clinic.fault("card-processor", "charge", "fail_after");
    expect((await clinic.pay(hash)).body.payment).toEqual({ status: "processing", waits_for: "bank" });
    world.bff.clock.advance(MINUTE_MS);
    await askTogether<unknown>(hash, "orders", [
      () => runOnly(SETTLE_PAYMENT_TIMER),
      () => noteChargedBack(hash, "first", 12_000),
    ]);
    expect((await clinic.order(hash)).payments).toMatchObject([{ status: "captured", disputed: 12_000 }]);
  });

  it("an operator cannot resolve a chargeback that arrives while they resolve an earlier one", async () => {
    const hash = await clinic.justPaid();
    await noteChargedBack(hash, "first", 12_000);
    const [, refused] = await askTogether<unknown>(hash, "orders", [
      () => noteChargedBack(hash, "second", 5),
      () => clinic.operatorDoes("collection_stopped", "chargeback_lost").catch((error: unknown) => error),
    ]);
    expect(refused).toMatchObject({ message: expect.stringContaining("changed since it was listed") });
    const rows = world.bff.database.db.selectFrom("chargebacks").select(["id", "lost_at"]).orderBy("id");
    expect(await rows.where("order_id", "=", clinic.key(hash).orderId).execute()).toEqual([
      { id: "first", lost_at: null },
      { id: "second", lost_at: null },
    ]);
  });

  it("an operator who saw a claim before its filing began cannot give it up", async () => {
    const hash = await clinic.claimedOrder(PATIENTS.portalDown);
    const statusOf = () =>
      world.bff.database.db
        .selectFrom("expenses")
        .select("status")
        .where("order_id", "=", clinic.key(hash).orderId)
        .executeTakeFirstOrThrow();
    const before = await statusOf();
    world.bff.clock.advance(DAY_MS);
    const giveUp = () => {
      const key = clinic.key(hash);
      return inTransaction(world.bff.database.db, (tx) => giveUpClaim(tx, clinic.resolving(), key));
    };
    const [, refused] = await askTogether<unknown>(hash, "claims", [
      () => runOnly(FILE_CLAIM_TIMER),
      () => giveUp().catch((error: unknown) => error),
    ]);
    expect(refused).toBeInstanceOf(ResolutionRefused);
    expect(await statusOf()).toEqual(before);
  });

  it.each([
    ["a filing", PATIENTS.portalDown, FILE_CLAIM_TIMER, DAY_MS, { state: "stopped", reason: "mandate_withdrawn" }],
    [
      "a question",
      PATIENTS.approvedAfter5Days,
      POLL_CLAIM_TIMER,
      5 * DAY_MS + HOUR_MS,
      { state: "filed", reason: null },
    ],
  ])(
    "the insurer's answer to %s waits for a concurrent withdrawal by the patient and is discarded",
    async (_, rut, kind, after, left) => {
      const { db } = world.bff.database;
      const hash = await clinic.claimedOrder(rut);
      const { orderId } = clinic.key(hash);
      world.bff.clock.advance(after);
      const withdrawal = sql`with patient as (
        select b.rut from beneficiaries b join claims c on c.beneficiary_id = b.id where c.order_id = ${orderId} for update of b)
      update consents set withdrawn_at = ${world.bff.clock.now()} where rut in (select rut from patient) and provider_id = ${clinic.clinic.provider.id}`;
      await askWhileHeld(db, withdrawal, [() => runOnly(kind)]);
      const claims = db.selectFrom("claims").select(["state", "reason"]).where("order_id", "=", orderId);
      expect(await claims.execute()).toEqual([left]);
    },
  );

  it("when two cards are added at once, the later one stays and the processor removes the other", async () => {
    const hash = await clinic.newOrder();
    await clinic.identify(hash);
    const give = (card: string) => () => clinic.addCard(hash, card);
    const answers = await askTogether(hash, "orders", [give(LATER.debit), give(LATER.captured)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await world.bff.runDue();
    const cards = world.bff.database.db.selectFrom("sandbox_cards").select("last4");
    const left = cards.where("order_hash", "=", clinic.key(hash).orderId).where("removed_at", "is", null);
    expect(await left.execute()).toEqual([{ last4: LATER.captured.slice(-4) }]);
  });

  it("when a card to be saved and another card are added at once, the other's payment does not save it", async () => {
    const known = await knownPatientsOf(world.bff);
    const hash = await known.checkout.newOrder();
    await known.checkout.identify(hash);
    await askTogether(hash, "orders", [() => known.addCard(hash, toKeep), () => known.addCard(hash, [], LATER.debit)]);
    expect((await known.checkout.pay(hash)).body.payment.status).toBe("succeeded");
    await world.bff.runDue();
    expect(await known.rows()).toEqual([]);
    expect(await known.kept()).toEqual([]);
  });

  it("an action on an order does not wait for other orders of its clinic", async () => {
    const [hash, otherOrder] = [await clinic.newOrder(), await clinic.readyOrder()];
    await clinic.identify(hash);
    const row = sql`select from orders where id = ${otherOrder} for update`;
    const answers = await inTransaction(world.bff.database.db, async (tx) => {
      await row.execute(tx);
      return [await clinic.addCard(hash), await clinic.call("cancelOrder", hash)];
    });
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it("a card from the processor's page that two workers learn of is added once and replaces no later card", async () => {
    const { hash, given, ask } = await atCardPage();
    await clinic.onCardPage(given.body.page.url, LATER.captured);
    const answers = await askTogether(hash, "orders", [ask, () => clinic.addCard(hash, LATER.debit), ask]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await clinic.order(hash)).card).toMatchObject({ last4: LATER.debit.slice(-4) });
  });

  it("opening the processor's page returns the card that was just added there", async () => {
    const { hash, given, ask, press } = await atCardPage();
    await clinic.onCardPage(given.body.page.url, LATER.captured);
    const answers = await askTogether(hash, "orders", [ask, press]);
    expect(answers.map(({ body }) => body.status)).toEqual(["added", "added"]);
  });

  it("an issuer's answer about a card waits for another card being added and does not overwrite it", async () => {
    const hash = await clinic.justPaid();
    await clinic.fault("card-processor", "authenticate", "fail_after");
    expect(await clinic.giveCard(hash, LATER.challenged)).toEqual({ outcome: "processing" });
    world.bff.clock.advance(MINUTE_MS);
    const [given] = await askTogether<unknown>(hash, "card_attempts", [
      () => clinic.giveCard(hash),
      () => runOnly(CARD_ATTEMPT_TIMERS.new_card),
    ]);
    expect(given).toEqual({ outcome: "changed" });
    const asked = world.bff.database.db.selectFrom("card_attempts").select("state").orderBy("number");
    expect(await asked.where("order_id", "=", clinic.key(hash).orderId).execute()).toEqual([
      { state: "dropped" },
      { state: "proven" },
    ]);
  });

  it("an operator cannot release a collection that a trigger made due before they saw it", async () => {
    const hash = await clinic.justPaid();
    await noteChargedBack(hash, "first", 12_000);
    const [, refused] = await askTogether<unknown>(hash, "collections", [
      () => clinic.approve(hash),
      () => clinic.operatorDoes("collection_stopped", "release").catch((error: unknown) => error),
    ]);
    expect(refused).toMatchObject({ message: expect.stringContaining("changed since it was listed") });
  });

  it("an action on an order does not wait for a lock on another order's collection", async () => {
    const [held, hash] = [await clinic.justPaid(), await clinic.justPaid()];
    await inTransaction(world.bff.database.db, async (tx) => {
      await sql`select from collections where order_id = ${clinic.key(held).orderId} for update`.execute(tx);
      expect(await clinic.approve(hash)).toBe(true);
    });
  });

  it("two requests for the processor's page for another card open one page", async () => {
    const hash = await clinic.justPaid(LATER.declined);
    const { provider } = clinic.clinic;
    const link = {
      provider: { ...provider, settings: { ...provider.settings, cardPage: true } },
      key: clinic.key(hash),
      widgetTokenId: systemIds.uuid(),
    };
    const press = () => changeCardOnPage(world.collection, { ...link, shown: null, now: world.bff.clock.now() });
    const [first, second] = await askTogether(hash, "orders", [press, press]);
    expect(first).toMatchObject({ outcome: "open", page: { url: expect.any(String) } });
    expect(second).toEqual(first);
    expect(await inquireCardPageChange(world.collection, link)).toEqual(first);
  });

  it("a refund without an answer does not delay other work on its order", async () => {
    const hash = await clinic.justPaid();
    await clinic.fault("card-processor", "returnCharge", "fail_before");
    expect((await clinic.refund(hash)).body.refund.status).toBe("processing");
    await clinic.fault("card-processor", "inquireReturn", "fail_before");
    const { clock, database } = world.bff;
    clock.advance(MINUTE_MS);
    await inTransaction(database.db, async (tx) => {
      await sql`select from orders where id = ${clinic.key(hash).orderId} for update`.execute(tx);
      await runOnly(SETTLE_REFUND_TIMER);
    });
    const looks = database.db.selectFrom("order_refunds").select(["status", "inquiries"]);
    const { orderId } = clinic.key(hash);
    expect(await looks.where("order_id", "=", orderId).execute()).toEqual([{ status: "processing", inquiries: 1 }]);
  });

  it.each([
    { title: "chosen for an order and then removed by its patient", order: ["choose", "remove"], chosen: 200 },
    { title: "removed by its patient and then chosen for an order", order: ["remove", "choose"], chosen: 400 },
  ] as const)("a saved card that is $title pays nothing", async ({ order, chosen }) => {
    const known = await knownPatientsOf(world.bff);
    await known.paidAndKept();
    const { hash } = await known.recognised();
    const { id: saved_card } = present((await known.rows())[0]);
    const opened = await known.openData();
    const asks = {
      choose: () => known.useCard(hash, saved_card),
      remove: () => known.inData("removeSavedCard", opened, { saved_card }),
    };
    const answers = await askTogether(
      hash,
      "orders",
      order.map((name) => asks[name]),
    );
    const statuses = Object.fromEntries(order.map((name, number) => [name, answers[number]?.status]));
    expect(statuses).toEqual({ choose: chosen, remove: 200 });
    expect((await known.checkout.pay(hash)).body.code).toBe("processor_payment_method_not_found");
  });

  it("a saved card pays nothing if its patient withdraws it at the moment when it replaces another", async () => {
    const known = await knownPatientsOf(world.bff);
    await known.paidAndKept();
    const { hash } = await known.recognised();
    const { id: saved_card } = present((await known.rows())[0]);
    expect((await known.addCard(hash, toKeep)).status).toBe(200);
    const opened = await known.openData();
    const answers = await askTogether(hash, "orders", [
      () => known.useCard(hash, saved_card),
      () => known.inData("withdrawConsent", opened, { purpose: "saved_card" }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await known.rows()).map(({ state }) => state)).toEqual(["removing"]);
    expect((await known.checkout.pay(hash)).body.code).toBe("processor_payment_method_not_found");
  });

  const validatedAt = async (hash: string) => {
    const orders = world.bff.database.db.selectFrom("orders").select("identity_validated_at");
    return (await orders.where("id", "=", hash).executeTakeFirstOrThrow()).identity_validated_at;
  };

  it("when two documents match at once, the first one validates the order", async () => {
    const hash = await clinic.newOrder();
    const { clock } = world.bff;
    const at = clock.now();
    const identify = () => clinic.identify(hash);
    const later = () => {
      clock.advance(1_000);
      return identify();
    };
    // References to the order do not wait for its lock.
    const row = sql`select from orders where id = ${hash} for no key update`;
    const answers = await askWhileHeld(world.bff.database.db, row, [identify, later]);
    expect([...answers.map(({ status }) => status), await validatedAt(hash)]).toEqual([200, 200, at]);
  });

  it("a code answered for an order that is being cancelled validates nothing", async () => {
    const known = await knownPatientsOf(world.bff);
    await known.paidAndKept();
    const hash = await known.checkout.newOrder();
    const code = present(await known.codeFor(hash));
    const [cancelled, answered] = await askTogether(hash, "orders", [
      () => known.checkout.call("cancelOrder", hash),
      () => known.verify(hash, code),
    ]);
    expect([cancelled?.status, cancelled?.body.status]).toEqual([200, "cancelled"]);
    // The code is right, so the answer shows the order's current state.
    expect([answered?.status, answered?.body]).toMatchObject([
      200,
      { status: "recognised", order: { status: "cancelled", readiness: { identity_validated: false } } },
    ]);
    expect(await validatedAt(hash)).toBeNull();
  });

  it("an expired recognition is not removed from a payment that is starting with it", async () => {
    const known = await knownPatientsOf(world.bff);
    await known.paidAndKept();
    const { hash } = await known.recognised();
    const before = await validatedAt(hash);
    known.pass(RECOGNISED_MINUTES * MINUTE_MS - 1);
    const pay = () => known.checkout.pay(hash);
    const late = () => {
      known.pass(1);
      return pay();
    };
    const [begun, refused] = await askTogether(hash, "orders", [pay, late]);
    expect([begun?.status, begun?.body.payment]).toEqual([200, { status: "succeeded" }]);
    expect([refused?.status, refused?.body.code]).toEqual([400, "processor_customer_identity_not_validated"]);
    expect([before, await validatedAt(hash)]).toEqual([expect.any(Date), before]);
  });
});
